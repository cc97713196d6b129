/**
 * A script tool as it is written down: what a model is told of it, and its code.
 * @module
 */
import { isDispatchError } from '../errors.ts'
import type { Json } from '../round.ts'
import { cfworkerValidator } from '../schema/cfworker.ts'
import type { CompiledSchema } from '../schema/validator.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'

/** `tool.json`; the code stands beside it in `script.js`. */
export interface ScriptDefinition {
  /** Lower case letters, digits and `_`, from a letter, at most 48. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the input; default: any object. */
  readonly parameters?: JsonSchema
  readonly concurrent?: boolean
  readonly readOnly?: boolean
  /** Seconds; default 60. */
  readonly timeout?: number
}

export interface LoadedScript {
  readonly definition: ScriptDefinition
  readonly code: string
  readonly schema: CompiledSchema
}

/** A definition that can be used, or what is wrong with it, one line each. */
export type ReadScript =
  | { readonly ok: true; readonly script: LoadedScript }
  | { readonly ok: false; readonly problems: readonly string[] }

const fields = ['name', 'description', 'parameters', 'concurrent', 'readOnly', 'timeout']
const namePattern = /^[a-z][a-z0-9_]{0,47}$/
const anyObject: JsonSchema = { type: 'object' }

/** Finds scripts by their name without `script_`; `undefined` when there is none. */
export type ScriptSource = (name: string) => Promise<ReadScript | undefined>

/** Reads a definition and its code. Never throws: what is wrong is somebody's input. */
export function readScript(text: string, code: string): ReadScript {
  let given: Json
  try {
    given = JSON.parse(text) as Json
  } catch (error) {
    return { ok: false, problems: [`tool.json is no JSON: ${(error as Error).message}`] }
  }
  const definition = Object(given) as Partial<ScriptDefinition>
  const problems = [...shapeProblems(definition)]
  if (code.trim() === '') problems.push('script.js is empty')
  const schema = schemaOf(definition.parameters ?? anyObject)
  if (typeof schema === 'string') problems.push(schema)
  if (problems.length > 0 || typeof schema === 'string') return { ok: false, problems }
  return { ok: true, script: { definition: definition as ScriptDefinition, code, schema } }
}

function* shapeProblems(
  given: Partial<Record<keyof ScriptDefinition, unknown>>,
): Generator<string> {
  const { name, description, timeout } = given
  if (typeof name !== 'string' || !namePattern.test(name)) {
    yield 'name must be lower case letters, digits and _, from a letter, at most 48'
  }
  if (typeof description !== 'string' || description.trim() === '') {
    yield 'description must say what the tool is for'
  }
  for (const trait of ['concurrent', 'readOnly'] as const) {
    if (given[trait] !== undefined && typeof given[trait] !== 'boolean') {
      yield `${trait} must be true or false`
    }
  }
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= 300)) {
    yield 'timeout must be seconds, more than 0 and at most 300'
  }
  for (const field of Object.keys(given)) {
    if (!fields.includes(field)) yield `there is no field "${field}": ${fields.join(', ')}`
  }
}

function schemaOf(parameters: JsonSchema): CompiledSchema | string {
  try {
    if (Object(parameters).type !== 'object') return 'parameters must be a schema of type object'
    return cfworkerValidator().compile(parameters, 'external')
  } catch (error) {
    if (!isDispatchError(error)) throw error
    return `parameters: ${error.message}`
  }
}

/** Scripts in a workspace: `/tools/<name>/tool.json` and `/tools/<name>/script.js`. */
export function workspaceScripts(workspace: Workspace): ScriptSource {
  return async (name) => {
    if (!namePattern.test(name)) return undefined
    const [about, script] = await Promise.all([
      workspace.read(`/tools/${name}/tool.json`),
      workspace.read(`/tools/${name}/script.js`),
    ])
    if (!about && !script) return undefined
    if (!about || !script) {
      const missing = about ? 'script.js' : 'tool.json'
      return { ok: false, problems: [`/tools/${name}/${missing} is missing`] }
    }
    const read = readScript(about.text, script.text)
    if (!read.ok || read.script.definition.name === name) return read
    return { ok: false, problems: [`name must be "${name}", as the directory is called`] }
  }
}
