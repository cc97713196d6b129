/**
 * How good a ranking is: recall and mean reciprocal rank over queries with known answers.
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { JsonSchema } from '../src/index.ts'

export interface Query {
  readonly query: string
  /** All are wanted, unless `need` is `any`: then each alone will do. */
  readonly relevant: readonly string[]
  readonly need?: 'any'
  readonly kind: 'user' | 'keywords'
}

export interface CatalogueTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

/** Names of the tools found, best first. */
export type Ranking = (query: string) => string[] | Promise<string[]>

export interface Quality {
  readonly queries: number
  readonly recall: { readonly [k: number]: number }
  /** Of the first relevant tool; 0 when none is found. */
  readonly mrr: number
}

export const depths = [1, 3, 5, 10] as const

const folder = process.env.THREEPASS_DATA ?? '../shared/data'

/** The handed tools and queries; `undefined` where they are not (the folder is read from the project's root). */
export function handedData(): { tools: CatalogueTool[]; queries: Query[] } | undefined {
  if (!existsSync(`${folder}/find-tools-dev.json`)) return undefined
  const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
  return { tools: read('tools-catalog.json'), queries: read('find-tools-dev.json') }
}

/** The ranking was tuned on one half of the queries; the other, `held`, says how good it is. */
export function halfOf({ query }: Query): 'tuned' | 'held' {
  const [first = 0] = createHash('sha256').update(query).digest()
  return first % 2 === 0 ? 'tuned' : 'held'
}

export async function measure(rank: Ranking, queries: readonly Query[]): Promise<Quality> {
  const recall: { [k: number]: number } = {}
  let mrr = 0
  for (const { query, relevant, need } of queries) {
    const names = await rank(query)
    const ranks = relevant.map((name) => names.indexOf(name) + 1 || Number.POSITIVE_INFINITY)
    for (const k of depths) {
      const hits = ranks.filter((rank) => rank <= k).length
      const share = need === 'any' ? Math.min(hits, 1) : hits / relevant.length
      recall[k] = (recall[k] ?? 0) + share / queries.length
    }
    mrr += 1 / Math.min(...ranks) / queries.length
  }
  return { queries: queries.length, recall, mrr }
}
