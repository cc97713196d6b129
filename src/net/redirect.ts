/**
 * What the next request of a redirect chain is (https://fetch.spec.whatwg.org/#http-redirect-fetch).
 * @module
 */
import { refuse } from './check-url.ts'

export interface Hop {
  readonly url: URL
  readonly init: RequestInit
}

/** Headers that may go to another origin: none of them can hold a secret. */
const harmless = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'range',
  'user-agent',
])
const bodyHeaders = ['content-encoding', 'content-language', 'content-location', 'content-type']

/**
 * The request that answers a redirect. Headers that do not go along stay away for the rest of the
 * chain, also when it comes back. Throws `THREEPASS_FETCH_REFUSED` for a step from https to http, a
 * target that is no URL, and a body that can be sent only once.
 */
export function nextHop({ url, init }: Hop, status: number, location: string): Hop {
  let target: URL
  try {
    target = new URL(location, url)
  } catch {
    return refuse(url, 'it redirects to something that is not a URL')
  }
  if (url.protocol === 'https:' && target.protocol === 'http:') {
    refuse(url, `it redirects from https to http (${target.host})`)
  }
  const headers = new Headers(init.headers)
  if (target.origin !== url.origin) {
    for (const name of [...headers.keys()]) if (!harmless.has(name)) headers.delete(name)
  }
  const method = (init.method ?? 'GET').toUpperCase()
  const asGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST')
  if (!asGet) {
    if (init.body instanceof ReadableStream) {
      refuse(url, 'it redirects a request whose body is a stream')
    }
    return { url: target, init: { ...init, headers } }
  }
  for (const name of bodyHeaders) headers.delete(name)
  const { body: _, ...rest } = init
  return { url: target, init: { ...rest, method: 'GET', headers } }
}
