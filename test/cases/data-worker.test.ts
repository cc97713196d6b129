/** Every round of the data through the real Worker: the same verdicts as through the library. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataRounds } from '../support/data.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

/** Rounds bring tools of one name with different schemas, so each round's tools get names of their own. */
const rounds = dataRounds().map((round, index) => ({ ...round, prefix: `r${index}.` }))

const tools = `
const tools = ${JSON.stringify(
  rounds.flatMap(({ prefix, tools: own }) =>
    own.map(({ name, description, inputSchema }) => ({
      name: prefix + name,
      description,
      inputSchema,
    })),
  ),
)}
export const workerTools = () => tools.map((tool) => ({
  ...tool, readOnly: true, concurrent: true, trust: 'external', execute: (args) => args }))
`

let worker: TestWorker
beforeAll(async () => {
  worker = await startWorker({ tools })
}, 60_000)
afterAll(() => worker.stop())

interface Result {
  readonly outcome: string
  readonly content: string
  readonly value?: unknown
}

describe('the data, through the Worker', () => {
  it('right calls complete with their arguments, wrong ones are invalid with the path named', {
    timeout: 120_000,
  }, async () => {
    const opened = await worker.post('/v1/runs', { mode: 'deferred' })
    const { runId } = (await opened.json()) as { runId: string }
    // Deferred by default, so each round asks for its schemas first, as a model does.
    for (const { id, prefix, valid, calls, path } of rounds) {
      const names = [...new Set(calls.map((call) => prefix + call.name))]
      const send = async (sent: object[]) => {
        const response = await worker.post(`/v1/runs/${runId}/rounds`, { calls: sent })
        return ((await response.json()) as { results: Result[] }).results
      }
      await send([
        { id: 'f', name: 'find_tools', arguments: { query: `select:${names.join(',')}` } },
      ])
      const results = await send(
        calls.map(({ name, args }, index) => ({
          id: `${index}`,
          name: 'run_tool',
          arguments: JSON.stringify({ name: prefix + name, args }),
        })),
      )
      if (valid) {
        expect([id, results.map((result) => result.value)]).toEqual([
          id,
          calls.map((call) => call.args),
        ])
      } else {
        expect([id, results[0]?.outcome]).toEqual([id, 'invalid'])
        expect(results[0]?.content).toContain(`${path} `)
      }
    }
  })
})
