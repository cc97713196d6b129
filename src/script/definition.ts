/**
 * A script tool as it is written down: what a model is told of it, and its code.
 * @module
 */
import { sha256 } from '../dedupe/call-key.ts'
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
  /** It wants `fetch`, and then a person is asked for each call, unless the host vouches for it. */
  readonly network?: boolean
  /** With the network: it changes nothing out there. Without, no script changes anything. */
  readonly readOnly?: boolean
  /** Seconds; default 60. */
  readonly timeout?: number
}

export interface LoadedScript {
  readonly definition: ScriptDefinition
  readonly code: string
  readonly schema: CompiledSchema
  /** Changes with either file. */
  readonly version: string
}

/** A definition that can be used, or what is wrong with it, one line each. */
export type ReadScript =
  | { readonly ok: true; readonly script: LoadedScript }
  | { readonly ok: false; readonly problems: readonly string[] }

const flags = ['concurrent', 'network', 'readOnly'] as const
const fields = ['name', 'description', 'parameters', 'timeout', ...flags]
const namePattern = /^[a-z][a-z0-9_]{0,47}$/
const anyObject: JsonSchema = { type: 'object' }

/** Where scripts are kept. Names are without `script_`. */
export interface Scripts {
  readonly names: () => Promise<readonly string[]>
  /** `undefined` when there is none of this name. */
  readonly read: (name: string) => Promise<ReadScript | undefined>
  /** What a write that changes the script writes, such as `file:/tools/count`; without it nothing does. */
  readonly resource?: (name: string) => string
}

/** Reads a definition and its code. Never rejects: what is wrong is somebody's input. */
export async function readScript(text: string, code: string): Promise<ReadScript> {
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
  const version = await sha256(JSON.stringify([text, code]))
  return { ok: true, script: { definition: definition as ScriptDefinition, code, schema, version } }
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
  for (const trait of flags) {
    if (given[trait] !== undefined && typeof given[trait] !== 'boolean') {
      yield `${trait} must be true or false`
    }
  }
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= 300)) {
    yield 'timeout must be seconds, more than 0 and at most 300'
  }
  for (const field of Object.keys(given)) {
    if (!(fields as string[]).includes(field))
      yield `there is no field "${field}": ${fields.join(', ')}`
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

/** Scripts in a workspace: `<folder>/<name>/tool.json` and `<folder>/<name>/script.js`; default `/tools`. */
export function workspaceScripts(workspace: Workspace, folder = '/tools'): Scripts {
  return {
    resource: (name) => `file:${folder}/${name}`,
    async names() {
      const inside = `${folder}/`
      const files = (await workspace.list(folder)).map(({ path }) => path.slice(inside.length))
      const owners = files.filter((file) => /^[^/]+\/(tool\.json|script\.js)$/.test(file))
      return [...new Set(owners.map((file) => file.slice(0, file.indexOf('/'))))].sort()
    },
    async read(name) {
      if (!namePattern.test(name)) return undefined
      const [about, script] = await Promise.all([
        workspace.read(`${folder}/${name}/tool.json`),
        workspace.read(`${folder}/${name}/script.js`),
      ])
      if (!about && !script) return undefined
      if (!about || !script) {
        const missing = about ? 'script.js' : 'tool.json'
        return { ok: false, problems: [`${folder}/${name}/${missing} is missing`] }
      }
      const read = await readScript(about.text, script.text)
      if (!read.ok || read.script.definition.name === name) return read
      return { ok: false, problems: [`name must be "${name}", as the directory is called`] }
    },
  }
}
