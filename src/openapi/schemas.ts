/**
 * Schemas of OpenAPI 3.0 and 3.1 as plain JSON Schema of what is sent.
 * @module
 */
import { isObject, keysOf, type SchemaNode } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type { Documents, Place } from './documents.ts'

/** A shared schema, by the place that references lead to. */
interface Shared {
  readonly name: string
  readonly needs: Set<Shared>
  schema: JsonSchema
  /** Why it cannot be had. */
  broken?: string
}

/** The shared schemas that something refers to. */
export type Needs = Set<Shared>

export interface Schemas {
  /** Converts a schema; `needs` gets what it refers to as `#/$defs/<name>`. A reference is followed first. */
  readonly convert: (place: Place, needs: Needs) => JsonSchema
  /** All that these need, by name. Throws when one of them cannot be had. */
  readonly defsOf: (needs: Needs) => Record<string, JsonSchema>
}

const one = new Set(
  'items additionalItems contains additionalProperties unevaluatedItems unevaluatedProperties propertyNames not if then else'.split(
    ' ',
  ),
)
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** What tells a model nothing, or is said in another way. */
const dropped = new Set(
  'nullable readOnly writeOnly xml example examples externalDocs discriminator deprecated $defs definitions $id $schema $anchor $dynamicRef $dynamicAnchor $comment __proto__'.split(
    ' ',
  ),
)

export function createSchemas(documents: Documents): Schemas {
  const shared = new Map<string, Shared>()
  const names = new Set<string>()

  const share = (ref: string, base: string): Shared => {
    const key = documents.absolute(ref, base)
    const known = shared.get(key)
    if (known) return known
    const made: Shared = { name: nameFor(key, names), needs: new Set(), schema: {} }
    // Known before it is made: it may refer to itself.
    shared.set(key, made)
    try {
      const { value, base: own } = documents.find(ref, base)
      made.schema = asObject(schemaOf(value, own, made.needs))
    } catch (error) {
      made.broken = (error as Error).message
    }
    return made
  }

  const schemaOf = (value: unknown, base: string, needs: Needs): JsonSchema | boolean => {
    if (typeof value === 'boolean') return value
    if (!isObject(value)) return {}
    const schema: SchemaNode = {}
    for (const [key, member] of Object.entries(value)) {
      const kept = memberOf(key, member, base, needs)
      if (kept !== undefined) schema[key] = kept
    }
    if (isObject(value.properties)) withoutReadOnly(value.properties, base, schema)
    exclusive(schema, 'exclusiveMinimum', 'minimum')
    exclusive(schema, 'exclusiveMaximum', 'maximum')
    return value.nullable === true ? orNull(schema) : schema
  }

  const memberOf = (key: string, member: unknown, base: string, needs: Needs): unknown => {
    if (dropped.has(key) || key.startsWith('x-')) return undefined
    if (key === '$ref' && typeof member === 'string') {
      const target = share(member, base)
      needs.add(target)
      return `#/$defs/${target.name}`
    }
    if (key === 'required') return Array.isArray(member) ? member : undefined
    if (key === 'type' && member === 'file') return 'string'
    const convert = (each: unknown) => schemaOf(each, base, needs)
    if (lists.has(key)) return Array.isArray(member) ? member.map(convert) : undefined
    if (one.has(key)) return Array.isArray(member) ? member.map(convert) : convert(member)
    if (!maps.has(key)) return member
    if (!isObject(member)) return undefined
    return Object.fromEntries(Object.entries(member).map(([name, each]) => [name, convert(each)]))
  }

  /** Nobody sends what the server alone writes. */
  const withoutReadOnly = (given: SchemaNode, base: string, schema: SchemaNode) => {
    const properties = { ...(schema.properties as SchemaNode) }
    for (const [name, value] of Object.entries(given)) {
      if (isReadOnly(value, base, documents)) delete properties[name]
    }
    const { required } = schema
    const gone = (name: unknown) =>
      Object.hasOwn(given, String(name)) && !Object.hasOwn(properties, String(name))
    if (Array.isArray(required)) schema.required = required.filter((name) => !gone(name))
    schema.properties = properties
  }

  return {
    convert: (place, needs) => {
      const { value, base } = documents.follow(place)
      return asObject(schemaOf(value, base, needs))
    },
    defsOf: (needs) => {
      const all = new Set(needs)
      // The set grows while it is walked.
      for (const each of all) {
        if (each.broken) throw new Error(each.broken)
        for (const next of each.needs) all.add(next)
      }
      return Object.fromEntries([...all].map(({ name, schema }) => [name, schema]))
    },
  }
}

function asObject(schema: JsonSchema | boolean): JsonSchema {
  if (typeof schema !== 'boolean') return schema
  return schema ? {} : { not: {} }
}

function isReadOnly(value: unknown, base: string, documents: Documents): boolean {
  if (!isObject(value)) return false
  if (value.readOnly === true) return true
  try {
    return Object(documents.follow({ value, base }).value).readOnly === true
  } catch {
    return false
  }
}

/** 3.0 has a boolean beside the bound, 3.1 a bound of its own. */
function exclusive(schema: SchemaNode, key: string, bound: string): void {
  if (typeof schema[key] !== 'boolean') return
  const isStrict = schema[key] === true && typeof schema[bound] === 'number'
  if (!isStrict) delete schema[key]
  else {
    schema[key] = schema[bound]
    delete schema[bound]
  }
}

/** 3.0's `nullable`, also where it stands beside a reference, as authors mean it. */
function orNull(schema: SchemaNode): JsonSchema {
  const { type, enum: values, description, default: fallback, title, ...rest } = schema
  const isPlain = !['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const'].some((key) => key in rest)
  if (isPlain) {
    return {
      ...schema,
      ...(type !== undefined && { type: [...new Set([type, 'null'].flat())] }),
      ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
    }
  }
  const { description: _, default: __, title: ___, ...value } = schema
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: [value, { type: 'null' }],
  }
}

function nameFor(key: string, taken: Set<string>): string {
  const last = keysOf(key.slice(key.lastIndexOf('/'))).at(-1) ?? ''
  const clean = last.replace(/[^A-Za-z0-9_.-]+/g, '_') || 'schema'
  let name = clean
  for (let count = 2; taken.has(name); count += 1) name = `${clean}_${count}`
  taken.add(name)
  return name
}
