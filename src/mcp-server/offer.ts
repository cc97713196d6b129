/**
 * The tools that a client is shown, and which it may call.
 * @module
 */
import type { Tool } from '@modelcontextprotocol/server'
import { runToolDefinition } from '../deferred/run-tool.ts'
import type { Dispatcher } from '../dispatcher.ts'
import type { CatalogueEntry } from '../tools/catalogue.ts'
import { findToolsName, runToolName } from '../tools/registry.ts'
import type { JsonSchema } from '../tools/tool.ts'
import type { CheckedOptions } from './options.ts'

export interface Offer {
  readonly tools: () => Tool[]
  /** The tool that a call is of, also through run_tool; `undefined` when it is not offered. */
  readonly entryOf: (name: string, args: unknown) => CatalogueEntry | undefined
  /** True once after each change of the tools. */
  readonly hasChanged: () => boolean
}

export function createOffer({ dispatcher, expose, offers }: CheckedOptions): Offer {
  let announced = dispatcher.tools
  let known = { tools: announced, byName: byNameOf(dispatcher) }
  const current = () => {
    const { tools } = dispatcher
    if (tools !== known.tools) known = { tools, byName: byNameOf(dispatcher) }
    return known.byName
  }
  const isOffered = (entry: CatalogueEntry | undefined) =>
    entry !== undefined && (entry.name === findToolsName || offers(entry))

  return {
    tools() {
      const all = current()
      const finder = all.get(findToolsName)
      if (expose === 'deferred') return [...(finder ? [toolOf(finder)] : []), runTool]
      return [...all.values()]
        .filter((entry) => entry.name !== findToolsName && isOffered(entry))
        .map(toolOf)
    },
    entryOf(name, args) {
      const isWrapped = expose === 'deferred' && name === runToolName
      const inner = isWrapped ? String(Object(args).name).trim() : name
      const entry = current().get(inner)
      const isShown = expose === 'all' || isWrapped || inner === findToolsName
      return isShown && isOffered(entry) ? entry : undefined
    },
    hasChanged() {
      const changed = dispatcher.tools !== announced
      announced = dispatcher.tools
      return changed && expose === 'all'
    },
  }
}

function byNameOf({ catalogue }: Dispatcher): ReadonlyMap<string, CatalogueEntry> {
  return new Map(catalogue.map((entry) => [entry.name, entry]))
}

const runTool: Tool = {
  ...runToolDefinition,
  inputSchema: objectSchema(runToolDefinition.inputSchema),
}

function toolOf({ name, description, inputSchema, readOnly }: CatalogueEntry): Tool {
  return {
    name,
    description,
    inputSchema: objectSchema(inputSchema),
    annotations: { readOnlyHint: readOnly },
  }
}

/** The protocol wants the type in words. */
function objectSchema(schema: JsonSchema): Tool['inputSchema'] {
  return { ...schema, type: 'object' } as Tool['inputSchema']
}
