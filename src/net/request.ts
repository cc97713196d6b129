/**
 * One request of a tool: one deadline from the first packet to the last byte, errors in one line.
 * @module
 */
import { expiring } from '../clock.ts'
import { isDispatchError } from '../errors.ts'
import { type Body, readBody } from './read-body.ts'

export interface Exchange {
  readonly response: Response
  readonly body: Body
}

export interface RequestBounds {
  /** Milliseconds for connection, headers and body. */
  readonly timeoutMs: number
  /** Most decoded bytes to read. */
  readonly maxBytes: number
  /** The call's own signal. */
  readonly signal: AbortSignal
}

/**
 * Fetches and reads. Rejects with an Error whose message a model can act on; a refusal of the guard
 * (`THREEPASS_FETCH_REFUSED`) and the abort of `signal` go through as they are.
 */
export async function request(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  { timeoutMs, maxBytes, signal: own }: RequestBounds,
): Promise<Exchange> {
  const signal = expiring(timeoutMs, own)
  try {
    const response = await send(url, { ...init, signal })
    return { response, body: await readBody(response, { maxBytes, signal }) }
  } catch (error) {
    if (isDispatchError(error)) throw error
    own.throwIfAborted()
    if (signal.aborted) {
      throw new Error(`no answer from ${hostOf(url)} within ${timeoutMs / 1_000} s`, {
        cause: error,
      })
    }
    throw new Error(`could not reach ${hostOf(url)}: ${reasonOf(error)}`, { cause: error })
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url.slice(0, 200)
  }
}

/** workerd says "internal error; reference = …" for a name that does not resolve. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.startsWith('internal error') ? 'the name was not found' : message
}
