/**
 * JSON Schema as Gemini's `Schema`, a subset of OpenAPI 3.0.
 *
 * Fields: https://ai.google.dev/api/caching#Schema and
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema. The rest is from the API's own
 * refusals: `enum` only for STRING, only the formats `enum` and `date-time` for STRING, every schema has a type,
 * an ARRAY has `items`, `anyOf` stands alone, `required` names properties that exist.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import { type Scope, scopeOf } from './flat-schema.ts'
import { objectRoot } from './object-root.ts'
import { type Branch, isPortable, type Shape, shapeOf } from './wire-schema.ts'

/** How often a recursive schema is unrolled before the place is left open. */
const unrolls = 2

const kept: Record<string, readonly string[]> = {
  object: ['minProperties', 'maxProperties'],
  array: ['minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  number: [],
  integer: [],
  boolean: [],
}
const formats: Record<string, readonly string[]> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

/**
 * The schema in Gemini's form; it accepts at least what the given schema accepts, with members of an enum that are
 * no texts written as texts (validation reads them back). Pure: equal input gives equal bytes.
 */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  const root = objectRoot(schema)
  // References lead into the schema as it was given.
  const scope = scopeOf(schema, unrolls)
  return branchOf({ type: 'object', node: root, inside: scope })
}

function write(schema: unknown, scope: Scope): SchemaNode {
  const shape = shapeOf(schema, scope)
  const branches = shape.any ? anything() : combined(shape)
  const [first = { type: 'string' }, ...others] = branches
  const { description } = shape
  if (description !== undefined && !String(first.description).startsWith(description)) {
    first.description = [description, first.description].filter(Boolean).join(' ')
  }
  if (shape.nullable) for (const branch of branches) branch.nullable = true
  return others.length === 0 ? first : { anyOf: branches }
}

/** The alternatives, each once. */
function combined({ branches }: Shape): SchemaNode[] {
  const written = new Map<string, SchemaNode>()
  for (const branch of branches) {
    const node = branchOf(branch)
    written.set(JSON.stringify(node), node)
  }
  return written.size > 0 ? [...written.values()] : anything()
}

/** A type is obligatory, so "any value" is spelled out. */
function anything(): SchemaNode[] {
  return [...notLists(), { type: 'array', items: { anyOf: notLists() } }]
}

function notLists(): SchemaNode[] {
  return ['string', 'number', 'boolean', 'object'].map((type) => ({ type }))
}

function branchOf({ type, node, inside }: Branch): SchemaNode {
  const words = wordsOf(node)
  if (Array.isArray(node.enum)) return enumOf(type, node.enum, words)
  const written: SchemaNode = { type, ...words }
  if (formats[type]?.includes(String(node.format))) written.format = node.format
  for (const key of kept[type] ?? []) if (typeof node[key] === 'number') written[key] = node[key]
  if (type === 'number' || type === 'integer') return { ...written, ...rangeOf(node) }
  if (type === 'string' && isPortable(node.pattern)) written.pattern = node.pattern
  if (type === 'array') written.items = write(itemsOf(node), inside)
  return type === 'object' ? { ...written, ...propertiesOf(node, inside) } : written
}

function wordsOf({ title, description }: SchemaNode): SchemaNode {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  }
}

/** Texts stay; numbers and booleans become texts that validation reads back; the rest can only be told. */
function enumOf(type: string, members: readonly unknown[], words: SchemaNode): SchemaNode {
  const texts = members.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  const readable = members.every(
    (each, index) =>
      ['string', 'boolean'].includes(typeof each) ||
      /^-?\d+(\.\d*[1-9])?$/.test(texts[index] ?? ''),
  )
  // Gemini refuses an empty member.
  if (readable && !texts.includes(''))
    return { type: 'string', ...words, enum: [...new Set(texts)] }
  const told = `One of: ${texts.join(', ')}.`
  const description = [words.description, told].filter(Boolean).join(' ')
  const array = type === 'array' && { items: { anyOf: notLists() } }
  return { type, ...words, description, ...array }
}

/** An exclusive bound is widened to an inclusive one. */
function rangeOf(node: SchemaNode): SchemaNode {
  const lows = [node.minimum, node.exclusiveMinimum].filter(Number.isFinite) as number[]
  const highs = [node.maximum, node.exclusiveMaximum].filter(Number.isFinite) as number[]
  return {
    ...(lows.length > 0 && { minimum: Math.max(...lows) }),
    ...(highs.length > 0 && { maximum: Math.min(...highs) }),
  }
}

/** A tuple becomes a list of any of its members. */
function itemsOf({ items, prefixItems }: SchemaNode): unknown {
  const tuple = Array.isArray(prefixItems) ? prefixItems : items
  if (!Array.isArray(tuple)) return items
  return tuple.length > 0 ? { anyOf: tuple } : {}
}

function propertiesOf(node: SchemaNode, inside: Scope): SchemaNode {
  const own = Object.entries(isObject(node.properties) ? node.properties : {})
  const given = own.filter(([, property]) => property !== false)
  if (given.length === 0) return {}
  const properties = Object.fromEntries(
    given.map(([name, property]) => [name, write(property, inside)]),
  )
  const required = Array.isArray(node.required)
    ? [...new Set(node.required)].filter((name) => Object.hasOwn(properties, name))
    : []
  return { properties, ...(required.length > 0 && { required }) }
}
