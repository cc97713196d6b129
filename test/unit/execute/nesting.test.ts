/** Rounds inside calls: places that are lent and waited for, and rounds that would wait for themselves. */
import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type JsonObject,
  type ToolContext,
} from '../../../src/index.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'

const open = (tools: readonly AnyTool[], maxConcurrent = 1) =>
  createDispatcher({ tools, mode: 'full', maxConcurrent, unattended: 'allow' }).run()

const nested = (name: string, execute: (context: ToolContext) => unknown): AnyTool => ({
  name,
  description: 'Dispatches inside.',
  concurrent: true,
  readOnly: true,
  execute: (_: JsonObject, context) => execute(context),
})

const slowTool = () => gatedTool('slow', { readOnly: true, concurrent: true })

describe('a round inside a call', () => {
  it('that begins while the call waits for its place again takes that wait away', async () => {
    const slow = slowTool()
    const outer = gatedTool('outer', { concurrent: true, writes: () => ['r:'] })
    const tool = nested('two', async (context) => {
      const round = (n: string) =>
        open([slow.tool]).dispatch([callOf('i', 'slow', { n })], { within: context })
      const first = round('1')
      // The place that the first round had is the second outer call's now, and this call waits behind it.
      await outer.whenStarted(2)
      await settled()
      await Promise.all([first, round('2')])
      return 'both'
    })
    const done = open([tool, outer.tool]).dispatch([
      callOf('t', 'two'),
      ...['a', 'b'].map((n) => callOf(n, 'outer', { n })),
    ])
    await outer.whenStarted(1)
    outer.finish('a')
    await slow.whenStarted(1)
    slow.finish('1')
    await outer.whenStarted(2)
    await settled()
    outer.finish('b')
    await slow.whenStarted(2)
    slow.finish('2')
    expect((await done).results.map(({ content }) => content)).toEqual(['both', 'done a', 'done b'])
  })

  it('that is aborted gives up the places that its calls wait for', async () => {
    const slow = slowTool()
    const other = gatedTool('other', { readOnly: true, concurrent: true })
    const stop = new AbortController()
    let ended = () => {}
    const over = new Promise<void>((resolve) => {
      ended = resolve
    })
    const tool = nested('tool', async (context) => {
      const run = createDispatcher({
        tools: [slow.tool],
        mode: 'full',
        onEvent: ({ type }) => type === 'round_end' && ended(),
      }).run()
      const calls = [callOf('i', 'slow', { n: 'i' })]
      return (await run.dispatch(calls, { within: context, signal: stop.signal })).results[0]
        ?.outcome
    })
    const done = open([tool, other.tool]).dispatch([
      callOf('t', 'tool'),
      callOf('o', 'other', { n: 'o' }),
    ])
    await other.whenStarted(1)
    await settled()
    stop.abort()
    // While the only place is still the other call's.
    await over
    other.finish('o')
    expect((await done).results.map(({ content }) => content)).toEqual(['cancelled', 'done o'])
    expect(slow.started).toEqual([])
  })

  it('in a run that waits for the call’s own is refused, and the other goes on', async () => {
    const runs = new Map<string, ReturnType<typeof open>>()
    const meet: (() => void)[] = []
    const both = new Promise<void>((resolve) => {
      meet.push(() => {
        if (meet.length === 3) resolve()
      })
    })
    const cross = (name: string, other: string) =>
      nested(name, async (context) => {
        meet.push(() => {})
        meet[0]?.()
        await both
        const run = runs.get(other) as ReturnType<typeof open>
        const { results } = await run.dispatch([callOf('x', 'echo')], { within: context })
        return results[0]?.content
      })
    const echo: AnyTool = {
      name: 'echo',
      description: 'Answers.',
      readOnly: true,
      execute: () => 'echo',
    }
    const options = { mode: 'full' as const, unattended: 'allow' as const }
    runs.set('a', createDispatcher({ ...options, tools: [cross('to_b', 'b'), echo] }).run())
    runs.set('b', createDispatcher({ ...options, tools: [cross('to_a', 'a'), echo] }).run())
    const [a, b] = await Promise.all([
      runs.get('a')?.dispatch([callOf('1', 'to_b')]),
      runs.get('b')?.dispatch([callOf('1', 'to_a')]),
    ])
    const contents = [a, b].map((each) => each?.results[0]?.content)
    expect(contents.filter((content) => content === 'echo')).toHaveLength(1)
    expect(contents.filter((content) => content?.includes('waits for it'))).toHaveLength(1)
  })

  it('is refused when it joins the round around it', async () => {
    let run: ReturnType<typeof open>
    const tool = nested('tool', (context) =>
      run.dispatch([callOf('t', 'tool')], { within: context, roundId: 'r' }),
    )
    run = open([tool])
    const { results } = await run.dispatch([callOf('t', 'tool')], { roundId: 'r' })
    expect(results[0]?.content).toContain('inside a call of its own run')
  })
})
