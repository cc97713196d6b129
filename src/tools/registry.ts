/**
 * A registered tool: checked, its schema prepared.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import { DispatchError, type DispatchErrorCode, isDispatchError } from '../errors.ts'
import type { Json } from '../round.ts'
import { jsonSchemaOf, standardOf } from '../schema/standard.ts'
import type { CompiledSchema, SchemaValidator } from '../schema/validator.ts'
import type { AnyTool, Grants, JsonSchema, StandardSchema } from './tool.ts'

/** A tool that is ready to be called. */
export interface RegisteredTool {
  readonly name: string
  readonly tool: AnyTool
  /** The author's schema, as plain JSON Schema: what the model is shown. */
  readonly inputSchema: JsonSchema
  readonly compiled: CompiledSchema
  /** The source that it came from; absent for the dispatcher's own. */
  readonly source?: string
  /** The Standard Schema, when the tool was given one: its own checks run after the JSON Schema's. */
  readonly standard?: StandardSchema
  /** Names whose schema a result of this tool shows to the model (`find_tools`). */
  readonly shows?: (value: Json | undefined) => readonly string[]
  /** Hash of what the model and the person are told about the tool; made on first use, once. */
  readonly fingerprint: () => Promise<string>
}

/** Something a registration changed or refused. */
export interface Diagnostic {
  readonly tool: string
  /** The source that it came from; absent for the dispatcher's own. */
  readonly source?: string
  readonly code: DispatchErrorCode | 'repaired-schema' | 'deferred-for-size'
  readonly message: string
}

export type Registry = ReadonlyMap<string, RegisteredTool>

/** Names that belong to the dispatcher. */
export const findToolsName = 'find_tools'
export const runToolName = 'run_tool'

export interface RegistryOptions {
  readonly validator: SchemaValidator
  readonly grants: Grants
}

/** Checks one tool and prepares its schema. */
export function registerTool(tool: AnyTool, options: RegistryOptions): RegisteredTool {
  checkShape(tool)
  const { name } = tool
  for (const grant of tool.needs ?? []) {
    if (options.grants[grant] === undefined) {
      throw badTool(
        name,
        `needs the grant "${grant}": pass createDispatcher({ grants: { ${grant} } })`,
      )
    }
  }
  const inputSchema = jsonSchemaOf(name, tool.inputSchema)
  const trust = tool.trust ?? (tool.origin === 'client' ? 'external' : 'author')
  const standard = standardOf(tool.inputSchema)
  let fingerprint: Promise<string> | undefined
  return {
    name,
    tool,
    inputSchema,
    compiled: compile(name, inputSchema, trust, options.validator),
    ...(standard && { standard }),
    fingerprint: () => {
      fingerprint ??= fingerprintOf(tool, inputSchema)
      return fingerprint
    },
  }
}

function compile(
  name: string,
  schema: JsonSchema,
  trust: 'author' | 'external',
  validator: SchemaValidator,
): CompiledSchema {
  try {
    return validator.compile(schema, trust)
  } catch (error) {
    if (!isDispatchError(error)) throw error
    throw new DispatchError(error.code, `Tool "${name}": ${error.message}`, { cause: error })
  }
}

async function fingerprintOf(tool: AnyTool, inputSchema: JsonSchema): Promise<string> {
  const told = {
    name: tool.name,
    description: tool.description,
    version: tool.version ?? '',
    inputSchema,
  }
  return (await sha256(canonicalJson(JSON.parse(JSON.stringify(told))))).slice(0, 32)
}

export function nameOf(tool: unknown): string {
  try {
    const name = (tool as { name?: unknown } | null | undefined)?.name
    return typeof name === 'string' ? name : '(no name)'
  } catch {
    return '(no name)'
  }
}

export function badTool(name: string, what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_TOOL', `Tool "${name}" ${what}.`)
}

function checkShape(tool: AnyTool): void {
  const name = nameOf(tool)
  if (typeof tool !== 'object' || tool === null) throw badTool(name, 'is not an object')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (typeof tool.name !== 'string' || !/^(?!\s)[^\u0000-\u001f\u007f]{1,256}(?<!\s)$/.test(name)) {
    throw badTool(
      name,
      'needs a name of 1 to 256 characters without control characters or outer spaces',
    )
  }
  if (typeof tool.execute !== 'function') throw badTool(name, 'needs an execute function')
  if (typeof (tool.description ?? '') !== 'string')
    throw badTool(name, 'needs a text as description')
  checkTraits(tool, name)
}

function checkTraits(tool: AnyTool, name: string): void {
  const { timeout, cache, maxResultBytes } = tool
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw badTool(name, 'has a timeout that is not a number of milliseconds above 0')
  }
  if (cache?.ttl !== undefined && !(Number.isFinite(cache.ttl) && cache.ttl >= 1)) {
    throw badTool(name, 'has a cache.ttl that is not a number of seconds, 1 or more')
  }
  if (
    maxResultBytes !== undefined &&
    !(typeof maxResultBytes === 'number' && maxResultBytes >= 64)
  ) {
    throw badTool(name, 'has a maxResultBytes under 64')
  }
  if (tool.readOnly && tool.writes) {
    throw badTool(name, 'is readOnly and has writes: it can only be one of them')
  }
  for (const trait of ['reads', 'writes'] as const) {
    if (tool[trait] !== undefined && typeof tool[trait] !== 'function') {
      throw badTool(name, `has "${trait}" that is not a function of the arguments`)
    }
  }
}
