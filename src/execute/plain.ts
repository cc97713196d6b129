/**
 * Any JavaScript value as plain JSON: whatever a tool returns, the model gets text and nobody throws.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { wellFormed } from './text.ts'

const deepest = 100
/** Values visited before the rest is left out: bounds the time that a monstrous result may take. */
const mostNodes = 2_000_000

/** Cycles, BigInt, Map, Set, Date, Error, bytes, functions, throwing getters and proxies all become JSON. */
export function toPlain(value: unknown): Json {
  return walk(value, { open: new Set(), nodes: 0 }, 0)
}

interface Walk {
  /** Containers on the path to here: meeting one again is a cycle. */
  readonly open: Set<unknown>
  nodes: number
}

function walk(value: unknown, state: Walk, depth: number): Json {
  switch (typeof value) {
    case 'string':
      return wellFormed(value)
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return value.toString()
    case 'undefined':
      return null
    case 'function':
    case 'symbol':
      return `[${typeof value}]`
    default:
      return value === null ? null : container(value as object, state, depth)
  }
}

function container(value: object, state: Walk, depth: number): Json {
  state.nodes += 1
  if (state.open.has(value)) return '[cycle]'
  if (depth > deepest || state.nodes > mostNodes) return '[left out]'
  state.open.add(value)
  try {
    return shaped(value, state, depth + 1)
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? error.message : 'threw'}]`
  } finally {
    state.open.delete(value)
  }
}

function shaped(value: object, state: Walk, depth: number): Json {
  if (Array.isArray(value)) return Array.from(value, (each) => walk(each, state, depth))
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Error) return { error: value.name, message: value.message }
  if (value instanceof Map) return pairs([...value], state, depth)
  if (value instanceof Set) return Array.from(value, (each) => walk(each, state, depth))
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.byteLength} bytes]`
  if (typeof Response !== 'undefined' && value instanceof Response) return `[HTTP ${value.status}]`
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return walk(toJSON.call(value), state, depth)
  return members(value as Record<string, unknown>, state, depth)
}

/** A Map with text keys reads best as an object; any other as its pairs. */
function pairs(entries: [unknown, unknown][], state: Walk, depth: number): Json {
  if (entries.every(([key]) => typeof key === 'string')) {
    return members(Object.fromEntries(entries), state, depth)
  }
  return entries.map(([key, each]) => [walk(key, state, depth), walk(each, state, depth)])
}

function members(value: Record<string, unknown>, state: Walk, depth: number): Json {
  const plain: JsonObject = {}
  for (const name of Object.keys(value)) {
    let member: unknown
    try {
      member = value[name]
    } catch (error) {
      member = `[threw: ${error instanceof Error ? error.message : 'unknown'}]`
    }
    if (member === undefined || name === '__proto__') continue
    plain[wellFormed(name)] = walk(member, state, depth)
  }
  return plain
}
