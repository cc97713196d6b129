/**
 * Plain JSON out of whatever a provider handed over, within bounds.
 * @module
 */
import { byteLength, wellFormed } from '../execute/text.ts'
import type { Json, JsonObject } from '../round.ts'

/** Why a value is not usable JSON. */
export type JsonProblem = 'too-deep' | 'too-large' | 'not-finite' | 'not-json'

export interface JsonBounds {
  readonly maxBytes: number
  readonly maxDepth: number
}

export type PlainJson =
  | { readonly kind: 'plain'; readonly value: Json | undefined }
  | { readonly kind: JsonProblem; readonly detail: string }

/** Thrown and caught in this file only: it ends the walk at once. */
class Refusal {
  readonly kind: JsonProblem
  readonly detail: string
  constructor(kind: JsonProblem, detail: string) {
    this.kind = kind
    this.detail = detail
  }
}

const surrogate = /[\ud800-\udfff]/

/** Copies a value as `JSON.stringify` would see it; `__proto__` keys go, lone surrogates become U+FFFD. */
export function plainJson(value: unknown, bounds: JsonBounds): PlainJson {
  let bytes = bounds.maxBytes
  const open: object[] = []
  const text = (given: string): string => {
    // Text has been measured as a whole.
    if (bytes !== Number.POSITIVE_INFINITY) bytes -= byteLength(given) + 2
    if (bytes < 0) throw new Refusal('too-large', '')
    return surrogate.test(given) ? wellFormed(given) : given
  }
  const copy = (given: unknown, key: string): Json | undefined => {
    if (typeof given === 'string') return text(given)
    if (typeof given === 'number') {
      // Digits, point, sign and comma of an ordinary number.
      bytes -= 8
      if (bytes < 0) throw new Refusal('too-large', '')
      if (Number.isFinite(given)) return given
      throw new Refusal('not-finite', String(given))
    }
    if (given === undefined || given === null || typeof given === 'boolean') return given
    if (typeof given !== 'object') throw new Refusal('not-json', `a ${typeof given}`)
    const { toJSON } = given as { toJSON?: unknown }
    if (typeof toJSON === 'function' && !open.includes(given)) {
      const plain = toJSON.call(given, key) as unknown
      if (plain !== given) return copy(plain, key)
    }
    return container(given)
  }
  const container = (given: object): Json => {
    if (open.length >= bounds.maxDepth) {
      // A cycle is as deep as it is looked into.
      const cycle = new Set(open).size < open.length
      throw new Refusal(cycle ? 'not-json' : 'too-deep', 'an object that contains itself')
    }
    open.push(given)
    bytes -= 2
    const copied = Array.isArray(given) ? items(given) : members(given)
    open.pop()
    return copied
  }
  const items = (given: unknown[]): Json[] => {
    const list: Json[] = []
    for (let at = 0; at < given.length; at += 1) list.push(copy(given[at], String(at)) ?? null)
    return list
  }
  const members = (given: object): JsonObject => {
    const object: JsonObject = {}
    for (const key of Object.keys(given)) {
      if (key === '__proto__') continue
      const plain = copy((given as Record<string, unknown>)[key], key)
      if (plain !== undefined) object[text(key)] = plain
    }
    return object
  }
  try {
    return { kind: 'plain', value: copy(value, '') }
  } catch (error) {
    if (error instanceof Refusal) return error
    // A getter or a toJSON of a foreign object threw.
    return { kind: 'not-json', detail: 'a value that cannot be read' }
  }
}

/**
 * True when `plainJson` would change nothing, for a value that `JSON.parse` has just made: nobody else
 * holds it, so it need not be copied.
 */
export function isPlainJson(value: unknown, maxDepth: number): value is Json {
  if (typeof value === 'string') return !surrogate.test(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (maxDepth === 0) return false
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || surrogate.test(key)) return false
    if (!isPlainJson((value as Record<string, unknown>)[key], maxDepth - 1)) return false
  }
  return true
}

const stringOrNumber = /"(?:[^"\\]|\\[\s\S])*"|-?\d[\d.eE+-]*/g

/** True when some number of a JSON text (not of its strings) has digits that a double cannot hold. */
export function hasInexactNumber(text: string): boolean {
  // Most texts hold no long run of digits at all.
  if (!/\d[\d.]{15}/.test(text)) return false
  for (const [found] of text.matchAll(stringOrNumber)) {
    if (found[0] !== '"' && isInexact(found)) return true
  }
  return false
}

/** True for digits that a double cannot hold: an integer beyond `Number.MAX_SAFE_INTEGER` and for a fraction that a double rounds. */
export function isInexact(digits: string): boolean {
  const number = Number(digits)
  if (!Number.isFinite(number)) return false
  if (/^-?\d+$/.test(digits)) return !Number.isSafeInteger(number)
  return significant(digits) !== significant(String(number))
}

/** The digits that count, without the point and the zeros around them. */
function significant(number: string): string {
  const [digits = ''] = number.split(/[eE]/)
  return digits.replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
}
