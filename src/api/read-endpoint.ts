/**
 * Reads where a definition's requests go, and with whose secret.
 * @module
 */
import { isObject } from '../schema/pointer.ts'
import type { ApiMethod } from './definition.ts'
import { choice, isHeaderName, isHeaderValue, unknownFields } from './read-values.ts'

export const methods: readonly ApiMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']
const contentTypes = ['json', 'form', 'multipart', 'raw']
const fields = ['url', 'method', 'content_type', 'headers', 'query', 'timeout']
const authFields = ['type', 'header', 'in', 'secret', 'env']
export const longestTimeoutSeconds = 300

export const placeholder: RegExp = /\{([^{}]*)\}/g

/** The names in braces of a URL. */
export function placeholdersIn(url: unknown): string[] {
  return [...String(url).matchAll(placeholder)].map(([, name]) => name ?? '')
}

export function* endpointProblems(endpoint: unknown): Generator<string> {
  if (!isObject(endpoint)) return yield 'endpoint must be an object with url and method'
  const { url, method, content_type: type, headers, query, timeout } = endpoint
  yield* unknownFields('endpoint.', endpoint, fields)
  yield* urlProblems(url)
  if (method === undefined) yield 'endpoint.method is missing'
  yield* choice('endpoint.method', method, methods)
  yield* choice('endpoint.content_type', type, contentTypes)
  if (timeout !== undefined && !(Number(timeout) > 0 && Number(timeout) <= longestTimeoutSeconds)) {
    yield `endpoint.timeout must be seconds, more than 0 and at most ${longestTimeoutSeconds}`
  }
  yield* headerProblems(headers ?? {})
  for (const [name, value] of Object.entries(query ?? {})) {
    if (!/^(string|number|boolean)$/.test(typeof value)) {
      yield `endpoint.query.${name} must be a text, a number or a boolean`
    }
  }
}

function* urlProblems(url: unknown): Generator<string> {
  if (typeof url !== 'string') return yield 'endpoint.url is missing'
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0]
  if (origin === undefined) return yield 'endpoint.url must begin with https:// or http://'
  // A model that chooses the host would choose who gets the secret.
  if (/[{}]/.test(origin)) yield 'endpoint.url can have no {parameter} in its host'
  if (origin.includes('@')) yield 'endpoint.url can hold no password: use auth'
  if (url.includes('#')) yield 'endpoint.url can have no #fragment'
  const filled = url.replace(placeholder, 'x')
  if (/[{}]/.test(filled)) yield 'endpoint.url has a brace without its partner'
  else if (!URL.canParse(filled)) yield 'endpoint.url is not a URL'
}

function* headerProblems(headers: unknown): Generator<string> {
  if (!isObject(headers)) return yield 'endpoint.headers must be an object of texts'
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) yield `endpoint.headers: "${name}" can be no header's name`
    else if (typeof value !== 'string' || !isHeaderValue(value)) {
      yield `endpoint.headers.${name} must be a text of one line`
    }
  }
}

export function* authProblems(auth: unknown): Generator<string> {
  if (!isObject(auth)) return yield 'auth must be an object with type and secret'
  const { type, header, in: place, secret, env } = auth
  yield* unknownFields('auth.', auth, authFields)
  if (type === undefined) yield 'auth.type is missing'
  yield* choice('auth.type', type, ['bearer', 'apikey', 'basic'])
  yield* choice('auth.in', place, ['header', 'query'])
  const name = secret ?? env
  if (typeof name !== 'string' || name === '' || (secret && env)) {
    yield 'auth must name its secret, by secret or by env'
  }
  if (type !== 'apikey' && (header ?? place) !== undefined) {
    yield 'auth.header and auth.in are for the type apikey alone'
  }
  if (header !== undefined && (place === 'query' ? header === '' : !isHeaderName(header))) {
    yield "auth.header can be no header's name"
  }
}
