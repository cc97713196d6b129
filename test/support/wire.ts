/** What a provider's model would send for arguments, given the wire form of the schema. */
import { Validator } from '@cfworker/json-schema'
import type { Json, JsonObject } from '../../src/round.ts'
import { isObject } from '../../src/schema/pointer.ts'

/** The keywords of every subschema, each with its place; property names are no keywords. */
export function schemasIn(node: unknown, path = ''): { path: string; node: JsonObject }[] {
  if (!isObject(node)) return []
  const found = [{ path, node: node as JsonObject }]
  for (const key of ['properties', '$defs']) {
    for (const [name, member] of Object.entries(isObject(node[key]) ? node[key] : {})) {
      found.push(...schemasIn(member, `${path}/${key}/${name}`))
    }
  }
  for (const [index, member] of (Array.isArray(node.anyOf) ? node.anyOf : []).entries()) {
    found.push(...schemasIn(member, `${path}/anyOf/${index}`))
  }
  return [...found, ...schemasIn(node.items, `${path}/items`)]
}

/** OpenAPI's `nullable` in JSON Schema's words. */
export function withoutNullable(node: unknown): Json {
  if (Array.isArray(node)) return node.map(withoutNullable)
  if (!isObject(node)) return node as Json
  const { nullable, ...rest } = node
  const entries = Object.entries(rest).map(([key, value]) => [key, withoutNullable(value)])
  const plain = Object.fromEntries(entries) as JsonObject
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain
}

export function accepts(schema: unknown, value: unknown): boolean {
  return new Validator(schema as object, '2020-12').validate(value).valid
}

/** The arguments as strict mode sends them: `null` for what is left out. The first alternative that fits is taken. */
export function asStrict(value: Json, schema: unknown, root: unknown = schema): Json {
  if (!isObject(schema)) return value
  if (Array.isArray(schema.anyOf)) {
    for (const part of schema.anyOf) {
      const sent = asStrict(value, part, root)
      if (accepts({ ...(root as object), ...part, $defs: (root as JsonObject).$defs }, sent))
        return sent
    }
    return value
  }
  if (Array.isArray(value)) return value.map((item) => asStrict(item, schema.items, root))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const sent: JsonObject = { ...(value as JsonObject) }
  for (const [name, property] of Object.entries(schema.properties)) {
    sent[name] = Object.hasOwn(sent, name) ? asStrict(sent[name] as Json, property, root) : null
  }
  return sent
}

/** The arguments as Gemini sends them: texts where an enum is made of texts. */
export function asGemini(value: Json, schema: unknown): Json {
  if (!isObject(schema)) return value
  if (Array.isArray(schema.enum)) {
    return schema.enum.includes(String(value)) ? String(value) : value
  }
  if (Array.isArray(schema.anyOf)) {
    for (const part of schema.anyOf) {
      const sent = asGemini(value, part)
      if (accepts(withoutNullable(part), sent)) return sent
    }
    return value
  }
  if (Array.isArray(value)) return value.map((item) => asGemini(item, schema.items))
  if (!isObject(value) || !isObject(schema.properties)) return value
  const { properties } = schema
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? asGemini(member, properties[name]) : member,
    ]),
  )
}
