/**
 * The registered tools as plain data, for a tools page or an API.
 * @module
 */
import { defaultCacheSeconds } from '../result-cache/policy.ts'
import type { Registry } from './registry.ts'
import type { JsonSchema } from './tool.ts'

/** One tool with what it declares about itself. */
export interface CatalogueEntry {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly origin: 'server' | 'client'
  /** The source that it came from; absent for the dispatcher's own. */
  readonly source?: string
  readonly concurrent: boolean
  readonly readOnly: boolean
  /** `sometimes`: the tool decides by its arguments. */
  readonly confirm: 'always' | 'never' | 'sometimes'
  /** Seconds an answer is cached, absent when it is not. */
  readonly cacheSeconds?: number
  readonly background: boolean
  readonly interactive: boolean
}

export function catalogueOf(registry: Registry): CatalogueEntry[] {
  return [...registry.values()]
    .map(({ name, tool, inputSchema, source }) => ({
      name,
      description: tool.description ?? '',
      inputSchema,
      origin: tool.origin ?? ('server' as const),
      ...(source !== undefined && { source }),
      concurrent: tool.concurrent === true,
      readOnly: tool.readOnly === true,
      confirm: confirmOf(tool.confirm, tool.readOnly === true),
      ...(tool.cache && { cacheSeconds: tool.cache.ttl ?? defaultCacheSeconds }),
      background: tool.background === true,
      interactive: tool.interactive === true,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function confirmOf(confirm: unknown, readOnly: boolean): CatalogueEntry['confirm'] {
  if (typeof confirm === 'function') return 'sometimes'
  if (confirm === undefined) return readOnly ? 'never' : 'always'
  return confirm === false ? 'never' : 'always'
}
