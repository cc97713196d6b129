/**
 * An operation's request body as parameters of a definition: its fields, or the whole of it.
 * @module
 */
import type { ApiEndpoint, ApiParameter } from '../api/definition.ts'
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type { Place } from './documents.ts'
import { add, type Reading } from './parameters.ts'

type BodyType = NonNullable<ApiEndpoint['content_type']>

/** How the definition's endpoint sends the body. */
export type BodyTraits = Pick<ApiEndpoint, 'content_type' | 'headers'>

/** Media types in the order of choice. */
const kinds: readonly (readonly [RegExp, BodyType])[] = [
  [/^application\/json\s*(;|$)/i, 'json'],
  [/^application\/merge-patch\+json\s*(;|$)/i, 'json'],
  [/[/+]json\b/i, 'json'],
  [/^application\/x-www-form-urlencoded\b/i, 'form'],
  [/^multipart\/form-data\b/i, 'multipart'],
  // What takes anything takes JSON.
  [/^\*\/\*/, 'json'],
  [/./, 'raw'],
]

/** Reads the body into parameters. */
export function readBodyInto(given: Place, reading: Reading): BodyTraits {
  const { value: body, base } = reading.documents.follow(given)
  if (!isObject(body)) return {}
  const content = Object(body.content) as SchemaNode
  const [media, type] = chosen(Object.keys(content))
  if (media === undefined) return {}
  const { schema, encoding } = Object(content[media]) as SchemaNode
  const required = body.required === true
  const place = reading.documents.follow({ value: schema, base })
  const traits: BodyTraits = {
    ...(type !== 'json' && { content_type: type }),
    ...(!/^(application\/json|\*\/\*|multipart\/form-data)$/i.test(media) &&
      type !== 'form' && { headers: { 'content-type': media } }),
  }
  if (type === 'raw') {
    addRaw(media, place, text(body.description), required, reading)
    return traits
  }
  const fields = required || type !== 'json' ? fieldsOf(place, reading) : undefined
  if (fields) addFields(fields, type, Object(encoding), required, reading)
  else addWhole(place, text(body.description), required, reading)
  return traits
}

function chosen(medias: readonly string[]): [string | undefined, BodyType] {
  for (const [pattern, type] of kinds) {
    const media = medias.find((each) => pattern.test(each))
    if (media !== undefined) return [media, type]
  }
  return [undefined, 'json']
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function addWhole(place: Place, description: string, required: boolean, reading: Reading): void {
  const schema = reading.schemas.convert(place, reading.needs)
  const told = description || text(schema.description)
  const whole = { ...schema, ...(told && { description: told }) }
  add(whole, 'body', 'whole_body', required, reading)
}

function addRaw(
  media: string,
  { value }: Place,
  description: string,
  required: boolean,
  reading: Reading,
): void {
  const file = isBinary(value) || !/^text\/|xml|yaml|csv|html|graphql/i.test(media)
  const what = file ? `Path of a file of the workspace (${media}).` : `Text (${media}).`
  const whole: ApiParameter = {
    type: 'string',
    description: [description, what].filter(Boolean).join(' '),
    ...(file && { file }),
  }
  add(whole, 'body', 'whole_body', required, reading)
}

/** The properties of a body that is nothing but an object, those of its `allOf` among them. */
interface Fields {
  readonly properties: Map<string, Place>
  readonly required: ReadonlySet<string>
}

const plainKeywords =
  /^(type|properties|required|title|description|example|examples|xml|externalDocs|deprecated|allOf|x-.*|additionalProperties|nullable|default|discriminator)$/

function fieldsOf(place: Place, reading: Reading): Fields | undefined {
  const properties = new Map<string, Place>()
  const required = new Set<string>()
  const collect = ({ value, base }: Place, depth: number): boolean => {
    if (!isObject(value) || depth > 8) return false
    const { type, additionalProperties: others, allOf } = value
    if (!Object.keys(value).every((key) => plainKeywords.test(key))) return false
    if (type !== undefined && type !== 'object') return false
    // Fields without a name need an object to stand in.
    if (others !== undefined && others !== false && others !== true) return false
    for (const each of Array.isArray(allOf) ? allOf : []) {
      if (!collect(reading.documents.follow({ value: each, base }), depth + 1)) return false
    }
    for (const [name, property] of Object.entries(Object(value.properties))) {
      properties.set(name, { value: property, base })
    }
    for (const name of Array.isArray(value.required) ? value.required : []) required.add(name)
    return true
  }
  return collect(place, 0) && properties.size > 0 ? { properties, required } : undefined
}

function addFields(
  { properties, required }: Fields,
  type: BodyType,
  encoding: SchemaNode,
  isRequired: boolean,
  reading: Reading,
): void {
  for (const [name, place] of properties) {
    const { value } = reading.documents.follow(place)
    if (Object(place.value).readOnly === true || Object(value).readOnly === true) continue
    const schema = reading.schemas.convert(place, reading.needs)
    const description = text(Object(place.value).description)
    const told = { ...schema, ...(description && { description }) }
    const must = isRequired && required.has(name)
    const field = type === 'multipart' && isFile(value, place, reading) ? fileField(told) : told
    const style = type === 'form' ? formStyle(schema, value, Object(encoding[name])) : {}
    add({ ...field, ...style }, name, 'body', must, reading)
  }
}

function isBinary(schema: unknown): boolean {
  const { format, type, contentMediaType: media, contentEncoding: encoding } = Object(schema)
  return format === 'binary' || type === 'file' || (media !== undefined && encoding === undefined)
}

function isFile(value: unknown, { base }: Place, { documents }: Reading): boolean {
  if (isBinary(value)) return true
  const { items } = Object(value)
  return items !== undefined && isBinary(documents.follow({ value: items, base }).value)
}

function fileField({ description, type }: JsonSchema): ApiParameter {
  const path = { type: 'string' }
  const what = 'Path of a file of the workspace.'
  return {
    ...(type === 'array' ? { type, items: path } : path),
    description: [description, what].filter(Boolean).join(' '),
    file: true,
  }
}

/** Objects without a style go as JSON: any other way loses the name of the field. */
function formStyle(
  schema: JsonSchema,
  value: unknown,
  { style, explode, contentType }: { style?: unknown; explode?: unknown; contentType?: unknown },
): Pick<ApiParameter, 'style' | 'explode'> {
  const { type, properties } = Object(value)
  const isJson = /json/i.test(String(contentType))
  const isStructure = type === 'object' || properties !== undefined || schema.type === 'object'
  if (isJson || (isStructure && style === undefined && explode === undefined)) {
    return { style: 'json' }
  }
  return {
    ...(typeof style === 'string' && { style: style as 'form' }),
    ...(typeof explode === 'boolean' && { explode }),
  }
}
