/**
 * Arguments are one object, and providers want the schema to say so at its root.
 *
 * OpenAI and Anthropic refuse `oneOf`, `anyOf`, `allOf`, `enum` or `not` at the top level of a tool's parameters
 * (their API errors say so); Gemini wants `OBJECT` there.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import { scopeOf } from './flat-schema.ts'
import { shapeOf } from './wire-schema.ts'

const choosing = ['anyOf', 'oneOf', 'not', 'enum', 'const', 'if', 'then', 'else']
const composing = ['$ref', 'allOf', ...choosing]

/** True when the root offers alternatives, which one object can only widen. */
export function hasChoice(schema: SchemaNode): boolean {
  return choosing.some((key) => schema[key] !== undefined)
}

/** The schema itself when its root is a plain object; else one object that takes all that any alternative takes. */
export function objectRoot(schema: SchemaNode): SchemaNode {
  if (composing.every((key) => schema[key] === undefined)) {
    return schema.type === 'object' ? schema : { ...schema, type: 'object' }
  }
  const { branches, description } = shapeOf(schema, scopeOf(schema, 0))
  const objects = branches.flatMap(({ type, node }) => (type === 'object' ? [node] : []))
  const { $defs, definitions } = schema
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...united(objects),
    // References further inside still lead there.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

function united(objects: readonly SchemaNode[]): SchemaNode {
  const properties = new Map<string, unknown[]>()
  for (const { properties: own } of objects) {
    for (const [name, property] of Object.entries(isObject(own) ? own : {})) {
      const same = properties.get(name) ?? []
      const text = JSON.stringify(property)
      if (same.every((each) => JSON.stringify(each) !== text)) same.push(property)
      properties.set(name, same)
    }
  }
  const [first, ...others] = objects.map(({ required }) =>
    Array.isArray(required) ? required : [],
  )
  const required = (first ?? []).filter((name) => others.every((list) => list.includes(name)))
  const { additionalProperties } =
    objects.find((each) => each.additionalProperties !== false) ?? objects[0] ?? {}
  return {
    properties: Object.fromEntries(
      [...properties].map(([name, same]) => [name, same.length === 1 ? same[0] : { anyOf: same }]),
    ),
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
}
