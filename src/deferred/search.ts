/**
 * Keyword search over tools. MiniSearch is loaded with the first search, so a run that never
 * searches does not pay for it.
 * @module
 */
import { findToolsName, type RegisteredTool, type Registry } from '../tools/registry.ts'

/** All matching names, best first; equal scores in name order. */
export type Search = (query: string) => Promise<string[]>

/** A search over a registry as it is when it is first asked. */
export function createSearch(registry: Registry): Search {
  let index: Promise<(query: string) => string[]> | undefined
  return async (query) => {
    index ??= indexTools([...registry.values()].filter((each) => each.name !== findToolsName))
    return (await index)(query)
  }
}

/** Indexes names, descriptions and parameter names. */
async function indexTools(tools: readonly RegisteredTool[]): Promise<(query: string) => string[]> {
  const { default: MiniSearch } = await import('minisearch')
  const index = new MiniSearch({
    idField: 'name',
    fields: ['title', 'description', 'parameters'],
    tokenize: words,
    searchOptions: {
      boost: { title: 3, parameters: 0.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    },
  })
  index.addAll(
    tools.map(({ name, tool, inputSchema }) => ({
      name,
      title: name,
      description: tool.description ?? '',
      parameters: parameterNames(inputSchema),
    })),
  )
  return (query) =>
    index
      .search(query)
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .map((hit) => String(hit.id))
}

function parameterNames(schema: { readonly properties?: unknown }): string {
  return Object.keys(Object(schema.properties)).join(' ')
}

/** Splits identifiers (`get_userName` → get, user, name) as well as prose. */
export function words(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
