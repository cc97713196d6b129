/**
 * Keyword search over tools. The index and its libraries are loaded with the first search.
 * @module
 */
import { findToolsName, type Registry } from '../tools/registry.ts'

/** All matching names, best first; equal scores in name order. */
export type Search = (query: string) => Promise<string[]>

/** A search over a registry as it is when it is first asked. */
export function createSearch(registry: Registry): Search {
  let index: ((query: string) => string[]) | undefined
  return async (query) => {
    // Not kept as a promise: a load that failed is tried again with the next search.
    const { indexTools } = await import('./search-index.ts')
    index ??= indexTools([...registry.values()].filter((each) => each.name !== findToolsName))
    return index(query)
  }
}
