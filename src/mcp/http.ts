/**
 * The requests to one server: bounded answers, what was certainly not sent, whether changes are heard, and
 * secrets that must not come back in a text.
 * @module
 */
import { withoutSecrets } from '../builtin/secrets.ts'
import { isDispatchError } from '../errors.ts'
import { boundedBody } from './bounded-body.ts'

/** `fetch` as the SDK calls it. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

export interface HttpOptions {
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  readonly maxResponseBytes: number
  /** Values that must not be shown. */
  readonly secrets: readonly string[]
  /** Does anybody want to hear what the server says unasked? */
  readonly wantsStream: () => boolean
  /** The stream of what the server says unasked has begun, or ended: outside of it nothing is heard. */
  readonly onStream: () => void
}

export interface Http {
  readonly fetch: Fetch
  /** True for an error of `fetch` after which the request has certainly not reached the server. */
  readonly wasNotSent: (error: unknown) => boolean
  /** What the server says unasked is heard now. */
  readonly hears: () => boolean
  /** Resolves when the server has said whether it has such a stream. */
  readonly answered: Promise<void>
  /** The text with no secret in it. */
  readonly hide: (text: string) => string
}

export function watchHttp(options: HttpOptions): Http {
  const { url, maxResponseBytes, wantsStream, onStream } = options
  const unsent = new WeakSet<object>()
  const hidden = new Set(options.secrets.filter(isLong))
  let streams = 0
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })

  const send = async (
    input: string | URL,
    init: RequestInit,
    onEnd: () => void = () => {},
  ): Promise<Response> => {
    const credentials = new Headers(init.headers).get('authorization')?.replace(/^\S+\s+/, '')
    if (credentials && isLong(credentials)) hidden.add(credentials)
    const { signal, unlink } = ownSignal(init.signal)
    try {
      const response = await options.fetch(input, { ...init, signal })
      return boundedBody(response, maxResponseBytes, () => {
        unlink()
        onEnd()
      })
    } catch (error) {
      unlink()
      if (neverConnected(error)) unsent.add(error as object)
      throw error
    }
  }

  const stream = async (input: string | URL, init: RequestInit): Promise<Response> => {
    // A stream that goes on after a break has an event id to go on from.
    const isNew = !new Headers(init.headers).has('last-event-id')
    if (isNew && !wantsStream()) return new Response(null, { status: 405 })
    let isOpen = false
    const response = await send(input, init, () => {
      if (!isOpen) return
      streams -= 1
      onStream()
    })
    if (response.ok) {
      isOpen = true
      streams += 1
      if (isNew) onStream()
    }
    return response
  }

  return {
    async fetch(input, init = {}) {
      const isStream = (init.method ?? 'GET') === 'GET' && new URL(input).href === url.href
      return isStream ? stream(input, init).finally(answer) : send(input, init)
    },
    wasNotSent: (error) => typeof error === 'object' && error !== null && unsent.has(error),
    hears: () => streams > 0,
    answered,
    hide: (text) => withoutSecrets(text, [...hidden]),
  }
}

/**
 * A signal for this request alone. The SDK has one for all of a session, and whoever listens to it for
 * longer than a request lasts would be many.
 */
function ownSignal(given: AbortSignal | null | undefined): {
  signal: AbortSignal
  unlink: () => void
} {
  const own = new AbortController()
  const onAbort = () => own.abort(given?.reason)
  if (given?.aborted) onAbort()
  else given?.addEventListener('abort', onAbort, { once: true })
  return { signal: own.signal, unlink: () => given?.removeEventListener('abort', onAbort) }
}

/** Shorter ones are no secrets, and taking them out would garble the text. */
function isLong(value: string): boolean {
  return value.length >= 8
}

const connectErrors =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/

/** No connection came about. Only Node says so; elsewhere nobody can tell. */
function neverConnected(error: unknown): boolean {
  if (isDispatchError(error)) return error.code === 'THREEPASS_FETCH_REFUSED'
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth += 1) {
    const { code, cause } = at as { code?: unknown; cause?: unknown }
    if (typeof code === 'string' && connectErrors.test(code)) return true
    at = cause
  }
  return false
}
