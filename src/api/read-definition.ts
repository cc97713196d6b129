/**
 * Reads a definition that somebody wrote: all that is wrong with it, or what a tool is made of.
 * @module
 */
import { isDispatchError } from '../errors.ts'
import { cfworkerValidator } from '../schema/cfworker.ts'
import { isObject } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type { ApiAuth, ApiDefinition } from './definition.ts'
import { authProblems, endpointProblems } from './read-endpoint.ts'
import { type BoundParameter, bind, parameterProblems } from './read-parameters.ts'
import { choice, unknownFields } from './read-values.ts'

/** A definition without faults. */
export interface LoadedApi {
  readonly definition: ApiDefinition
  readonly parameters: readonly BoundParameter[]
  readonly auth: readonly ApiAuth[]
  readonly inputSchema: JsonSchema
}

/** A definition that can be used, or what is wrong with it, one sentence each. */
export type ReadApi =
  | { readonly ok: true; readonly api: LoadedApi }
  | { readonly ok: false; readonly problems: readonly string[] }

const fields = [
  'name',
  'description',
  'concurrent',
  'read_only',
  'always_allow',
  'cache',
  'endpoint',
  'auth',
  'parameters',
  'required',
  '$defs',
  'rate_limit',
]
/** With `api_` in front it is at most 64 long, the most that every provider takes. */
export const longestName = 60
const namePattern = /^[a-z][a-z0-9_]*$/

/** Reads a definition, as JSON text or as a value. Never throws: what is wrong is somebody's input. */
export function readApiDefinition(given: unknown): ReadApi {
  let value = given
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given)
    } catch (error) {
      return { ok: false, problems: [`it is no JSON: ${(error as Error).message}`] }
    }
  }
  if (!isObject(value)) return { ok: false, problems: ['it must be a JSON object'] }
  const problems = [...problemsOf(value)]
  if (problems.length > 0) return { ok: false, problems }
  // A copy: nobody changes a tool from behind.
  const definition = structuredClone(value) as unknown as ApiDefinition
  const parameters = bind(definition)
  const inputSchema = schemaOf(definition, parameters)
  const wrong = schemaProblem(inputSchema)
  if (wrong) return { ok: false, problems: [wrong] }
  const auth = [definition.auth ?? []].flat()
  return { ok: true, api: { definition, parameters, auth, inputSchema } }
}

function* problemsOf(given: Readonly<Record<string, unknown>>): Generator<string> {
  const { name, description, cache, endpoint, auth, rate_limit: limit } = given
  yield* unknownFields('', given, fields)
  if (typeof name !== 'string' || name.length > longestName || !namePattern.test(name)) {
    yield `name must be lower case letters, digits and _, from a letter, at most ${longestName}`
  }
  if (typeof description !== 'string' || description.trim() === '') {
    yield 'description must say what the tool is for'
  }
  for (const trait of ['concurrent', 'read_only', 'always_allow']) {
    yield* choice(trait, given[trait], [true, false])
  }
  if (cache !== undefined && typeof cache !== 'boolean' && !(Number(cache) >= 1)) {
    yield 'cache must be true, false or the seconds that an answer is kept, at least 1'
  }
  yield* endpointProblems(endpoint)
  if (cache && Object(endpoint).method !== 'GET') yield 'cache is for the method GET alone'
  for (const each of [auth ?? []].flat()) yield* authProblems(each)
  if (limit !== undefined) yield* limitProblems(limit)
  yield* parameterProblems(given)
}

function* limitProblems(limit: unknown): Generator<string> {
  if (!isObject(limit)) return yield 'rate_limit must be an object of calls and per_seconds'
  yield* unknownFields('rate_limit.', limit, ['calls', 'per_seconds'])
  const { calls, per_seconds: seconds } = limit
  if (!(Number.isInteger(calls) && Number(calls) >= 1)) {
    yield 'rate_limit.calls must be a whole number, at least 1'
  }
  if (!(typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds))) {
    yield 'rate_limit.per_seconds must be a number above 0'
  }
}

function schemaOf({ $defs }: ApiDefinition, parameters: readonly BoundParameter[]): JsonSchema {
  const required = parameters.filter((each) => each.required).map(({ argument }) => argument)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ argument, schema }) => [argument, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...($defs && { $defs }),
  }
}

function schemaProblem(schema: JsonSchema): string | undefined {
  try {
    cfworkerValidator().compile(schema, 'external')
    return undefined
  } catch (error) {
    if (!isDispatchError(error)) throw error
    return `parameters: ${error.message}`
  }
}
