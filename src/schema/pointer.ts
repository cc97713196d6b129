/**
 * JSON pointers, and the kinds of JSON values.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'

/** A schema object that registration may still change. */
export type SchemaNode = Record<string, unknown>

/** Where a `$ref` leads: the key is the reference as the validator looks it up. */
export type Targets = ReadonlyMap<string, unknown>

/** True for a plain JSON object (not `null`, not an array). */
export function isObject(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON Schema's name for the kind of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The pointer of a member. */
export function below(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The keys of a pointer, `''` for none. */
export function keysOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The member that the keys lead to, `undefined` when there is none. */
export function memberAt(root: unknown, keys: readonly string[]): unknown {
  let value = root
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as SchemaNode)[key]
  }
  return value
}

/** A copy with one member replaced, or removed when the value is `undefined`; the rest is shared. */
export function withMember(
  root: JsonObject,
  keys: readonly string[],
  value: Json | undefined,
): JsonObject {
  const [key = '', ...rest] = keys
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as JsonObject
  if (rest.length > 0) copy[key] = withMember(copy[key] as JsonObject, rest, value)
  else if (value === undefined) delete copy[key]
  else copy[key] = value
  return copy
}

/** How many values there are, `Infinity` when they nest deeper than `maxDepth`. */
export function measure(value: unknown, maxDepth: number): number {
  if (typeof value !== 'object' || value === null) return 1
  if (maxDepth === 0) return Number.POSITIVE_INFINITY
  let count = 1
  for (const member of Object.values(value)) {
    count += measure(member, maxDepth - 1)
    if (count === Number.POSITIVE_INFINITY) break
  }
  return count
}
