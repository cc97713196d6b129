/**
 * The registered tools: looked up by name, refused when two share one.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import { DispatchError, type DispatchErrorCode, isDispatchError } from '../errors.ts'
import type { Json } from '../round.ts'
import { jsonSchemaOf, standardOf } from '../schema/standard.ts'
import type { CompiledSchema, SchemaValidator } from '../schema/validator.ts'
import type { ToolSource } from './source.ts'
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

const reserved: ReadonlySet<string> = new Set([findToolsName, runToolName])

export interface RegistryOptions {
  readonly validator: SchemaValidator
  readonly grants: Grants
  /** `throw`: one error that lists every bad tool. `skip`: leave the bad ones out, each with a diagnostic. */
  readonly badTools: 'throw' | 'skip'
}

export interface Registrar {
  /** A dispatcher's own tools, as `badTools` says. */
  readonly all: (tools: readonly AnyTool[]) => {
    registry: Map<string, RegisteredTool>
    diagnostics: Diagnostic[]
  }
  /** Adds a source's tools to a registry; a bad one is a diagnostic and never takes the others down. */
  readonly add: (
    source: ToolSource,
    tools: readonly AnyTool[],
    registry: Map<string, RegisteredTool>,
    diagnostics: Diagnostic[],
  ) => void
  readonly one: (tool: AnyTool) => RegisteredTool
}

/**
 * Registers tools. What was made of a tool of a source is kept as long as the tool's object: of ten thousand
 * of which one has changed, one is prepared.
 * `all` throws `THREEPASS_BAD_TOOL`, `THREEPASS_BAD_SCHEMA` or `THREEPASS_DUPLICATE_TOOL`.
 */
export function createRegistrar(options: RegistryOptions): Registrar {
  const made = new WeakMap<AnyTool, RegisteredTool | DispatchError>()
  const remembered = (tool: AnyTool, source: ToolSource): RegisteredTool => {
    const key = Object(tool) as AnyTool
    let known = made.get(key)
    if (!known) {
      known = attempt(() => registerFrom(source, tool, options))
      made.set(key, known)
    }
    if (isDispatchError(known)) throw known
    return known
  }
  return {
    one: (tool) => registerTool(tool, options),
    all(tools) {
      const registry = new Map<string, RegisteredTool>()
      const refused: Diagnostic[] = []
      const diagnostics: Diagnostic[] = []
      for (const tool of tools) {
        register(tool, () => registerTool(tool, options), registry, diagnostics, refused)
      }
      const [first] = refused
      if (first && options.badTools === 'throw') {
        const list = refused.map((each) => each.message).join('\n')
        throw new DispatchError(first.code as DispatchErrorCode, list)
      }
      return { registry, diagnostics: [...diagnostics, ...refused] }
    },
    add(source, tools, registry, diagnostics) {
      const told: Diagnostic[] = []
      for (const tool of tools) {
        register(tool, () => remembered(tool, source), registry, told, told)
      }
      diagnostics.push(...told.map((each) => ({ ...each, source: source.name })))
    },
  }
}

function register(
  tool: AnyTool,
  make: () => RegisteredTool,
  registry: Map<string, RegisteredTool>,
  repaired: Diagnostic[],
  refused: Diagnostic[],
): void {
  const registered = attempt(() => {
    const own = make()
    if (reserved.has(own.name)) throw ownName(own.name)
    if (registry.has(own.name)) throw duplicate(own.name)
    return own
  })
  if (isDispatchError(registered)) {
    refused.push({ tool: nameOf(tool), code: registered.code, message: registered.message })
    return
  }
  registry.set(registered.name, registered)
  for (const message of registered.compiled.warnings) {
    repaired.push({ tool: registered.name, code: 'repaired-schema', message })
  }
}

function attempt(make: () => RegisteredTool): RegisteredTool | DispatchError {
  try {
    return make()
  } catch (error) {
    if (!isDispatchError(error)) throw error
    return error
  }
}

function registerFrom(
  { name: source, prefix }: ToolSource,
  tool: AnyTool,
  options: RegistryOptions,
): RegisteredTool {
  const registered = registerTool({ ...tool, trust: tool?.trust ?? 'external' }, options)
  if (registered.name.startsWith(prefix)) return { ...registered, source }
  throw bad(registered.name, `of the source "${source}" needs a name that begins with ${prefix}`)
}

/** Checks one tool and prepares its schema. */
export function registerTool(tool: AnyTool, options: RegistryOptions): RegisteredTool {
  checkShape(tool)
  const { name } = tool
  for (const grant of tool.needs ?? []) {
    if (options.grants[grant] === undefined) {
      throw bad(name, `needs the grant "${grant}": pass createDispatcher({ grants: { ${grant} } })`)
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

function nameOf(tool: unknown): string {
  const name = (tool as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : '(no name)'
}

function bad(name: string, what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_TOOL', `Tool "${name}" ${what}.`)
}

function ownName(name: string): DispatchError {
  return new DispatchError(
    'THREEPASS_DUPLICATE_TOOL',
    `"${name}" belongs to the dispatcher: rename the tool.`,
  )
}

function duplicate(name: string): DispatchError {
  return new DispatchError(
    'THREEPASS_DUPLICATE_TOOL',
    `Two tools are named "${name}": give each a name of its own.`,
  )
}

function checkShape(tool: AnyTool): void {
  const name = nameOf(tool)
  if (typeof tool !== 'object' || tool === null) throw bad(name, 'is not an object')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (typeof tool.name !== 'string' || !/^(?!\s)[^\u0000-\u001f\u007f]{1,256}(?<!\s)$/.test(name)) {
    throw bad(
      name,
      'needs a name of 1 to 256 characters without control characters or outer spaces',
    )
  }
  if (typeof tool.execute !== 'function') throw bad(name, 'needs an execute function')
  if (typeof (tool.description ?? '') !== 'string') throw bad(name, 'needs a text as description')
  checkTraits(tool, name)
}

function checkTraits(tool: AnyTool, name: string): void {
  const { timeout, cache, maxResultBytes } = tool
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw bad(name, 'has a timeout that is not a number of milliseconds above 0')
  }
  if (cache?.ttl !== undefined && !(Number.isFinite(cache.ttl) && cache.ttl >= 1)) {
    throw bad(name, 'has a cache.ttl that is not a number of seconds, 1 or more')
  }
  if (
    maxResultBytes !== undefined &&
    !(typeof maxResultBytes === 'number' && maxResultBytes >= 64)
  ) {
    throw bad(name, 'has a maxResultBytes under 64')
  }
  if (tool.readOnly && tool.writes) {
    throw bad(name, 'is readOnly and has writes: it can only be one of them')
  }
  for (const trait of ['reads', 'writes'] as const) {
    if (tool[trait] !== undefined && typeof tool[trait] !== 'function') {
      throw bad(name, `has "${trait}" that is not a function of the arguments`)
    }
  }
}
