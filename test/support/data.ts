/**
 * The outside data (real tool schemas, calls, queries) where it lies, or the project's own of the
 * same kinds where it is absent. It is other people's text: read, never copied.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/round.ts'
import type { JsonSchema } from '../../src/tools/tool.ts'
import { ownInvalidCalls, ownTools } from './own-data.ts'

export interface DataTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

export interface DataRound {
  readonly id: string
  readonly valid: boolean
  readonly tools: readonly DataTool[]
  readonly calls: readonly { readonly name: string; readonly args: JsonObject }[]
  /** Of an invalid round: JSON pointer of what is wrong. */
  readonly path?: string
}

const folder =
  process.env.THREEPASS_DATA ?? fileURLToPath(new URL('../../../shared/data', import.meta.url))

/** Whether the outside data is there. */
export const hasData: boolean = existsSync(`${folder}/tools-catalog.json`)
if (!hasData) {
  console.warn(`No outside data at ${folder}: the tests run on the project's own tools and calls.`)
}

export function loadData<T>(file: string): T {
  return JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as T
}

/** All tools of the catalogue. */
export function dataTools(): readonly DataTool[] {
  return hasData ? loadData<DataTool[]>('tools-catalog.json') : ownTools
}

/** Rounds of right and wrong calls. */
export function dataRounds(): readonly DataRound[] {
  return hasData ? loadData<DataRound[]>('calls-dev.json') : ownRounds()
}

/** The project's own rounds. */
export function ownRounds(): DataRound[] {
  const right = ownTools.map((tool) => ({
    id: tool.name,
    valid: true,
    tools: [tool],
    calls: [{ name: tool.name, args: tool.valid }],
  }))
  const wrong = ownInvalidCalls.map(({ name, args, path, reason }) => ({
    id: `${name} ${reason}`,
    valid: false,
    tools: ownTools,
    calls: [{ name, args }],
    path,
  }))
  return [...right, ...wrong]
}
