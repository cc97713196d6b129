/**
 * JSON Schema as OpenAI's strict mode takes it.
 *
 * Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas. The limits are the older,
 * narrower ones (100 properties, 5 levels, 500 members), which Azure and older models still have.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import { type Scope, scopeOf } from './flat-schema.ts'
import { hasChoice, objectRoot } from './object-root.ts'
import { withinLimits } from './openai-limits.ts'
import { targetOf } from './wire-references.ts'
import { type Branch, isPortable, shapeOf } from './wire-schema.ts'

const kept: Record<string, readonly string[]> = {
  array: ['minItems', 'maxItems'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}
const formats = 'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ')

/** What one conversion finds out. */
interface Strict {
  /** Set once something cannot be said in strict mode. */
  failed: boolean
  /** Recursive targets and the reference each one got. */
  readonly names: Map<unknown, string>
}

/**
 * The strict form and `strict: true`, or the plain schema and `strict: false` where strict mode cannot say it: open
 * maps, untyped values, tuples, alternatives at the root, more than the documented limits. In the strict form every
 * property is required; one that was optional takes `null`, which validation drops again. Pure.
 */
export function openAIStrictSchema(schema: JsonSchema): {
  readonly schema: JsonSchema
  readonly strict: boolean
} {
  const plain = objectRoot(schema)
  if (hasChoice(schema)) return { schema: plain, strict: false }
  const strict: Strict = { failed: false, names: new Map([[plain, '#']]) }
  const scope = scopeOf(plain, 0, true)
  const written = branchOf({ type: 'object', node: plain, inside: scope }, strict)
  const $defs: SchemaNode = {}
  // The map grows while definitions lead to further recursive ones.
  for (const [target, name] of strict.names) {
    if (target === plain) continue
    const inside = { ...scope, open: [plain, target] }
    $defs[name.slice('#/$defs/'.length)] = write(target, inside, strict)
  }
  if (Object.keys($defs).length > 0) written.$defs = $defs
  if (strict.failed || scope.count.cuts > 0 || !withinLimits(written)) {
    return { schema: plain, strict: false }
  }
  return { schema: written, strict: true }
}

function write(schema: unknown, scope: Scope, strict: Strict, optional = false): SchemaNode {
  const shape = shapeOf(schema, scope)
  if (shape.any || shape.branches.length === 0 || strict.failed) {
    strict.failed = true
    return {}
  }
  const nullable = shape.nullable || optional
  const written = new Map<string, SchemaNode>()
  for (const branch of shape.branches) {
    const node = branchOf(branch, strict)
    written.set(JSON.stringify(node), node)
  }
  const branches = [...written.values()]
  const [only] = branches
  if (only && branches.length === 1 && only.$ref === undefined)
    return nullable ? orNull(only) : only
  if (nullable) branches.push({ type: 'null' })
  const { description } = shape
  if (only && branches.length === 1) return only
  return { ...(description !== undefined && { description }), anyOf: branches }
}

function orNull(node: SchemaNode): SchemaNode {
  const type = [node.type, 'null'].flat()
  return { ...node, type, ...(Array.isArray(node.enum) && { enum: [...node.enum, null] }) }
}

function branchOf({ type, node, inside }: Branch, strict: Strict): SchemaNode {
  if (type === '$ref') return { $ref: nameOf(String(node.$ref), inside, strict) }
  const { description } = node
  const words = typeof description === 'string' && { description }
  if (Array.isArray(node.enum)) {
    const kinds = [...new Set(node.enum.map((member) => typeof member))]
    if (kinds.includes('object')) strict.failed = true
    return { type: kinds.length === 1 ? kinds[0] : kinds, ...words, enum: node.enum }
  }
  const written: SchemaNode = { type, ...words }
  for (const key of kept[type === 'integer' ? 'number' : type] ?? []) {
    if (typeof node[key] === 'number') written[key] = node[key]
  }
  if (type === 'string' && isPortable(node.pattern)) written.pattern = node.pattern
  if (type === 'string' && formats.includes(String(node.format))) written.format = node.format
  if (type === 'array') {
    // A tuple, or items of any kind.
    if (!isObject(node.items) || node.prefixItems !== undefined) strict.failed = true
    written.items = write(node.items, inside, strict)
  }
  return type === 'object' ? { ...written, ...closed(node, inside, strict) } : written
}

function nameOf(ref: string, { root }: Scope, { names }: Strict): string {
  const target = targetOf(root, ref)
  const name = names.get(target) ?? `#/$defs/recursive_${names.size}`
  names.set(target, name)
  return name
}

function closed(node: SchemaNode, inside: Scope, strict: Strict): SchemaNode {
  const { additionalProperties, unevaluatedProperties, patternProperties, properties } = node
  const shut = additionalProperties === false || unevaluatedProperties === false
  const own = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, each]) => each !== false,
  )
  const map = additionalProperties !== undefined && additionalProperties !== false
  if (map || patternProperties !== undefined || (own.length === 0 && !shut)) strict.failed = true
  const required = Array.isArray(node.required) ? node.required : []
  // A required name without a schema could not be given at all.
  if (required.some((name) => own.every(([each]) => each !== name))) strict.failed = true
  return {
    properties: Object.fromEntries(
      own.map(([name, each]) => [name, write(each, inside, strict, !required.includes(name))]),
    ),
    required: own.map(([name]) => name),
    additionalProperties: false,
  }
}
