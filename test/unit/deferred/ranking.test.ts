import { describe, expect, it } from 'vitest'
import {
  type CatalogueTool,
  halfOf,
  handedData,
  measure,
  type Query,
} from '../../../bench/ranking.ts'
import { createDispatcher } from '../../../src/index.ts'

const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

/** For when the handed data is not there: other tools, and questions about them. */
const ownTools: CatalogueTool[] = [
  {
    name: 'list_pull_requests',
    description: 'Lists the open pull requests.',
    inputSchema: object('repo'),
  },
  { name: 'createIssue', description: 'Opens an issue.', inputSchema: object('title', 'labels') },
  {
    name: 'weather.forecast',
    description: 'Forecast of the weather.',
    inputSchema: object('city'),
  },
  { name: 'send-email', description: 'Sends a message by mail.', inputSchema: object('recipient') },
  { name: 'HTTPRequest', description: 'Sends a request to a URL.', inputSchema: object('url') },
  { name: 'delete_file', description: 'Removes a file for good.', inputSchema: object('path') },
]
const ask = (query: string, ...relevant: string[]): Query => ({ query, relevant, kind: 'user' })
const ownQueries: Query[] = [
  ask('which pull requests are listed?', 'list_pull_requests'),
  ask('create an issue for this bug', 'createIssue'),
  ask('what will the weather be like in Oslo', 'weather.forecast'),
  ask('email the recipients', 'send-email'),
  ask('http', 'HTTPRequest'),
  ask('deleting files', 'delete_file'),
  ask('forcast', 'weather.forecast'),
]

const search = (tools: readonly CatalogueTool[]) =>
  createDispatcher({ tools: tools.map((tool) => ({ ...tool, execute: () => '' })) }).search

const handed = handedData()
if (!handed) console.warn('No data at ../shared/data: the ranking is measured on six own tools.')

describe('the ranking of find_tools', () => {
  it.runIf(handed)(
    'is at least as good as measured, on queries it was not tuned on [d.measured]',
    async () => {
      const { tools, queries } = handed ?? { tools: [], queries: [] }
      const held = await measure(
        search(tools),
        queries.filter((query) => halfOf(query) === 'held'),
      )
      // What bench/find-tools.ts measured, less one point. MiniSearch as it comes: 0.374, 0.518, 0.657, 0.474.
      expect(held.queries).toBe(329)
      expect(held.recall[1]).toBeGreaterThan(0.583)
      expect(held.recall[3]).toBeGreaterThan(0.777)
      expect(held.recall[10]).toBeGreaterThan(0.867)
      expect(held.mrr).toBeGreaterThan(0.698)
    },
  )

  it('finds the own tools by identifiers, stems, parameters and misspelled words [d.measured]', async () => {
    const rank = search(ownTools)
    for (const { query, relevant } of ownQueries) {
      expect((await rank(query))[0], query).toBe(relevant[0])
    }
  })

  it('looks for stop words when a query holds nothing else, and survives any text', async () => {
    const rank = search([
      ...ownTools,
      { name: 'who', description: 'Who is there.', inputSchema: {} },
    ])
    expect(await rank('who is it?')).toEqual(['who'])
    expect(await rank('?!')).toEqual([])
    expect(await rank('constructor __proto__ toString')).toEqual([])
    expect((await rank(`${'lorem ipsum '.repeat(50_000)} weather`)).length).toBeGreaterThan(0)
  })
})
