/** search_web against servers that answer as the services do. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  braveSearch,
  duckDuckGoSearch,
  type SearchProvider,
  searxngSearch,
  tavilySearch,
} from '../../../src/builtin/search-providers.ts'
import { searchWebTool } from '../../../src/builtin/search-web.ts'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { serve } from '../net/server.ts'
import { call } from './call.ts'

interface Asked {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

async function service(answer: unknown, status = 200) {
  const asked: Asked[] = []
  const host = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push({ url: request.url ?? '', headers: request.headers, body })
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    const type = typeof answer === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type }).end(text)
  })
  return { host, url: `http://${host}`, asked }
}

function search(providers: SearchProvider[], hosts: string[], args: object = {}) {
  const fetch = guardedFetch({ allowHosts: hosts })
  return call(searchWebTool({ fetch, providers }), { query: 'tool calls', ...args })
}

const found = {
  position: 1,
  title: 'A page',
  url: 'https://a.example/x',
  description: 'About tool calls.',
}

describe('search_web', () => {
  it('Brave: key in its header, marks taken out, what is no page left out', async () => {
    const { host, url, asked } = await service({
      web: {
        results: [
          {
            title: 'A <strong>page</strong>',
            url: 'https://a.example/x',
            description: 'About <strong>tool</strong> calls.',
          },
          { title: 'Odd', url: 'javascript:alert(1)' },
          { url: 'https://b.example' },
        ],
      },
    })
    const { value } = await search([braveSearch({ key: 'k3y', url })], [host], {
      time_range: '7d',
      limit: 5,
    })
    expect(value).toEqual({ provider: 'Brave', web: [found] })
    expect(asked[0]?.url).toBe('/res/v1/web/search?q=tool+calls&count=5&freshness=pw')
    expect(asked[0]?.headers['x-subscription-token']).toBe('k3y')
  })

  it('Tavily: a bearer token and a JSON body', async () => {
    const results = [
      {
        title: 'A page',
        url: 'https://a.example/x',
        content: 'About tool calls.',
        published_date: '2026-01-01',
      },
    ]
    const { host, url, asked } = await service({ results })
    const { value } = await search([tavilySearch({ key: 'k3y', url })], [host], {
      time_range: '1y',
    })
    expect(value).toEqual({ provider: 'Tavily', web: [{ ...found, published: '2026-01-01' }] })
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      query: 'tool calls',
      max_results: 10,
      time_range: 'year',
    })
    expect(asked[0]?.headers.authorization).toBe('Bearer k3y')
  })

  it('SearXNG: its JSON', async () => {
    const results = [{ title: 'A page', url: 'https://a.example/x', content: 'About tool calls.' }]
    const { host, url, asked } = await service({ results })
    const { value } = await search([searxngSearch({ url: `${url}/` })], [host])
    expect(value).toEqual({ provider: 'SearXNG', web: [found] })
    expect(asked[0]?.url).toBe('/search?q=tool+calls&format=json')
  })

  it('DuckDuckGo: the page without scripts, targets behind its redirect, no advertisements', async () => {
    const page = `<div class="result results_links"><h2><a class="result__a" href="//duckduckgo.com/y.js?ad_domain=x">Ad</a></h2></div>
<div class="result"><h2><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx&amp;rut=1">A <b>page</b></a></h2>
<a class="result__snippet" href="#">About <b>tool</b>
 calls.</a></div>`
    const { host, url, asked } = await service(page)
    const { value } = await search([duckDuckGoSearch({ url })], [host], { time_range: '24h' })
    expect(value).toEqual({ provider: 'DuckDuckGo', web: [found] })
    expect(asked[0]?.body).toBe('q=tool+calls&df=d')
  })

  it('asks the next service when one fails, and names all that failed, without a key', async () => {
    const down = await service({ error: 'k3y' }, 500)
    const robot = await service('<html></html>', 202)
    const good = await service({
      results: [{ title: 'A page', url: 'https://a.example/x', content: 'About tool calls.' }],
    })
    const hosts = [down.host, robot.host, good.host]
    const brave = braveSearch({ key: 'k3y', url: down.url })
    const duck = duckDuckGoSearch({ url: robot.url })
    const third = await search([brave, duck, searxngSearch({ url: good.url })], hosts)
    expect(third.value).toMatchObject({ provider: 'SearXNG' })
    const none = await search([brave, duck], hosts)
    expect(none.outcome).toBe('failed')
    expect(none.content).toContain('Brave answered 500; DuckDuckGo answered 202')
    expect(none.content).not.toContain('k3y')
  })

  it('says that nothing was found, and that nothing is configured', async () => {
    const { host, url } = await service({ results: [] })
    expect((await search([searxngSearch({ url })], [host])).content).toBe(
      'no results for tool calls',
    )
    const none = await search([], [])
    expect([none.outcome, none.content.includes('no search service is configured')]).toEqual([
      'failed',
      true,
    ])
  })
})
