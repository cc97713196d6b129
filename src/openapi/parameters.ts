/**
 * An operation's parameters as parameters of a definition.
 * @module
 */
import type { ApiParameter, ParameterPlace, ParameterStyle } from '../api/definition.ts'
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { Documents, Place } from './documents.ts'
import type { Needs, Schemas } from './schemas.ts'

/** What the parts of one operation share while it is read. */
export interface Reading {
  readonly documents: Documents
  readonly schemas: Schemas
  /** Gives an argument its name. */
  readonly argument: (name: string, place: string) => string
  readonly needs: Needs
  readonly parameters: Record<string, ApiParameter>
  readonly required: string[]
}

/** Headers that are said by other means: body, answer and security. */
const ownHeaders = new Set(['accept', 'content-type', 'authorization'])

/** Reads the parameters of the path and the operation; the operation's replace those of their name. */
export function readParameters(lists: readonly Place[], path: string, reading: Reading): void {
  const all = new Map<string, { given: SchemaNode; base: string }>()
  for (const { value, base } of lists) {
    for (const each of Array.isArray(value) ? value : []) {
      const place = reading.documents.follow({ value: each, base })
      if (!isObject(place.value)) continue
      all.set(`${place.value.in} ${place.value.name}`, { given: place.value, base: place.base })
    }
  }
  for (const { given, base } of all.values()) readOne(given, base, path, reading)
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    // Some documents name a part of the path and say nothing of it.
    if (!all.has(`path ${name}`)) add({ type: 'string' }, name, 'path', true, reading)
  }
}

function readOne(given: SchemaNode, base: string, path: string, reading: Reading): void {
  const { in: place, name, style, explode, required, description } = given
  if (typeof name !== 'string') throw new Error('it has a parameter without a name')
  if (place === 'header' && ownHeaders.has(name.toLowerCase())) return
  // Some documents keep parameters of a path that they have changed.
  if (place === 'path' && !path.includes(`{${name}}`)) return
  if (place === 'cookie') {
    if (required === true) throw new Error(`the parameter "${name}" is a cookie`)
    return
  }
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    throw new Error(`the parameter "${name}" is in "${String(place)}"`)
  }
  const [content] = Object.values(Object(given.content) as SchemaNode)
  const schema = content ? Object(content).schema : given.schema
  const usual = place === 'query' ? 'form' : 'simple'
  const written = content ? 'json' : ((style ?? usual) as ParameterStyle)
  const traits = {
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(written !== usual && { style: written }),
    ...(typeof explode === 'boolean' && { explode }),
  }
  const converted = reading.schemas.convert({ value: schema, base }, reading.needs)
  add({ ...converted, ...traits }, name, place, required === true, reading)
}

/** Adds a parameter under a name of its own. */
export function add(
  schema: ApiParameter,
  name: string,
  place: ParameterPlace,
  required: boolean,
  reading: Reading,
): void {
  const argument = reading.argument(name, place === 'whole_body' ? 'body' : place)
  const isRequired = required || place === 'path'
  reading.parameters[argument] = {
    ...(isRequired ? schema : withoutDefault(schema)),
    in: place,
    ...(argument !== name && place !== 'whole_body' && { name }),
  }
  if (isRequired) reading.required.push(argument)
}

/**
 * OpenAPI's default is what the server takes when nothing comes. Sent along, it would undo what stood
 * there: an update of one field would reset all the others.
 */
function withoutDefault(schema: ApiParameter): ApiParameter {
  const { default: usual, ...rest } = schema
  if (usual === undefined) return schema
  const told = `Default: ${JSON.stringify(usual)}.`
  return { ...rest, description: [rest.description, told].filter(Boolean).join(' ') }
}
