/**
 * Reads a definition's parameters: what a model gives, and where each of them goes.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type {
  ApiDefinition,
  ApiParameter,
  ParameterPlace,
  ParameterStyle,
  ParameterTraits,
} from './definition.ts'
import { placeholdersIn } from './read-endpoint.ts'
import { choice, isHeaderName } from './read-values.ts'

/** A parameter with all its defaults. */
export interface BoundParameter {
  /** The name that the model knows. */
  readonly argument: string
  /** The name that the API knows. */
  readonly name: string
  readonly in: ParameterPlace
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly file: boolean
  readonly required: boolean
  /** Sent when the model gives nothing. */
  readonly fallback?: unknown
  readonly schema: JsonSchema
}

const stylesOf: Record<ParameterPlace, readonly ParameterStyle[]> = {
  path: ['simple', 'label', 'matrix', 'json'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  header: ['simple', 'json'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  whole_body: ['json'],
}
const places = Object.keys(stylesOf) as ParameterPlace[]
/** What every provider takes as the name of an argument. */
export const argumentPattern: RegExp = /^[a-zA-Z0-9_.-]{1,64}$/

export function bind({
  endpoint,
  parameters = {},
  required = [],
}: ApiDefinition): BoundParameter[] {
  const inUrl = placeholdersIn(endpoint.url)
  return Object.entries(parameters).map(([argument, given]) => {
    const { in: chosen, name = argument, style, explode, file = false, ...rest } = given
    const place = chosen ?? placeOf(name, inUrl, endpoint.method)
    const written = style ?? usualStyle(place, endpoint.content_type)
    const must = given.required === true || required.includes(argument)
    return {
      argument,
      name,
      in: place,
      style: written,
      explode: explode ?? (written === 'form' || written === 'deepObject'),
      file,
      required: must && given.default === undefined,
      ...(given.default !== undefined && { fallback: given.default }),
      schema: schemaOf(rest),
    }
  })
}

function placeOf(name: string, inUrl: readonly string[], method: string): ParameterPlace {
  if (inUrl.includes(name)) return 'path'
  return method === 'GET' || method === 'HEAD' ? 'query' : 'body'
}

function usualStyle(place: ParameterPlace, contentType = 'json'): ParameterStyle {
  if (place === 'path' || place === 'header') return 'simple'
  if (place === 'query' || contentType === 'form') return 'form'
  return 'json'
}

/** Without the mark that it must be given, which is no schema's. */
function schemaOf(rest: JsonSchema): JsonSchema {
  const { required, ...schema } = rest
  return Array.isArray(required) ? rest : schema
}

export function* parameterProblems(given: Readonly<SchemaNode>): Generator<string> {
  const { parameters = {}, required = [], $defs = {}, endpoint } = given
  const isMap = (value: unknown) => isObject(value) && Object.values(value).every(isObject)
  if (!isMap($defs)) yield '$defs must be an object of JSON Schemas'
  if (!isMap(parameters)) return yield 'parameters must be an object of JSON Schemas'
  const all = Object.entries(parameters as Record<string, ApiParameter>)
  for (const [argument, parameter] of all) yield* shapeProblems(argument, parameter)
  const names = all.map(([argument]) => argument)
  if (!Array.isArray(required) || required.some((name) => !names.includes(name))) {
    yield 'required must be a list of parameters'
  }
  yield* placeProblems(all, Object(endpoint))
}

function* shapeProblems(argument: string, parameter: ApiParameter): Generator<string> {
  const at = `parameters.${argument}`
  if (!argumentPattern.test(argument)) {
    yield `${at} must be called by letters, digits, _, . and -, at most 64: say by its field "name" what the API calls it`
  }
  for (const trait of ['explode', 'file'] as const) {
    yield* choice(`${at}.${trait}`, parameter[trait], [true, false])
  }
  yield* choice(`${at}.in`, parameter.in, places)
  const { name, required } = parameter
  if (name !== undefined && typeof name !== 'string') yield `${at}.name must be a text`
  if (required !== undefined && typeof required !== 'boolean' && !Array.isArray(required)) {
    yield `${at}.required must be true or false`
  }
}

function* placeProblems(
  all: readonly (readonly [string, ApiParameter])[],
  endpoint: Readonly<SchemaNode>,
): Generator<string> {
  const { url, method, content_type: type = 'json' } = endpoint
  const inUrl = placeholdersIn(url)
  const placed = all.map(([argument, traits]) => {
    const name = traits.name ?? argument
    return {
      at: `parameters.${argument}`,
      name,
      traits,
      place: traits.in ?? placeOf(name, inUrl, String(method)),
    }
  })
  for (const { at, name, traits, place } of placed) {
    if (!places.includes(place)) continue
    if (place === 'path' && !inUrl.includes(name))
      yield `${at} is in the path, but endpoint.url has no {${name}}`
    if (place === 'header' && !isHeaderName(name)) yield `${at}: "${name}" can be no header's name`
    if (/body/.test(place) && /^(GET|HEAD)$/.test(String(method)))
      yield `${at} is in the body, and ${method} has none`
    yield* choice(`${at}.style`, traits.style, stylesOf[place])
    yield* fileProblems(at, traits, place, String(type))
  }
  for (const name of inUrl) {
    if (!placed.some((each) => each.name === name && each.place === 'path')) {
      yield `endpoint.url has {${name}}, but there is no such parameter`
    }
  }
  const whole = placed.filter(({ place }) => place === 'whole_body')
  const inBody = placed.filter(({ place }) => place === 'body')
  if (whole.length > 1 || (whole.length > 0 && inBody.length > 0)) {
    yield 'a parameter in whole_body can have none in the body beside it'
  }
  if (type === 'raw' && inBody.length > 0) yield 'a raw body is one parameter in whole_body'
}

function* fileProblems(
  at: string,
  { file }: ParameterTraits,
  place: ParameterPlace,
  type: string,
): Generator<string> {
  const fits =
    (place === 'body' && type === 'multipart') || (place === 'whole_body' && type === 'raw')
  if (file === true && !fits) yield `${at}.file is for multipart fields and raw bodies alone`
}
