import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  DispatchError,
  type RunEvent,
  type RunStore,
  type ToolCall,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'

const echo: AnyTool = {
  name: 'echo',
  description: 'e',
  readOnly: true,
  execute: (args: unknown) => args,
}

function counting(name: string, traits: Partial<AnyTool> = {}) {
  const keys: string[] = []
  const tool: AnyTool = {
    name,
    description: name,
    ...traits,
    execute: (_: unknown, context: { idempotencyKey: string }) => {
      keys.push(context.idempotencyKey)
      return `run ${keys.length}`
    },
  }
  return { tool, keys }
}

const collect = async (events: AsyncIterable<RunEvent>) => {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

describe('results', () => {
  it('are committed in call order, whatever order the calls ended in [p3.order] [spec.commit]', async () => {
    const slow = gatedTool('slow', { concurrent: true, readOnly: true })
    const events: RunEvent[] = []
    const done = createDispatcher({ tools: [slow.tool], mode: 'full' })
      .run({ onEvent: (event) => events.push(event) })
      .dispatch(['0', '1', '2'].map((n) => callOf(`c${n}`, 'slow', { n })))
    await slow.whenStarted(3)
    for (const label of ['2', '0', '1']) {
      slow.finish(label)
      await settled()
    }
    const { results } = await done
    const of = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map((event) => 'callId' in event && event.callId)
    expect(of('tool_call_end')).toEqual(['c2', 'c0', 'c1'])
    expect(of('tool_result')).toEqual(['c0', 'c1', 'c2'])
    expect(results.map((result) => result.callId)).toEqual(['c0', 'c1', 'c2'])
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  })

  it('the history has valid JSON arguments, the raw text beside them, and what the model read', async () => {
    const store = memoryRunStore()
    const run = createDispatcher({ tools: [echo], mode: 'full', store }).run({ runId: 'r' })
    await run.dispatch([
      callOf('a', 'run_tool', { name: 'echo', args: { x: 1 } }),
      callOf('b', 'echo', '{"x":'),
    ])
    const [round] = await store.listRounds('r', 0, 10)
    expect(round?.history).toEqual([
      {
        callId: 'a',
        name: 'run_tool',
        arguments: { name: 'echo', args: { x: 1 } },
        content: '{"x":1}',
      },
      {
        callId: 'b',
        name: 'echo',
        arguments: {},
        raw: '{"x":',
        content: expect.stringContaining('cut'),
      },
    ])
  })

  it("one commit is one transaction, and of two tabs on one run nobody's results are lost [p3.transaction]", async () => {
    const store = memoryRunStore()
    const commits: string[] = []
    const watched: RunStore = {
      ...store,
      commit(runId, change) {
        commits.push(change.round?.roundId ?? '')
        return store.commit(runId, change)
      },
    }
    const tab = () =>
      createDispatcher({ tools: [echo], mode: 'full', store: watched }).run({ runId: 'r' })
    await tab().dispatch([callOf('a', 'echo')], { roundId: '0' })
    expect(commits).toEqual(['0'])
    await Promise.all([
      tab().dispatch([callOf('b', 'echo', { x: 1 })], { roundId: '1' }),
      tab().dispatch([callOf('c', 'echo', { x: 2 })], { roundId: '2' }),
    ])
    const rounds = await store.listRounds('r', 0, 10)
    expect(rounds.map((round) => round.results[0]?.callId).sort()).toEqual(['a', 'b', 'c'])
    expect((await store.load('r'))?.rounds).toBe(3)
  })
})

describe('a round with an id', () => {
  it('posted while it is under way joins it, and posted with other calls is refused', async () => {
    const slow = gatedTool('slow')
    const run = createDispatcher({ tools: [slow.tool], mode: 'full', unattended: 'allow' }).run()
    const calls = [callOf('a', 'slow', { n: '1' })]
    const first = run.dispatch(calls, { roundId: 'r' })
    const second = run.dispatch(structuredClone(calls), { roundId: 'r' })
    await expect(run.dispatch([callOf('b', 'slow')], { roundId: 'r' })).rejects.toMatchObject({
      code: 'THREEPASS_ROUND_MISMATCH',
    })
    await slow.whenStarted(1)
    slow.finish('1')
    expect(await second).toEqual(await first)
    expect(slow.started).toEqual(['1'])
    await expect(run.dispatch([], { roundId: 'r' })).rejects.toMatchObject({
      code: 'THREEPASS_ROUND_MISMATCH',
    })
  })

  it('rounds of a run go one after another', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true })
    const run = createDispatcher({ tools: [slow.tool], mode: 'full' }).run()
    const first = run.dispatch([callOf('a', 'slow', { n: '1' })])
    const second = run.dispatch([callOf('b', 'slow', { n: '2' })])
    await slow.whenStarted(1)
    await settled()
    expect(slow.started).toEqual(['1'])
    slow.finish('1')
    await first
    await slow.whenStarted(2)
    slow.finish('2')
    await second
  })
})

describe('after a crash', () => {
  /** A round whose process dies while the calls run: the store keeps what was written until then. */
  async function crash(calls: readonly ToolCall[], finished: readonly string[]) {
    const store = memoryRunStore()
    const dead = gatedTool('write', { concurrent: true, writes: (args) => [`file:${args.n}`] })
    const read = gatedTool('read', { concurrent: true, readOnly: true })
    const keyed = gatedTool('keyed', {
      concurrent: true,
      idempotent: true,
      writes: (args) => [`k:${args.n}`],
    })
    const tools = [dead.tool, read.tool, keyed.tool]
    void createDispatcher({ tools, mode: 'full', unattended: 'allow', store })
      .run({ runId: 'r' })
      .dispatch(calls, { roundId: 'q' })
    await Promise.all([dead.whenStarted(2), read.whenStarted(1), keyed.whenStarted(1)])
    for (const label of finished) dead.finish(label, `wrote ${label}`)
    await settled()
    return { store, keys: keyed.contexts.get('4')?.idempotencyKey }
  }

  it('a call with side effects is not repeated: its recorded result is given, or it is interrupted; read-only and keyed calls run again', async () => {
    const calls = [
      callOf('a', 'write', { n: '1' }),
      callOf('b', 'write', { n: '2' }),
      callOf('c', 'read', { n: '3' }),
      callOf('d', 'keyed', { n: '4' }),
    ]
    const { store, keys } = await crash(calls, ['1'])
    const write = counting('write', { concurrent: true, writes: (args) => [`file:${args.n}`] })
    const read = counting('read', { concurrent: true, readOnly: true })
    const keyed = counting('keyed', {
      concurrent: true,
      idempotent: true,
      writes: (args) => [`k:${args.n}`],
    })
    const tools = [write.tool, read.tool, keyed.tool]
    const run = createDispatcher({ tools, mode: 'full', unattended: 'deny', store }).run({
      runId: 'r',
    })
    const { results } = await run.dispatch(calls, { roundId: 'q' })
    expect(results.map(({ outcome, content }) => [outcome, content.slice(0, 17)])).toEqual([
      ['completed', 'wrote 1'],
      ['interrupted', 'write was started'],
      ['completed', 'run 1'],
      ['completed', 'run 1'],
    ])
    expect(write.keys).toEqual([])
    expect(keyed.keys).toEqual([keys])
    const seqs = (await collect(run.events({ follow: false }))).map((event) => event.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })

  it('what could not be noted before it starts does not start', async () => {
    const store = memoryRunStore()
    const failing: RunStore = {
      ...store,
      journal: () => Promise.reject(new DispatchError('THREEPASS_STORE_FAILED', 'disk full')),
    }
    const write = counting('write')
    const { results } = await createDispatcher({
      tools: [write.tool, echo],
      mode: 'full',
      unattended: 'allow',
      store: failing,
    })
      .run()
      .dispatch([callOf('a', 'write'), callOf('b', 'echo')])
    expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'not-recorded'],
      ['completed', 'completed'],
    ])
    expect(write.keys).toEqual([])
  })

  it('a commit that fails loses no result: it is a warning', async () => {
    const store = memoryRunStore()
    const failing: RunStore = {
      ...store,
      commit: () => Promise.reject(new DispatchError('THREEPASS_STORE_FAILED', 'disk full')),
    }
    const events: RunEvent[] = []
    const run = createDispatcher({ tools: [echo], mode: 'full', store: failing }).run({
      onEvent: (event) => events.push(event),
    })
    const { results } = await run.dispatch([callOf('a', 'echo', { x: 1 })])
    expect(results[0]?.outcome).toBe('completed')
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'commit-failed' }),
    )
  })

  it('a store that cannot be read refuses the round before anything runs', async () => {
    const write = counting('write')
    const store: RunStore = {
      ...memoryRunStore(),
      openRound: () => Promise.reject(new DispatchError('THREEPASS_STORE_FAILED', 'gone')),
    }
    const run = createDispatcher({
      tools: [write.tool],
      mode: 'full',
      unattended: 'allow',
      store,
    }).run()
    await expect(run.dispatch([callOf('a', 'write')])).rejects.toMatchObject({
      code: 'THREEPASS_STORE_FAILED',
    })
    expect(write.keys).toEqual([])
  })
})

describe('events', () => {
  it('can be read from any point, live and after the fact', async () => {
    const run = createDispatcher({ tools: [echo], mode: 'full' }).run()
    const live: RunEvent[] = []
    const controller = new AbortController()
    const reading = (async () => {
      for await (const event of run.events({ signal: controller.signal })) {
        live.push(event)
        if (event.type === 'round_end') controller.abort()
      }
    })()
    await run.dispatch([callOf('a', 'echo')])
    await reading
    const stored = await collect(run.events({ follow: false }))
    expect(live).toEqual(stored)
    expect(await collect(run.events({ follow: false, after: 2 }))).toEqual(stored.slice(2))
  })

  it('a listener that throws or rejects changes nothing and is reported', async () => {
    const dispatcher = createDispatcher({
      tools: [echo],
      mode: 'full',
      onEvent: (event) => {
        if (event.type === 'tool_call_end') throw new Error('hook')
        return event.type === 'round_start' ? Promise.reject(new Error('async hook')) : undefined
      },
    })
    const run = dispatcher.run()
    const { results } = await run.dispatch([callOf('a', 'echo')])
    expect(results[0]?.outcome).toBe('completed')
    await settled()
    const stored = await collect(run.events({ follow: false }))
    expect(stored.filter((event) => event.type === 'warning')).toHaveLength(2)
  })
})

describe('cancel', () => {
  it('ends what is under way, is recorded, and no later round runs anything', async () => {
    const store = memoryRunStore()
    const slow = gatedTool('slow', { readOnly: true })
    const run = createDispatcher({ tools: [slow.tool], mode: 'full', store }).run({ runId: 'r' })
    const done = run.dispatch([callOf('a', 'slow', { n: '1' })])
    await slow.whenStarted(1)
    await run.cancel()
    expect((await done).results[0]?.code).toBe('cancelled-while-running')
    const later = createDispatcher({ tools: [slow.tool], mode: 'full', store }).run({ runId: 'r' })
    expect((await later.dispatch([callOf('b', 'slow', { n: '2' })])).results[0]?.code).toBe(
      'run-stopped',
    )
  })
})

describe('programming errors', () => {
  const cases: [string, () => unknown, string][] = [
    ['no tools', () => createDispatcher({} as never), 'THREEPASS_BAD_OPTION'],
    [
      'an unknown option',
      () => createDispatcher({ tools: [], parallel: 3 } as never),
      'THREEPASS_BAD_OPTION',
    ],
    [
      'maxConcurrent 0',
      () => createDispatcher({ tools: [], maxConcurrent: 0 }),
      'THREEPASS_BAD_OPTION',
    ],
    [
      'maxConcurrent NaN',
      () => createDispatcher({ tools: [], maxConcurrent: Number.NaN }),
      'THREEPASS_BAD_OPTION',
    ],
    [
      'an unknown mode',
      () => createDispatcher({ tools: [], mode: 'lazy' as never }),
      'THREEPASS_BAD_OPTION',
    ],
    [
      'an approver that is no function',
      () => createDispatcher({ tools: [], approver: {} as never }),
      'THREEPASS_BAD_OPTION',
    ],
    [
      'two tools of one name',
      () => createDispatcher({ tools: [echo, echo] }),
      'THREEPASS_DUPLICATE_TOOL',
    ],
    [
      'a reserved name',
      () => createDispatcher({ tools: [{ ...echo, name: 'run_tool' }] }),
      'THREEPASS_DUPLICATE_TOOL',
    ],
    ['no name', () => createDispatcher({ tools: [{ ...echo, name: '' }] }), 'THREEPASS_BAD_TOOL'],
    [
      'no execute',
      () => createDispatcher({ tools: [{ ...echo, execute: undefined as never }] }),
      'THREEPASS_BAD_TOOL',
    ],
    [
      'a time-out of 0',
      () => createDispatcher({ tools: [{ ...echo, timeout: 0 }] }),
      'THREEPASS_BAD_TOOL',
    ],
    [
      'a grant that is missing',
      () => createDispatcher({ tools: [{ ...echo, needs: ['workspace'] }] }),
      'THREEPASS_BAD_TOOL',
    ],
    [
      'a dangling $ref [p1.bad-schema]',
      () => createDispatcher({ tools: [{ ...echo, inputSchema: { $ref: '#/$defs/x' } }] }),
      'THREEPASS_BAD_SCHEMA',
    ],
    [
      'a $ref that loops',
      () => createDispatcher({ tools: [{ ...echo, inputSchema: { $ref: '#' } }] }),
      'THREEPASS_BAD_SCHEMA',
    ],
    [
      'an empty run id',
      () => createDispatcher({ tools: [] }).run({ runId: '' }),
      'THREEPASS_BAD_OPTION',
    ],
  ]
  it.each(cases)('%s is thrown early, with a code [p1.bad-schema]', (_, make, code) => {
    let thrown: unknown
    try {
      make()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(DispatchError)
    expect((thrown as DispatchError).code).toBe(code)
  })

  it('with badTools: skip a bad tool is left out, with one diagnostic, and the others stay usable', async () => {
    const bad = {
      ...echo,
      name: 'bad',
      inputSchema: { type: 'object', properties: { s: { $ref: '#/$defs/Missing' } } },
    }
    const dispatcher = createDispatcher({ tools: [bad, echo], mode: 'full', badTools: 'skip' })
    expect(dispatcher.diagnostics).toMatchObject([{ tool: 'bad', code: 'THREEPASS_BAD_SCHEMA' }])
    const { results } = await dispatcher.run().dispatch([callOf('a', 'bad'), callOf('b', 'echo')])
    expect(results.map((result) => result.outcome)).toEqual(['unknown', 'completed'])
  })

  it('calls that are no list reject with a code; calls that are no calls have results all the same [p3.one-result]', async () => {
    const run = createDispatcher({ tools: [echo], mode: 'full' }).run()
    await expect(run.dispatch({} as never)).rejects.toMatchObject({ code: 'THREEPASS_BAD_ROUND' })
    const { results } = await run.dispatch([
      null,
      7,
      {},
      { name: 3 },
      { id: {}, name: 'echo' },
    ] as never)
    expect(results.map((result) => result.outcome)).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      'completed',
    ])
    expect(new Set(results.map((result) => result.callId)).size).toBe(5)
  })

  it('a run belongs to one session', async () => {
    const dispatcher = createDispatcher({ tools: [echo], mode: 'full' })
    await dispatcher.run({ runId: 'r', sessionId: 's' }).dispatch([])
    const other = createDispatcher({ tools: [echo], mode: 'full' })
    expect(other.exposure).toBe('full')
    const store = memoryRunStore()
    await createDispatcher({ tools: [echo], store })
      .run({ runId: 'r', sessionId: 's' })
      .dispatch([])
    await expect(
      createDispatcher({ tools: [echo], store })
        .run({ runId: 'r', sessionId: 't' })
        .dispatch([]),
    ).rejects.toMatchObject({ code: 'THREEPASS_BAD_OPTION' })
  })
})
