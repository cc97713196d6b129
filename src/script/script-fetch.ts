/**
 * The network of a script: requests and answers as JSON, so that they can cross into any sandbox.
 * @module
 */
import { errorText } from '../execute/render-result.ts'
import { request } from '../net/request.ts'
import type { JsonObject } from '../round.ts'

export const mostRequests = 20
const mostBytes = 1_048_576
const timeoutMs = 30_000

/** Answers one request of a script, `{ url, method, headers, body }`, with `{ status, url, headers, body }` or `{ error }`. Never rejects. */
export type ScriptFetch = (request: string) => Promise<string>

export function scriptFetch(fetch: typeof globalThis.fetch, signal: AbortSignal): ScriptFetch {
  let requests = 0
  return async (text) => {
    requests += 1
    if (requests > mostRequests) return tooMany
    try {
      const { url, method, headers, body } = JSON.parse(text) as Asked
      const init = { method, headers, ...(body !== undefined && { body }) }
      const bounds = { timeoutMs, maxBytes: mostBytes, signal }
      const { response, body: read } = await request(fetch, url, init, bounds)
      if (read.text === undefined) return failed(`the answer of ${url} is not text`)
      if (read.truncated) return failed(`the answer of ${url} is cut (${read.cutBy})`)
      const answer: JsonObject = {
        status: response.status,
        url: response.url || url,
        headers: Object.fromEntries(response.headers),
        body: read.text,
      }
      return JSON.stringify(answer)
    } catch (error) {
      return failed(errorText(error))
    }
  }
}

interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

function failed(error: string): string {
  return JSON.stringify({ error })
}

/** The answer to a request beyond the bound. */
export const tooMany: string = failed(`more than ${mostRequests} requests of one run`)

/**
 * The `fetch` that a script sees, as the text of a function that takes a `ScriptFetch`: the sandbox runs it, so
 * it is written in what every engine knows.
 */
export const fetchInside = `(ask) => {
  const { parse, stringify } = JSON
  return async function fetch(url, { method = 'GET', headers = {}, body } = {}) {
    const pairs = typeof headers.entries === 'function' ? [...headers.entries()] : Object.entries(headers)
    const own = Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]))
    const asked = { url: String(url), method: String(method), headers: own }
    if (body !== undefined && body !== null) {
      if (typeof body !== 'string') throw new TypeError('fetch: the body must be a text, such as JSON.stringify gives')
      asked.body = body
    }
    const { error, status, headers: got, url: from, body: text } = parse(await ask(stringify(asked)))
    if (error !== undefined) throw new TypeError('fetch: ' + error)
    return {
      status,
      ok: status >= 200 && status < 300,
      url: from,
      headers: { get: (name) => got[String(name).toLowerCase()] ?? null, entries: () => Object.entries(got) },
      text: async () => text,
      json: async () => parse(text),
    }
  }
}`
