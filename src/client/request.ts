/**
 * Requests to the HTTP API: the token in front, a problem document as an error behind.
 * @module
 */
import { pause as wait } from '../clock.ts'
import { DispatchError } from '../errors.ts'

export interface ClientOptions {
  /** Where the Worker is, `https://…`; default: this page's own origin. */
  readonly url?: string | URL
  /**
   * Bearer token of each request: in a page a run token. A function is asked before every request, so
   * that it can hand out a fresh one.
   */
  readonly token?: string | (() => string | Promise<string>)
  /** Default: the global one. */
  readonly fetch?: typeof fetch
  /** Milliseconds before the first attempt to reconnect, doubled up to 30 times that; default 500. */
  readonly reconnectMs?: number
}

/** What the API says of a request that it refused (RFC 9457): the `cause` of `THREEPASS_REQUEST_FAILED`. */
export interface RequestProblem {
  /** HTTP status; 0 when the API could not be reached. */
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly answers?: readonly unknown[]
}

export interface Request {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Lives on when the page goes away. */
  readonly keepalive?: boolean
}

export interface Requests {
  /** Resolves with a response that is ok; rejects with `THREEPASS_REQUEST_FAILED`, or with the signal's reason. */
  readonly send: (path: string, request?: Request) => Promise<Response>
  /** The same, and while the API cannot be reached or is overloaded it tries again until the signal aborts. */
  readonly persist: (path: string, request?: Request) => Promise<Response>
  /** Waits before attempt number `attempt`, from 0. */
  readonly pause: (attempt: number, signal: AbortSignal | undefined) => Promise<void>
}

export function createRequests(options: ClientOptions): Requests {
  const { url, token, reconnectMs = 500, fetch: ask = fetch } = options
  const { location } = globalThis as { location?: { origin?: string } }
  const base = url ?? location?.origin
  if (base === undefined) {
    throw new DispatchError('THREEPASS_BAD_OPTION', 'url is missing: where is the Worker?')
  }

  const send: Requests['send'] = async (path, request = {}) => {
    const { method = 'GET', body, headers, signal, keepalive } = request
    const bearer = typeof token === 'function' ? await token() : token
    let response: Response
    try {
      response = await ask(new URL(path, base), {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
        ...(keepalive && { keepalive }),
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw failed({ status: 0, code: 'UNREACHABLE', detail: `${method} ${path} failed: ${error}` })
    }
    if (response.ok) return response
    throw failed(await problemOf(response))
  }

  const pause: Requests['pause'] = (attempt, signal) =>
    wait(Math.min(reconnectMs * 2 ** attempt, reconnectMs * 30) * (0.5 + Math.random()), signal)

  return {
    send,
    pause,
    async persist(path, request = {}) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await send(path, request)
        } catch (error) {
          if (!isPassing(error)) throw error
          await pause(attempt, request.signal)
        }
      }
    },
  }
}

/** The API's own problem document, when the error is one of a request. */
export function requestProblem(error: unknown): RequestProblem | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  return code === 'THREEPASS_REQUEST_FAILED' ? (cause as RequestProblem) : undefined
}

/** Will it perhaps do in a moment? */
export function isPassing(error: unknown): boolean {
  const status = requestProblem(error)?.status
  return status !== undefined && (status === 0 || status === 429 || status >= 500)
}

function failed(problem: RequestProblem): DispatchError {
  return new DispatchError('THREEPASS_REQUEST_FAILED', problem.detail, { cause: problem })
}

async function problemOf(response: Response): Promise<RequestProblem> {
  const { status } = response
  const body = (await response.json().catch(() => ({}))) as Partial<RequestProblem>
  const { code = `HTTP_${status}`, detail = `The API answered ${status}.`, answers } = body
  return { status, code: String(code), detail: String(detail), ...(answers && { answers }) }
}
