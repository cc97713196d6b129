import { describe, expect, it } from 'vitest'
import {
  type ClientCallOptions,
  type ClientCallRecord,
  type ClientToolDefinition,
  clientCalls,
  createDispatcher,
  type RunEvent,
  type RunStore,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import { callOf } from '../../support/gated-tool.ts'

const pick: ClientToolDefinition = {
  name: 'pick',
  description: 'Picks.',
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
  readOnly: true,
  concurrent: true,
}
const write: ClientToolDefinition = { ...pick, name: 'write', readOnly: false }
const server = {
  name: 'server',
  description: 'Lives on the server.',
  readOnly: true,
  concurrent: true,
  reads: () => [],
  execute: () => 'from the server',
}

/** One life of the server: stores outlive it. */
function life(
  options: Omit<ClientCallOptions, 'onChange'> = {},
  store: RunStore = memoryRunStore(),
  definitions: ClientToolDefinition[] = [pick, write],
) {
  let wake = () => {}
  const pages = clientCalls({ ...options, onChange: () => wake() })
  const events: RunEvent[] = []
  const dispatcher = createDispatcher({
    tools: [server, ...pages.tools(definitions)],
    badTools: 'skip',
    mode: 'full',
    unattended: 'allow',
    store,
    ...(options.clock && { clock: options.clock }),
  })
  const onEvent = (event: RunEvent) => {
    events.push(event)
    wake()
  }
  const run = dispatcher.run({ runId: 'r', sessionId: 's', onEvent })
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const waiting = async (count: number) => {
    await until(() => pages.pending().length === count)
    return pages.pending()
  }
  return { pages, run, events, until, waiting, dispatcher }
}

describe('calls that go out to a page', () => {
  it('several at once, answered in any order; the server result is seen at once, the round ends once (P89) [n.all-in]', async () => {
    const { pages, run, events, until, waiting } = life()
    const done = run.dispatch([
      callOf('s', 'server'),
      callOf('a', 'pick', { of: 'A' }),
      callOf('b', 'pick', { of: 'B' }),
    ])
    const [a, b] = await waiting(2)
    await until(() => events.some(({ type }) => type === 'tool_call_end'))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'client_tool_call', callId: 'b', key: b?.key }),
    )
    const receipts = await Promise.all([
      pages.answer(b?.key ?? '', { result: 'two' }),
      pages.answer(a?.key ?? '', { result: { one: 1 } }),
    ])
    expect(receipts).toEqual(['taken', 'taken'])
    const { results } = await done
    expect(results.map(({ content }) => content)).toEqual(['from the server', '{"one":1}', 'two'])
    expect(events.filter(({ type }) => type === 'round_end')).toHaveLength(1)
  })

  it('one page takes a call; the other sees it taken and may not answer (P88) [n.lease]', async () => {
    const { pages, run, events, waiting } = life()
    const done = run.dispatch([callOf('a', 'write')])
    const key = (await waiting(1))[0]?.key ?? ''
    expect(await pages.lease(key, 'tab 1')).toMatchObject({ receipt: 'taken' })
    expect(await pages.lease(key, 'tab 2')).toMatchObject({
      receipt: 'held',
      lease: { owner: 'tab 1' },
    })
    expect(pages.pending()[0]?.lease?.owner).toBe('tab 1')
    expect(await pages.answer(key, { result: 2 }, 'tab 2')).toBe('conflict')
    expect(await pages.answer(key, { result: 3 })).toBe('conflict')
    expect(await pages.answer(key, { result: 1 }, 'tab 1')).toBe('taken')
    expect(await pages.answer(key, { result: 1 }, 'tab 1')).toBe('repeated')
    expect(await pages.answer(key, { result: 2 }, 'tab 2')).toBe('conflict')
    expect((await done).results[0]?.content).toBe('1')
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool_call_progress',
        value: { lease: expect.objectContaining({ owner: 'tab 1' }) },
      }),
    )
  })

  it('two pages that take it in one tick: one has it', async () => {
    const { pages, run, waiting } = life()
    const done = run.dispatch([callOf('a', 'pick')])
    const key = (await waiting(1))[0]?.key ?? ''
    const both = await Promise.all([pages.lease(key, 'tab 1'), pages.lease(key, 'tab 2')])
    expect(both.map(({ receipt }) => receipt)).toEqual(['taken', 'held'])
    await pages.answer(key, { result: 1 }, 'tab 1')
    await done
  })

  it('a lost lease of a call that changes nothing passes on; the owner may prolong it', async () => {
    const { pages, run, events, until, waiting } = life({ leaseMs: 1 })
    const done = run.dispatch([callOf('a', 'pick')])
    const key = (await waiting(1))[0]?.key ?? ''
    await pages.lease(key, 'tab 1')
    expect(await pages.lease(key, 'tab 1')).toMatchObject({ receipt: 'taken' })
    await until(() =>
      events.some(
        (event) =>
          event.type === 'tool_call_progress' && JSON.stringify(event.value) === '{"lease":null}',
      ),
    )
    expect(await pages.lease(key, 'tab 2')).toMatchObject({ receipt: 'taken' })
    await pages.answer(key, { result: 'second' }, 'tab 2')
    expect((await done).results[0]?.content).toBe('second')
  })

  it('a lost lease of a call that may have had an effect ends it as interrupted [n.lease]', async () => {
    const { pages, run, waiting } = life({ leaseMs: 1 })
    const done = run.dispatch([callOf('a', 'write')])
    const key = (await waiting(1))[0]?.key ?? ''
    await pages.lease(key, 'tab 1')
    expect((await done).results[0]).toMatchObject({
      outcome: 'interrupted',
      content: expect.stringContaining('may have happened'),
    })
    expect(await pages.lease(key, 'tab 2')).toEqual({ receipt: 'over' })
    expect(await pages.answer(key, { result: 1 }, 'tab 1')).toBe('over')
  })

  it('no page within the time-out: the model is told; the late answer is news, not the result (P86) [n.timeout] [n.first]', async () => {
    const { pages, run, events, until } = life({}, memoryRunStore(), [{ ...pick, timeout: 1 }])
    const keys: string[] = []
    const done = run.dispatch([callOf('a', 'pick')])
    const { results } = await done
    for (const event of events) if (event.type === 'client_tool_call') keys.push(event.key)
    expect(results[0]).toMatchObject({ outcome: 'timed_out' })
    expect(await pages.answer(keys[0] ?? '', { result: 'late' })).toBe('over')
    await until(() => events.some(({ type }) => type === 'tool_call_late'))
    expect(await pages.answer('r:none:a', { result: 1 })).toBe('unknown')
  })

  it("a page's error is the call's failure", async () => {
    const { pages, run, waiting } = life()
    const done = run.dispatch([callOf('a', 'pick')])
    await pages.answer((await waiting(1))[0]?.key ?? '', { error: 'nothing selected' })
    expect((await done).results[0]).toMatchObject({
      outcome: 'failed',
      content: 'pick failed: nothing selected',
    })
  })

  it('an abort settles it', async () => {
    const { pages, run, waiting } = life()
    const controller = new AbortController()
    const done = run.dispatch([callOf('a', 'pick')], { signal: controller.signal })
    await waiting(1)
    controller.abort()
    expect((await done).results[0]?.outcome).toBe('cancelled')
    expect(pages.pending()).toEqual([])
  })
})

describe('definitions of a page', () => {
  it('cannot shadow a tool of the server, nor find_tools, and a bad schema takes nobody down [n.untrusted]', async () => {
    const definitions = [
      { ...pick, name: 'server' },
      { ...pick, name: 'find_tools' },
      { ...pick, name: 'broken', inputSchema: { type: 'no such type' } },
      pick,
    ]
    const { dispatcher, run } = life({}, memoryRunStore(), definitions)
    expect(dispatcher.tools.map(({ name }) => name)).toEqual(['pick', 'server'])
    expect(dispatcher.diagnostics.map(({ tool }) => tool)).toEqual([
      'server',
      'find_tools',
      'broken',
    ])
    const { results } = await run.dispatch([callOf('a', 'server')])
    expect(results[0]?.content).toBe('from the server')
  })
})

describe('over a restart of the server', () => {
  const options = () => ({ store: memoryRecords<ClientCallRecord>() })

  it('the call still waits, its lease holds, and the answer is taken once [n.reattach]', async () => {
    const store = memoryRunStore()
    const durable = options()
    const first = life(durable, store)
    void first.run.dispatch([callOf('a', 'write')], { roundId: 'one' })
    const key = (await first.waiting(1))[0]?.key ?? ''
    await first.pages.lease(key, 'tab 1')

    const second = life(durable, store)
    const done = second.run.dispatch([callOf('a', 'write')], { roundId: 'one' })
    expect(await second.waiting(1)).toMatchObject([{ key, lease: { owner: 'tab 1' } }])
    expect(await second.pages.answer(key, { result: 2 }, 'tab 2')).toBe('conflict')
    expect(await second.pages.answer(key, { result: 1 }, 'tab 1')).toBe('taken')
    expect((await done).results[0]).toMatchObject({ outcome: 'completed', content: '1' })
  })

  it('an answer that was stored before the crash is the result', async () => {
    const store = memoryRunStore()
    const durable = options()
    const stalled: RunStore = { ...store, commit: () => new Promise(() => {}) }
    const first = life(durable, stalled)
    void first.run.dispatch([callOf('a', 'pick')], { roundId: 'one' })
    await first.pages.answer((await first.waiting(1))[0]?.key ?? '', { result: 'kept' })

    const second = life(durable, store)
    const { results } = await second.run.dispatch([callOf('a', 'pick')], { roundId: 'one' })
    expect(results[0]).toMatchObject({ outcome: 'completed', content: 'kept' })
  })

  it('its deadline counts from the first start', async () => {
    const store = memoryRunStore()
    let now = 1_000
    const durable = { ...options(), clock: () => now }
    const definitions = [{ ...pick, timeout: 5_000 }]
    const first = life(durable, store, definitions)
    void first.run.dispatch([callOf('a', 'pick')], { roundId: 'one' })
    await first.waiting(1)
    now = 7_000
    const second = life(durable, store, definitions)
    const { results } = await second.run.dispatch([callOf('a', 'pick')], { roundId: 'one' })
    expect(results[0]?.outcome).toBe('timed_out')
  })
})
