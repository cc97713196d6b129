/**
 * Which secrets an operation wants, of the ways that its document gives.
 * @module
 */
import type { ApiAuth } from '../api/definition.ts'
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { Documents } from './documents.ts'

/** `secrets`: the name of the host's secret by the name of the scheme. */
export function authOf(
  security: unknown,
  schemes: unknown,
  documents: Documents,
  base: string,
  secrets: Readonly<Record<string, string>>,
): readonly ApiAuth[] {
  if (!Array.isArray(security) || security.length === 0) return []
  const ways = security.filter(isObject)
  const isConfigured = (way: SchemaNode) =>
    Object.keys(way).length > 0 && Object.keys(way).every((name) => Object.hasOwn(secrets, name))
  const mayGoWithout = ways.some((way) => Object.keys(way).length === 0)
  const others = mayGoWithout ? [{}] : ways
  const problems: string[] = []
  // What the host has secrets for, then what the document names first.
  for (const way of [...ways.filter(isConfigured), ...others]) {
    try {
      return Object.keys(way).map((name) => {
        const scheme = Object(schemes)[name] as unknown
        const { value } = documents.follow({ value: scheme, base })
        return schemeOf(name, value, Object.hasOwn(secrets, name) ? secrets[name] : undefined)
      })
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  throw new Error(problems[0] ?? 'its security is no list')
}

function schemeOf(name: string, scheme: unknown, secret = name): ApiAuth {
  if (!isObject(scheme)) throw new Error(`there is no security scheme "${name}"`)
  const kind = String(scheme.type).toLowerCase()
  const way = String(scheme.scheme).toLowerCase()
  if (kind === 'http' && way === 'basic') return { type: 'basic', secret }
  if ((kind === 'http' && way === 'bearer') || kind === 'oauth2' || kind === 'openidconnect') {
    return { type: 'bearer', secret }
  }
  const place = scheme.in
  if (kind === 'apikey' && (place === 'header' || place === 'query')) {
    return { type: 'apikey', header: String(scheme.name), in: place, secret }
  }
  const what = kind === 'http' ? way : kind === 'apikey' ? `a key in a ${String(place)}` : kind
  throw new Error(`the security scheme "${name}" (${what}) cannot be used`)
}
