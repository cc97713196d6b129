/**
 * search_web: pages that a search service finds.
 * @module
 */
import { request } from '../net/request.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import type { SearchHit, SearchProvider, TimeRange } from './search-providers.ts'

export interface SearchWebOptions {
  /** Does the requests: a `guardedFetch`. */
  readonly fetch: typeof fetch
  /** The first one answers; a further one only when those before it fail. */
  readonly providers: readonly SearchProvider[]
  /** Milliseconds for one service; default 20,000. */
  readonly timeoutMs?: number
}

interface SearchWebArgs {
  readonly query: string
  readonly limit?: number
  readonly time_range?: TimeRange
  readonly force?: boolean
}

const maxBytes = 2_097_152

/** Makes search_web. Its value is `{ provider, web: [{ position, title, url, description? }] }`. */
export function searchWebTool({
  fetch,
  providers,
  timeoutMs = 20_000,
}: SearchWebOptions): Tool<SearchWebArgs> {
  return {
    name: 'search_web',
    description:
      'Searches the web and returns titles, addresses and short texts of the pages that were found. Read a page with fetch_page.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: () => [],
    cache: { when: ({ force }) => force !== true },
    timeout: timeoutMs * Math.max(1, providers.length) + 10_000,
    async execute({ query, limit = 10, time_range }, { signal }) {
      if (providers.length === 0) {
        throw new Error(
          'no search service is configured here: the host gives search_web a provider (Brave, Tavily, SearXNG or DuckDuckGo)',
        )
      }
      const asked = { query, limit, ...(time_range && { timeRange: time_range }) }
      const ask = (url: string, init: RequestInit = {}) =>
        request(fetch, url, init, { timeoutMs, maxBytes, signal })
      const failed: string[] = []
      for (const provider of providers) {
        try {
          const web = (await provider.search(asked, ask)).slice(0, limit).map(shown)
          return web.length > 0 ? { provider: provider.name, web } : `no results for ${query}`
        } catch (error) {
          signal.throwIfAborted()
          failed.push(error instanceof Error ? error.message : String(error))
        }
      }
      throw new Error(failed.join('; '))
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 400, description: 'What to look for.' },
    limit: { type: 'integer', minimum: 1, maximum: 20, default: 10, description: 'Most results.' },
    time_range: {
      enum: ['24h', '7d', '30d', '1y'],
      description: 'Only pages of that time. Default: any.',
    },
    force: {
      type: 'boolean',
      default: false,
      description: 'Search anew instead of from the cache.',
    },
  },
  required: ['query'],
  additionalProperties: false,
}

function shown(hit: SearchHit, index: number) {
  return { position: index + 1, ...hit, description: (hit.description ?? '').slice(0, 500) }
}
