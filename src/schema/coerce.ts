/**
 * The safe coercions: tried only where the schema refuses what came and accepts the other.
 * @module
 */
import type { Coercion, Json, JsonObject } from '../round.ts'
import { jsonText } from './issues.ts'
import type { Leaf } from './leaves.ts'
import { keysOf, kindOf, measure, memberAt, type SchemaNode, withMember } from './pointer.ts'

/** Arguments with one round of coercions applied; the same object when none is possible. */
export interface Coerced {
  readonly args: JsonObject
  readonly coerced: readonly Coercion[]
}

/** `leaves` finds what is wrong with other arguments. */
export function coerceOnce(
  args: JsonObject,
  wrong: readonly Leaf[],
  leaves: (args: JsonObject) => readonly Leaf[],
  inexact: ReadonlySet<string> | undefined,
  maxDepth: number,
): Coerced {
  let current = args
  const coerced: Coercion[] = []
  for (const { path, keyword, nodes } of wrong) {
    if (keyword !== 'kind') continue
    const keys = keysOf(path)
    const value = memberAt(current, keys)
    if (typeof value === 'string') {
      const to = reread(value, nodes, inexact?.has(path) === true)
      if (to === undefined || measure(to, maxDepth - keys.length) === Number.POSITIVE_INFINITY)
        continue
      current = withMember(current, keys, to)
      coerced.push({ path, from: jsonText(value), to: jsonText(to) })
    } else if (value === null && path !== '') {
      const without = withoutNull(current, path, leaves)
      if (!without) continue
      current = without
      coerced.push({ path, from: 'null', to: 'absent' })
    }
  }
  return { args: current, coerced }
}

/** `null` for a property that need not be there means that it is not there. */
function withoutNull(
  args: JsonObject,
  path: string,
  leaves: (args: JsonObject) => readonly Leaf[],
): JsonObject | undefined {
  const keys = keysOf(path)
  if (Array.isArray(memberAt(args, keys.slice(0, -1)))) return undefined
  const without = withMember(args, keys, undefined)
  return leaves(without).some((leaf) => leaf.path === path) ? undefined : without
}

/** What else a text can be read as, if one of the schemas accepts that; `undefined` for nothing. */
function reread(text: string, nodes: readonly SchemaNode[], inexact: boolean): Json | undefined {
  const members = nodes.flatMap(({ const: only, enum: list }): unknown[] =>
    only !== undefined ? [only] : Array.isArray(list) ? list : [],
  )
  const scalar = scalarOf(text, inexact)
  if (scalar !== undefined && members.includes(scalar)) return scalar
  const folded = text.toLowerCase()
  const alike = new Set(
    members.filter((each) => typeof each === 'string' && each.toLowerCase() === folded),
  )
  if (alike.size === 1) return [...alike][0] as string
  for (const { type, const: only, enum: list } of nodes) {
    if (only !== undefined || list !== undefined) continue
    const types = [type ?? []].flat()
    if (scalar !== undefined && types.some((each) => fits(scalar, each))) return scalar
    if (types.includes('object') || types.includes('array')) {
      const container = containerOf(text)
      if (types.includes(kindOf(container))) return container
    }
  }
  return undefined
}

function fits(value: Json, type: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === kindOf(value)
}

/** The number, boolean or null that a text spells exactly. */
function scalarOf(text: string, inexact: boolean): Json | undefined {
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined
  const number = Number(text)
  // The model wrote a number: its fraction may be rounded, its whole part may not.
  if (inexact && !Number.isInteger(number)) return number
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return String(number) === plain ? number : undefined
}

/** The object or array that a text holds, unless reading it would lose digits. */
function containerOf(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  if (/\d{16}|\d[eE]\+?\d{3}/.test(text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""'))) return undefined
  try {
    return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value))
  } catch {
    return undefined
  }
}
