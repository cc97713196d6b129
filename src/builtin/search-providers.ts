/**
 * Where search_web searches: one function a service, each with what its documentation says.
 * @module
 */
import type { Exchange } from '../net/request.ts'
import type { Json } from '../round.ts'

export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly description?: string
  /** As the service says it. */
  readonly published?: string
}

/** How old a hit may be. */
export type TimeRange = '24h' | '7d' | '30d' | '1y'

export interface SearchQuery {
  readonly query: string
  readonly limit: number
  readonly timeRange?: TimeRange
}

/** Does a request within the tool's bounds. */
export type Ask = (url: string, init?: RequestInit) => Promise<Exchange>

/** Rejects with an Error that a model can read; a key never stands in it. */
export interface SearchProvider {
  readonly name: string
  readonly search: (query: SearchQuery, ask: Ask) => Promise<readonly SearchHit[]>
}

/** https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
export function braveSearch({
  key,
  url = 'https://api.search.brave.com',
}: KeyedOptions): SearchProvider {
  const fresh = { '24h': 'pd', '7d': 'pw', '30d': 'pm', '1y': 'py' }
  return {
    name: 'Brave',
    async search({ query, limit, timeRange }, ask) {
      const asked = new URLSearchParams({ q: query, count: String(Math.min(limit, 20)) })
      if (timeRange) asked.set('freshness', fresh[timeRange])
      const headers = { accept: 'application/json', 'x-subscription-token': key }
      const body = jsonOf('Brave', await ask(`${url}/res/v1/web/search?${asked}`, { headers }))
      return hits(member(member(body, 'web'), 'results'), {
        description: 'description',
        published: 'page_age',
      })
    },
  }
}

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export function tavilySearch({
  key,
  url = 'https://api.tavily.com',
}: KeyedOptions): SearchProvider {
  const ranges = { '24h': 'day', '7d': 'week', '30d': 'month', '1y': 'year' }
  return {
    name: 'Tavily',
    async search({ query, limit, timeRange }, ask) {
      const body = {
        query,
        max_results: Math.min(limit, 20),
        ...(timeRange && { time_range: ranges[timeRange] }),
      }
      const answer = await ask(`${url}/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
      return hits(member(jsonOf('Tavily', answer), 'results'), {
        description: 'content',
        published: 'published_date',
      })
    },
  }
}

/** https://docs.searxng.org/dev/search_api.html; the instance must allow `json`. */
export function searxngSearch({ url }: { readonly url: string }): SearchProvider {
  const ranges = { '24h': 'day', '7d': 'week', '30d': 'month', '1y': 'year' }
  return {
    name: 'SearXNG',
    async search({ query, timeRange }, ask) {
      const asked = new URLSearchParams({ q: query, format: 'json' })
      if (timeRange) asked.set('time_range', ranges[timeRange])
      const answer = await ask(`${url.replace(/\/$/, '')}/search?${asked}`)
      return hits(member(jsonOf('SearXNG', answer), 'results'), {
        description: 'content',
        published: 'publishedDate',
      })
    },
  }
}

/** The page for browsers without scripts: no key, and no promise that it answers. */
export function duckDuckGoSearch({
  url = 'https://html.duckduckgo.com',
}: {
  readonly url?: string
} = {}): SearchProvider {
  const ranges = { '24h': 'd', '7d': 'w', '30d': 'm', '1y': 'y' }
  return {
    name: 'DuckDuckGo',
    async search({ query, timeRange }, ask) {
      const form = new URLSearchParams({ q: query, ...(timeRange && { df: ranges[timeRange] }) })
      const { response, body } = await ask(`${url}/html/`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      })
      // 202 is how it says that it takes the asker for a robot.
      if (!response.ok || response.status === 202)
        throw new Error(`DuckDuckGo answered ${response.status}`)
      const { duckDuckGoHits } = await import('./duckduckgo-page.ts')
      return duckDuckGoHits(body.text ?? '')
    },
  }
}

export interface KeyedOptions {
  readonly key: string
  /** Default: the service itself. */
  readonly url?: string
}

function jsonOf(name: string, { response, body }: Exchange): Json {
  if (!response.ok) throw new Error(`${name} answered ${response.status}`)
  try {
    return JSON.parse(body.text ?? '') as Json
  } catch {
    throw new Error(`${name} answered with no JSON`)
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value[name]
    : undefined
}

/** What has a title and an http(s) address; the other members under the service's own names. */
function hits(
  list: Json | undefined,
  names: { readonly description: string; readonly published: string },
): SearchHit[] {
  return (Array.isArray(list) ? list : []).flatMap((item): SearchHit[] => {
    const [title, url] = [member(item, 'title'), member(item, 'url')]
    if (typeof title !== 'string' || typeof url !== 'string' || !/^https?:/.test(url)) return []
    const description = plain(member(item, names.description))
    const published = plain(member(item, names.published))
    return [
      {
        title: plain(title) ?? '',
        url,
        ...(description && { description }),
        ...(published && { published }),
      },
    ]
  })
}

/** Services mark the words that were found. */
function plain(text: Json | undefined): string | undefined {
  return typeof text === 'string' ? text.replace(/<\/?(?:strong|b|em)>/g, '').trim() : undefined
}
