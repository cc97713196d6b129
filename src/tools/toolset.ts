/**
 * The tools of a dispatcher as they stand: its own, and those of its sources, which change. A change makes
 * another set at once; nobody sees a set in which a tool is missing.
 * @module
 */
import {
  chooseExposure,
  type ExposureOptions,
  type ToolDefinition,
  toolsArray,
  turnContext,
} from '../deferred/exposure.ts'
import { findToolsTool, shownBy } from '../deferred/find-tools.ts'
import { createSearch, type Search } from '../deferred/search.ts'
import { errorText } from '../execute/render-result.ts'
import type { Exposure } from '../preflight/gate.ts'
import { createRegistrar, type RegistrarOptions } from './registrar.ts'
import { type Diagnostic, findToolsName, type RegisteredTool, type Registry } from './registry.ts'
import { healthOf, type ToolSource } from './source.ts'
import type { AnyTool } from './tool.ts'

export interface Toolset {
  readonly registry: Registry
  readonly diagnostics: readonly Diagnostic[]
  /** The mode in force, `auto` decided. */
  readonly exposure: Exposure
  /** The request's tools array. */
  readonly tools: readonly ToolDefinition[]
  readonly turnContext: string
}

export interface Toolsets {
  /** The set as it is now: the same object until a source has changed. */
  readonly current: () => Toolset
  /** Ranks the tools of the current set. */
  readonly search: Search
}

export interface ToolsetOptions extends RegistrarOptions, ExposureOptions {
  readonly tools: readonly AnyTool[]
  readonly sources: readonly ToolSource[]
  readonly schemasPerSearch: number
}

/** Throws as registration does, for the dispatcher's own tools; a source's bad ones are diagnostics. */
export function createToolsets(options: ToolsetOptions): Toolsets {
  const { sources, schemasPerSearch } = options
  const registrar = createRegistrar(options)
  const own = registrar.all(options.tools)
  const finder = registrar.one(
    findToolsTool({
      registry: () => current().registry,
      search: (query) => search(query),
      schemasPerSearch,
      notReady: () => notReady(sources),
    }),
  )
  const withFinder: RegisteredTool = { ...finder, shows: shownBy }

  const make = (given: readonly Given[]): Toolset => {
    const registry = new Map(own.registry)
    const diagnostics = [...own.diagnostics]
    for (const [at, source] of sources.entries()) {
      const tools = given[at] ?? []
      if (typeof tools === 'string') {
        const code = 'THREEPASS_BAD_TOOL'
        diagnostics.push({ tool: '*', source: source.name, code, message: tools })
      } else registrar.add(source, tools, { registry, diagnostics })
    }
    registry.set(findToolsName, withFinder)
    const { exposure, reason } = chooseExposure(registry, options)
    if (reason) diagnostics.push({ tool: '*', code: 'deferred-for-size', message: reason })
    return {
      registry,
      diagnostics,
      exposure,
      tools: toolsArray(registry, exposure),
      turnContext: turnContext(registry, exposure),
    }
  }

  let seen = sources.map(toolsOf)
  let made = make(seen)
  const current = () => {
    const given = sources.map(toolsOf)
    if (given.some((tools, at) => tools !== seen[at])) {
      made = make(given)
      seen = given
    }
    return made
  }
  const search = createSearch(() => current().registry)
  return { current, search }
}

/** A source's tools, or why it has none. */
type Given = readonly AnyTool[] | string

function toolsOf(source: ToolSource): Given {
  try {
    const tools = source.tools()
    return Array.isArray(tools) ? tools : `The source "${source.name}" gave no list of tools.`
  } catch (error) {
    return `The source "${source.name}" failed: ${errorText(error)}.`
  }
}

/** What a search could not look at, one line each. */
function notReady(sources: readonly ToolSource[]): string[] {
  return sources.flatMap((source) => {
    const { status, message } = healthOf(source)
    if (status === 'ready') return []
    return `${source.prefix}*: ${status}${message ? ` (${message})` : ''}`
  })
}
