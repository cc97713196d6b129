/**
 * How schemas reach the model: what a request's tools array holds, and what the turn context says.
 * @module
 */

import type { Exposure } from '../preflight/gate.ts'
import { findToolsName, type RegisteredTool, type Registry } from '../tools/registry.ts'
import type { JsonSchema } from '../tools/tool.ts'
import { runToolDefinition } from './run-tool.ts'

/** `auto` is `full` below a number of schema tokens and `deferred` above. */
export type Mode = Exposure | 'auto'

/** A tool as a request's tools array holds it, in MCP's form. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface ExposureOptions {
  readonly mode: Mode
  /** `auto`: schema tokens up to which all schemas are sent. */
  readonly autoSchemaTokens: number
  /** Most tools that the provider takes; beyond it the rest is deferred. */
  readonly maxTools: number
}

/** Characters of JSON a token holds, about: good enough to choose a mode by. */
const charactersPerToken = 4

/** Decides the mode. `reason` is set when the wish could not be met. */
export function chooseExposure(
  registry: Registry,
  { mode, autoSchemaTokens, maxTools }: ExposureOptions,
): { exposure: Exposure; reason?: string } {
  // find_tools is registered always and listed only when it is of use.
  const count = registry.size - 1
  if (mode !== 'deferred' && count > maxTools) {
    return {
      exposure: 'deferred',
      reason: `${count} tools are more than the ${maxTools} that may be sent, so they are deferred behind find_tools and run_tool`,
    }
  }
  if (mode !== 'auto') return { exposure: mode }
  const characters = JSON.stringify(fullArray(registry)).length
  return { exposure: characters / charactersPerToken <= autoSchemaTokens ? 'full' : 'deferred' }
}

/** The request's tools array: sorted by name and the same bytes for the whole run. */
export function toolsArray(registry: Registry, exposure: Exposure): readonly ToolDefinition[] {
  if (exposure === 'full') return fullArray(registry)
  const all = [...registry.values()]
  const shown = exposure === 'stub' ? all.map(stub) : all.filter(isAlwaysShown).map(definition)
  if (exposure === 'deferred') shown.push(runToolDefinition)
  return shown.sort(byName)
}

function fullArray(registry: Registry): ToolDefinition[] {
  return [...registry.values()]
    .filter((each) => each.name !== findToolsName)
    .map(definition)
    .sort(byName)
}

function isAlwaysShown({ name, tool }: RegisteredTool): boolean {
  return name === findToolsName || tool.origin === 'client'
}

function definition({ name, tool, inputSchema }: RegisteredTool): ToolDefinition {
  return { name, description: tool.description ?? '', inputSchema }
}

const anyArguments: JsonSchema = { type: 'object', properties: {} }

function stub(registered: RegisteredTool): ToolDefinition {
  if (isAlwaysShown(registered)) return definition(registered)
  return { ...definition(registered), inputSchema: anyArguments }
}

/** By UTF-16 code unit: the same on every machine, whatever its locale. */
function byName(a: ToolDefinition, b: ToolDefinition): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** The names block of `deferred` mode; `''` in the others and when nothing is deferred. */
export function turnContext(registry: Registry, exposure: Exposure): string {
  if (exposure !== 'deferred') return ''
  const names = [...registry.values()]
    .filter((each) => !isAlwaysShown(each))
    .map((each) => each.name)
  if (names.length === 0) return ''
  return `Tools (get the schema with find_tools, then call through run_tool): ${compactNames(names)}`
}

/** Sorted names; those that share a prefix stand as `prefix{a,b}` where that is shorter. */
export function compactNames(names: readonly string[]): string {
  const groups = new Map<string, string[]>()
  for (const name of [...names].sort()) {
    const prefix = /^[\w.]*?[^_.-][_.-](?=[\w.-]+$)/.exec(name)?.[0] ?? ''
    groups.set(prefix, [...(groups.get(prefix) ?? []), name])
  }
  const pieces = [...groups].flatMap(([prefix, members]) => {
    const grouped = `${prefix}{${members.map((name) => name.slice(prefix.length)).join(',')}}`
    const plain = members.join(', ')
    return prefix !== '' && members.length > 1 && grouped.length < plain.length
      ? [grouped]
      : members
  })
  return pieces.sort().join(', ')
}
