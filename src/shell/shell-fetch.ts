/**
 * The shell's curl over a guarded fetch.
 * @module
 */
import type { BashOptions } from 'just-bash/browser'
import { request } from '../net/request.ts'

type ShellFetch = NonNullable<BashOptions['fetch']>

const mostBytes = 10_485_760

/** Redirects are followed by the guard, which looks at each; curl's own wish is not asked. */
export function shellFetch(fetch: typeof globalThis.fetch, timeoutMs: number): ShellFetch {
  return async (url, options = {}) => {
    const { method = 'GET', headers, body, signal } = options
    const init = { method, ...(headers && { headers }), ...(body !== undefined && { body }) }
    const { response, body: read } = await request(fetch, url, init, {
      timeoutMs: Math.min(timeoutMs, options.timeoutMs ?? timeoutMs),
      maxBytes: mostBytes,
      signal: signal ?? new AbortController().signal,
    })
    if (read.truncated) throw new Error(`the answer is longer than ${mostBytes} bytes`)
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: read.bytes,
      url: response.url || url,
    }
  }
}
