/**
 * The find_tools tool: the model searches for tools and is shown the schemas of the best.
 * @module
 */
import { nearestNames } from '../preflight/exists.ts'
import type { Json, JsonObject } from '../round.ts'
import { findToolsName, type RegisteredTool, type Registry } from '../tools/registry.ts'
import type { Tool } from '../tools/tool.ts'
import type { Search } from './search.ts'

const defaultLimit = 10
const mostListed = 50
const longestLine = 120
/** Characters of a query that are looked at: what a tool should do fits well within. */
const longestQuery = 2_000

const inputSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'What the tool should do, in a few words, or select:name_a,name_b for exactly these tools.',
    },
    mode: {
      type: 'string',
      enum: ['search', 'list'],
      description: 'search (default with a query) or list: names with one line each, paged.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: mostListed,
      description: 'Most tools to return, default 10.',
    },
    offset: { type: 'integer', minimum: 0, description: 'list: tools to skip, default 0.' },
  },
  additionalProperties: false,
} as const

/** One tool found. With `inputSchema` it is loaded: the model may call it. */
interface Found {
  readonly name: string
  readonly description: string
  readonly inputSchema?: JsonObject
}

interface Answer {
  readonly tools: readonly Found[]
  readonly total: number
  readonly nextOffset?: number
  readonly missing?: Json
}

export interface FindToolsParts {
  readonly registry: () => Registry
  readonly search: Search
  readonly schemasPerSearch: number
  /** Sources whose tools may be missing, one line each. */
  readonly notReady: () => readonly string[]
}

/** Makes find_tools; what it finds in is looked up when it runs. */
export function findToolsTool(parts: FindToolsParts): Tool {
  const { search, schemasPerSearch } = parts
  return {
    name: findToolsName,
    description:
      'Finds tools by what they do and returns their schemas. Call it before run_tool: a tool whose schema was not fetched does not run.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    // A model that asks again has lost the schema: give it again, never "you had it already".
    dedupe: false,
    reads: () => [],
    maxResultBytes: 1_048_576,
    async execute(args) {
      const found = await answer(args)
      const notReady = parts.notReady()
      return { ...found, ...(notReady.length > 0 && { not_ready: notReady }) }
    },
  }

  async function answer(args: JsonObject): Promise<Answer> {
    const query = typeof args.query === 'string' ? args.query.trim().slice(0, longestQuery) : ''
    const limit = typeof args.limit === 'number' ? args.limit : defaultLimit
    const registry = parts.registry()
    if (query.startsWith('select:')) return select(query.slice('select:'.length), registry)
    if (args.mode === 'list' || query === '') {
      const offset = typeof args.offset === 'number' ? args.offset : 0
      return list(othersIn(registry), offset, args.limit ? limit : mostListed)
    }
    const names = await search(query)
    const shown = names.slice(0, limit)
    return {
      tools: shown.map((name, rank) => found(registry, name, rank < schemasPerSearch)),
      total: names.length,
    }
  }
}

function othersIn(registry: Registry): RegisteredTool[] {
  return [...registry.values()].filter((each) => each.name !== findToolsName)
}

/** The names whose schema a find_tools answer shows. */
export function shownBy(value: Json | undefined): string[] {
  const tools = (value as { tools?: readonly Found[] } | undefined)?.tools ?? []
  return tools.flatMap((each) => (each.inputSchema ? [each.name] : []))
}

function found(registry: Registry, name: string, withSchema: boolean): Found {
  const registered = registry.get(name)
  const description = registered?.tool.description ?? ''
  if (!withSchema || !registered) return { name, description: oneLine(description) }
  return { name, description, inputSchema: registered.inputSchema as JsonObject }
}

function select(wanted: string, registry: Registry): Answer {
  const names = [...new Set(wanted.split(',').map((name) => name.trim()))]
    .filter(Boolean)
    .slice(0, mostListed)
  const tools = names.filter((name) => registry.has(name) && name !== findToolsName)
  const missing = names
    .filter((name) => !registry.has(name))
    .map((name) => ({ name, nearest: nearestNames(name, registry.keys()) }))
  return {
    tools: tools.map((name) => found(registry, name, true)),
    total: tools.length,
    ...(missing.length > 0 && { missing }),
  }
}

function list(all: readonly RegisteredTool[], offset: number, limit: number): Answer {
  const sorted = [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
  const page = sorted.slice(offset, offset + limit)
  const next = offset + page.length
  return {
    tools: page.map(({ name, tool }) => ({ name, description: oneLine(tool.description ?? '') })),
    total: sorted.length,
    ...(next < sorted.length && { nextOffset: next }),
  }
}

function oneLine(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? ''
  return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line
}
