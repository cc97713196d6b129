/**
 * What became of a call whose answer did not come: from the error that the SDK or `fetch` threw.
 * @module
 */
import { errorText } from '../execute/render-result.ts'
import type { Link } from './link.ts'
import { connectionBroke } from './messages.ts'

/**
 * `no`: the tool has not run. `answered`: the server has said what is wrong. `unsure`: it may have run.
 */
export interface Fate {
  readonly ran: 'no' | 'answered' | 'unsure'
  /** What happened, without a secret in it. */
  readonly why: string
  /** The session is of no use any more: a new one may be. */
  readonly over?: boolean
  /** The server wants to know who asks. */
  readonly unauthorized?: boolean
  /** A break: the same call may come through the next time. */
  readonly broke?: boolean
}

export function fateOf(error: unknown, link: Link): Fate {
  const { sdk, http } = link
  const why = whyOf(error, link)
  if (needsAuthorization(error, link)) return { ran: 'no', why, over: true, unauthorized: true }
  if (error instanceof sdk.SdkHttpError)
    return { ...httpFate(error.status, error.data.text, link), why }
  if (error instanceof sdk.ProtocolError) {
    if (error.code === connectionBroke) return { ran: 'unsure', why, broke: true }
    return { ran: 'answered', why }
  }
  if (error instanceof sdk.SdkError) {
    const { ConnectionClosed, NotConnected, InvalidResult } = sdk.SdkErrorCode
    if (error.code === NotConnected) return { ran: 'no', why, over: true }
    if (error.code === ConnectionClosed) return { ran: 'unsure', why, over: true, broke: true }
    return { ran: error.code === InvalidResult ? 'unsure' : 'answered', why }
  }
  if (http.wasNotSent(error)) return { ran: 'no', why, over: true }
  return { ran: 'unsure', why: `the connection broke: ${why}`, broke: true }
}

export function needsAuthorization(error: unknown, { sdk }: Pick<Link, 'sdk'>): boolean {
  if (error instanceof sdk.UnauthorizedError || error instanceof sdk.InsufficientScopeError) {
    return true
  }
  return error instanceof sdk.SdkHttpError && (error.status === 401 || error.status === 403)
}

/**
 * 4xx: the request was refused. 404 with a session means, by the protocol, that the session is over; some
 * servers say 400 and speak of the session instead.
 */
function httpFate(
  status: number,
  body: unknown,
  { hasSession, mayResend }: Link,
): Omit<Fate, 'why'> {
  const isForgotten =
    hasSession() && (status === 404 || (status === 400 && /session/i.test(String(body))))
  if (isForgotten && mayResend) return { ran: 'unsure', over: true, broke: true }
  if (isForgotten) return { ran: 'no', over: true }
  if (status >= 500 || status < 400) return { ran: 'unsure', broke: status >= 500 }
  return { ran: 'no' }
}

/** What happened, in a line without secrets. */
export function whyOf(error: unknown, { sdk, http }: Pick<Link, 'sdk' | 'http'>): string {
  if (error instanceof sdk.SdkHttpError) {
    const { text } = error.data
    const body = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, 300) : ''
    return http.hide(`the server answered ${error.status}${body && `: ${body}`}`)
  }
  if (error instanceof sdk.SdkError) {
    if (error.code === sdk.SdkErrorCode.RequestTimeout) return 'the server did not answer in time'
    if (error.code === sdk.SdkErrorCode.InvalidResult) {
      return 'its answer is no result as the protocol defines one'
    }
    // The SDK says that it looked for the newest version, which is not what went wrong.
    const { cause } = error
    if (error.code === sdk.SdkErrorCode.EraNegotiationFailed && cause) {
      return http.hide(errorText(cause))
    }
  }
  return http.hide(errorText(error))
}
