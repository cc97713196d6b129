/**
 * How well find_tools ranks, and how fast.
 *
 * Rules. 844 tools and 650 queries of shared/data (THREEPASS_DATA names another folder). recall@k: the
 * share of a query's relevant tools among the first k names, or whether one of them is there where one
 * suffices; the mean over queries. MRR: the mean of 1 / rank of the first relevant tool. `held` are the
 * queries that nothing was tuned on (half of them, chosen by SHA-256 of their text). The baselines see
 * name and description: MiniSearch 7 with its default options, and the number of the query's words that
 * occur as substrings. Times: median of 200 queries, after 50 to warm up; the index of 10,000 tools (the
 * catalogue over and over, under other names) is built by the first search, median of 3 dispatchers.
 * @module
 */
import MiniSearch from 'minisearch'
import { createDispatcher } from '../src/index.ts'
import {
  type CatalogueTool,
  depths,
  halfOf,
  handedData,
  measure,
  type Quality,
  type Query,
  type Ranking,
} from './ranking.ts'

const data = handedData()
if (!data) {
  console.log('No data at ../shared/data: nothing to measure. THREEPASS_DATA names its folder.')
  process.exit(0)
}
const { tools, queries } = data

const rankings: readonly (readonly [name: string, rank: Ranking])[] = [
  ['threepass', searchOver(tools)],
  ['MiniSearch, default', miniSearchDefault()],
  ['substrings', substrings()],
]
const groups: readonly (readonly [name: string, wanted: (query: Query) => boolean])[] = [
  ['all', () => true],
  ['held', (query) => halfOf(query) === 'held'],
  ['tuned', (query) => halfOf(query) === 'tuned'],
  ['user', ({ kind }) => kind === 'user'],
  ['keywords', ({ kind }) => kind === 'keywords'],
]

for (const [group, wanted] of groups) {
  const chosen = queries.filter(wanted)
  console.log(`${group} (${chosen.length} queries)`.padEnd(28) + header())
  for (const [name, rank] of rankings) console.log(row(name, await measure(rank, chosen)))
}
await speed(tools, 'the catalogue')
await speed(many(10_000), '10,000 tools')

function searchOver(given: readonly CatalogueTool[]): Ranking {
  return createDispatcher({ tools: given.map((tool) => ({ ...tool, execute: () => '' })) }).search
}

function miniSearchDefault(): Ranking {
  const index = new MiniSearch({ idField: 'name', fields: ['name', 'description'] })
  index.addAll(tools)
  return (query) => index.search(query).map((hit) => String(hit.id))
}

function substrings(): Ranking {
  const texts = tools.map(({ name, description }) => ({
    name,
    text: `${name} ${description}`.toLowerCase(),
  }))
  return (query) => {
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean)
    return texts
      .map(({ name, text }) => ({
        name,
        hits: wanted.filter((word) => text.includes(word)).length,
      }))
      .filter(({ hits }) => hits > 0)
      .sort((a, b) => b.hits - a.hits || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name)
  }
}

function header(): string {
  return [...depths.map((k) => `recall@${k}`), 'MRR'].map((title) => title.padStart(10)).join('')
}

function row(name: string, { recall, mrr }: Quality): string {
  const figures = [...depths.map((k) => recall[k] ?? 0), mrr]
  return `  ${name}`.padEnd(28) + figures.map((each) => each.toFixed(3).padStart(10)).join('')
}

function many(count: number): CatalogueTool[] {
  return Array.from({ length: count }, (_, n) => {
    const tool = tools[n % tools.length] as CatalogueTool
    return { ...tool, name: `${tool.name}_${n}` }
  })
}

async function speed(given: readonly CatalogueTool[], what: string): Promise<void> {
  const builds: number[] = []
  let rank = searchOver(given)
  for (let n = 0; n < 3; n += 1) {
    rank = searchOver(given)
    const start = performance.now()
    await rank('warm')
    builds.push(performance.now() - start)
  }
  const [, indexMs = 0] = builds.sort((a, b) => a - b)
  const times: number[] = []
  for (const [n, { query }] of queries.slice(0, 250).entries()) {
    const begin = performance.now()
    await rank(query)
    if (n >= 50) times.push(performance.now() - begin)
  }
  times.sort((a, b) => a - b)
  const [median = 0, p95 = 0] = [times[100], times[190]]
  console.log(
    `${what}: index ${indexMs.toFixed(0)} ms, search median ${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`,
  )
}
