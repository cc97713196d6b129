/**
 * Registers tools: a dispatcher's own, which are all right or stop it, and those of its sources, which are
 * taken as far as they can be.
 * @module
 */
import { DispatchError, type DispatchErrorCode, isDispatchError } from '../errors.ts'
import { errorText } from '../execute/render-result.ts'
import {
  badTool,
  type Diagnostic,
  findToolsName,
  nameOf,
  type RegisteredTool,
  type RegistryOptions,
  registerTool,
  runToolName,
} from './registry.ts'
import type { ToolSource } from './source.ts'
import type { AnyTool } from './tool.ts'

export interface RegistrarOptions extends RegistryOptions {
  /** `throw`: one error that lists every bad tool. `skip`: leave the bad ones out, each with a diagnostic. */
  readonly badTools: 'throw' | 'skip'
}

export interface Registered {
  readonly registry: Map<string, RegisteredTool>
  readonly diagnostics: Diagnostic[]
}

export interface Registrar {
  readonly one: (tool: AnyTool) => RegisteredTool
  /** A dispatcher's own tools, as `badTools` says. */
  readonly all: (tools: readonly AnyTool[]) => Registered
  /** Adds a source's tools; a bad one is a diagnostic and never takes the others down. */
  readonly add: (source: ToolSource, tools: readonly AnyTool[], to: Registered) => void
}

/**
 * What was made of a tool of a source is kept as long as the tool's object: of ten thousand of which one has
 * changed, one is prepared. `all` throws `THREEPASS_BAD_TOOL`, `THREEPASS_BAD_SCHEMA` or
 * `THREEPASS_DUPLICATE_TOOL`.
 */
export function createRegistrar(options: RegistrarOptions): Registrar {
  const made = new WeakMap<ToolSource, WeakMap<AnyTool, RegisteredTool | DispatchError>>()
  const remembered = (source: ToolSource, tool: AnyTool): RegisteredTool => {
    const own = made.get(source) ?? new WeakMap()
    made.set(source, own)
    // What is no object at all is bad each time anew.
    const key = Object(tool) as AnyTool
    const known = own.get(key) ?? attempt(() => registerFrom(source, tool, options))
    own.set(key, known)
    if (isDispatchError(known)) throw known
    return known
  }
  return {
    one: (tool) => registerTool(tool, options),
    all(tools) {
      const registry = new Map<string, RegisteredTool>()
      const refused: Diagnostic[] = []
      const repaired: Diagnostic[] = []
      for (const tool of tools) {
        register(tool, () => registerTool(tool, options), registry, repaired, refused)
      }
      const [first] = refused
      if (first && options.badTools === 'throw') {
        const list = refused.map((each) => each.message).join('\n')
        throw new DispatchError(first.code as DispatchErrorCode, list)
      }
      return { registry, diagnostics: [...repaired, ...refused] }
    },
    add(source, tools, { registry, diagnostics }) {
      const told: Diagnostic[] = []
      for (const tool of tools) register(tool, () => remembered(source, tool), registry, told, told)
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
    if (own.name === findToolsName || own.name === runToolName) throw ownName(own.name)
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

/** Also what a definition of a stranger does when it is looked at: it may throw anything. */
function attempt(make: () => RegisteredTool): RegisteredTool | DispatchError {
  try {
    return make()
  } catch (error) {
    return isDispatchError(error) ? error : badTool('', `cannot be read: ${errorText(error)}`)
  }
}

function registerFrom(
  { name: source, prefix }: ToolSource,
  tool: AnyTool,
  options: RegistryOptions,
): RegisteredTool {
  const registered = registerTool({ ...tool, trust: tool?.trust ?? 'external' }, options)
  if (registered.name.startsWith(prefix)) return { ...registered, source }
  const what = `of the source "${source}" needs a name that begins with ${prefix}`
  throw badTool(registered.name, what)
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
