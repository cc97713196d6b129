/**
 * A call's arguments as the object that a replayed message must have.
 * @module
 */
import { hasInexactNumber } from '../preflight/json.ts'
import type { Json, JsonObject } from '../round.ts'
import { isObject } from './provider.ts'

/** The key that arguments stand under which are no object: providers refuse a history with any other input. */
const rawKey = 'rawArguments'

/** Arguments as an object. Absent and blank ones are none; an object stays. */
export function callInput(given: unknown): JsonObject {
  const value = given as Json | undefined
  if (isObject(value)) return value
  if (value === undefined || value === null) return {}
  if (typeof value !== 'string') return { [rawKey]: JSON.stringify(value) }
  if (value.trim() === '') return {}
  const read = parsed(value)
  return isObject(read) ? read : { [rawKey]: value }
}

/** What `callInput` put under the key comes out of it again. */
export function argumentsOf(input: Json | undefined): Json | undefined {
  if (!isObject(input) || Object.keys(input).length !== 1) return input
  return typeof input[rawKey] === 'string' ? input[rawKey] : input
}

/** The same as `callInput`, but digits that a double cannot hold stay, as text: a model copies its ids out of its history. */
export async function exactCallInput(text: string): Promise<JsonObject> {
  const input = callInput(text)
  if (!hasInexactNumber(text) || rawKey in input) return input
  const { parseExact } = await import('../preflight/repair.ts')
  return (await parseExact(text)).value as JsonObject
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
