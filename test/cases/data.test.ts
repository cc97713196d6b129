/** Every round of the data through the library: right calls complete, wrong ones are invalid at the named path. */
import { describe, expect, it } from 'vitest'
import { type AnyTool, createDispatcher, type JsonObject } from '../../src/index.ts'
import { type DataTool, dataRounds, dataTools } from '../support/data.ts'

const echoing = ({ name, description, inputSchema }: DataTool): AnyTool => ({
  name,
  description,
  inputSchema,
  readOnly: true,
  concurrent: true,
  trust: 'external',
  execute: (args: JsonObject) => args,
})

describe('the data, through the library', () => {
  it('every tool registers, without a repair', () => {
    const dispatcher = createDispatcher({ tools: dataTools().map(echoing) })
    expect(dispatcher.diagnostics).toEqual([])
    expect(dispatcher.catalogue).toHaveLength(dataTools().length + 1)
  })

  it('right calls complete with their arguments as they were, as text and as objects [spec.validate]', async () => {
    for (const { id, tools, calls } of dataRounds().filter((round) => round.valid)) {
      const run = createDispatcher({ tools: tools.map(echoing), mode: 'full' }).run()
      const texts = calls.map(({ name, args }, index) => ({
        id: `${index}`,
        name,
        arguments: JSON.stringify(args),
      }))
      const { results } = await run.dispatch(texts)
      expect([id, results.map((result) => result.value)]).toEqual([
        id,
        calls.map((call) => call.args),
      ])
      const again = calls.map(({ name, args }, index) => ({
        id: `o${index}`,
        name,
        arguments: args,
      }))
      const outcomes = (await run.dispatch(again)).results.map((result) => result.outcome)
      // The same calls, so the run remembers them.
      expect([id, outcomes]).toEqual([id, calls.map(() => 'duplicate')])
    }
  })

  it('wrong calls are invalid, and the text names the path [spec.validate] [p1.every-problem]', async () => {
    for (const { id, tools, calls, path } of dataRounds().filter((round) => !round.valid)) {
      const run = createDispatcher({ tools: tools.map(echoing), mode: 'full' }).run()
      const { results } = await run.dispatch(
        calls.map(({ name, args }) => ({ id: 'a', name, arguments: args })),
      )
      expect([id, results[0]?.outcome]).toEqual([id, 'invalid'])
      expect(results[0]?.content).toContain(`${path} `)
      expect(results[0]?.content.length).toBeLessThanOrEqual(600)
    }
  })
})
