/**
 * Keyword search over tools. The index and its libraries are loaded with the first search.
 * @module
 */
import { findToolsName, type Registry } from '../tools/registry.ts'
import type { ToolIndex } from './search-index.ts'

/** All matching names, best first; equal scores in name order. */
export type Search = (query: string) => Promise<string[]>

/** A search over the registry as it is when it is asked. */
export function createSearch(registry: () => Registry): Search {
  let index: ToolIndex | undefined
  let indexed: Registry | undefined
  return async (query) => {
    // Not kept as a promise: a load that failed is tried again with the next search.
    const { createToolIndex } = await import('./search-index.ts')
    index ??= createToolIndex()
    const now = registry()
    if (now !== indexed) {
      index.update([...now.values()].filter((each) => each.name !== findToolsName))
      indexed = now
    }
    return index.search(query)
  }
}
