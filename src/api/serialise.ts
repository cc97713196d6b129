/**
 * Writes an argument into a path, a query, a header or a form, by the styles of OpenAPI.
 * @module
 */
import { wellFormed } from '../execute/text.ts'
import { isObject } from '../schema/pointer.ts'
import type { BoundParameter } from './read-parameters.ts'

/** How a value is written: the parts of a bound parameter that matter here. */
export type Written = Pick<BoundParameter, 'name' | 'style' | 'explode'>

/** A name and a value, both escaped already. */
export type Pair = readonly [name: string, value: string]

/** Numbers without an exponent as long as they are whole; what has parts becomes JSON. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return wellFormed(value)
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value).toString()
  return typeof value === 'object' ? wellFormed(JSON.stringify(value)) : String(value)
}

export function escaped(value: unknown): string {
  return encodeURIComponent(plain(value))
}

/** The members of an object that are there. */
function members(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined && each !== null)
}

/** A part of a path. */
export function inPath({ name, style, explode }: Written, value: unknown): string {
  if (style === 'json') return escaped(JSON.stringify(value))
  const parts = partsOf(value, explode, escaped)
  if (style === 'simple') return parts.join(',')
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`
  const key = encodeURIComponent(name)
  if (!explode || !Array.isArray(value)) {
    const joined = parts.join(explode ? ';' : ',')
    return explode && isObject(value) ? `;${joined}` : `;${key}=${joined}`
  }
  return parts.map((part) => `;${key}=${part}`).join('')
}

export function inHeader({ style, explode }: Written, value: unknown): string {
  if (style === 'json') return wellFormed(JSON.stringify(value))
  return partsOf(value, explode, plain).join(',')
}

/** Items, or `key=value` where objects are exploded, else keys and values in turn. */
function partsOf(value: unknown, explode: boolean, write: (value: unknown) => string): string[] {
  if (Array.isArray(value)) return value.map(write)
  if (!isObject(value)) return [write(value)]
  return members(value).flatMap(([key, each]) =>
    explode ? `${write(key)}=${write(each)}` : [write(key), write(each)],
  )
}

const separators = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** Pairs of a query or of a form body. */
export function inQuery({ name, style, explode }: Written, value: unknown): Pair[] {
  const key = encodeURIComponent(name)
  if (style === 'json') return [[key, escaped(JSON.stringify(value))]]
  if (typeof value !== 'object' || value === null) return [[key, escaped(value)]]
  if (style === 'deepObject') return deep(key, value)
  const separator = style in separators ? separators[style as 'spaceDelimited'] : ','
  if (!explode) return [[key, partsOf(value, false, escaped).join(separator)]]
  if (Array.isArray(value)) return value.map((item) => [key, escaped(item)])
  return members(value).map(([inner, each]) => [encodeURIComponent(inner), escaped(each)])
}

function deep(key: string, value: object): Pair[] {
  return members(value).flatMap(([inner, each]) => {
    const name = `${key}%5B${encodeURIComponent(inner)}%5D`
    return typeof each === 'object' ? deep(name, each as object) : [[name, escaped(each)]]
  })
}

export function joined(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}
