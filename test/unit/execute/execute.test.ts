import { describe, expect, it, vi } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type RunEvent,
  type ToolContext,
} from '../../../src/index.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'

const run = (tools: AnyTool[], options = {}) =>
  createDispatcher({ tools, mode: 'full', unattended: 'allow', ...options }).run()

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => callOf(`c${n}`, name, { n: String(n) }))

describe('slots', () => {
  it('at most five concurrent calls run, the rest start in order as slots free up [spec.concurrent] [p2.slots] [spec.three-passes]', async () => {
    const slow = gatedTool('slow', { concurrent: true, readOnly: true })
    const done = run([slow.tool]).dispatch(numbered('slow', 8))
    await slow.whenStarted(5)
    await settled()
    expect(slow.started).toEqual(['0', '1', '2', '3', '4'])
    slow.finish('3')
    await slow.whenStarted(6)
    slow.finish('0')
    await slow.whenStarted(7)
    expect(slow.started.slice(5)).toEqual(['5', '6'])
    for (const label of ['1', '2', '4', '5', '6']) slow.finish(label)
    await slow.whenStarted(8)
    slow.finish('7')
    const { results } = await done
    expect(slow.peak()).toBe(5)
    expect(results.map((result) => result.content)).toEqual(
      Array.from({ length: 8 }, (_, n) => `done ${n}`),
    )
  })

  it('maxConcurrent sets the number, and a throw frees its slot [p2.slots]', async () => {
    const slow = gatedTool('slow', { concurrent: true, readOnly: true })
    const done = run([slow.tool], { maxConcurrent: 1 }).dispatch(numbered('slow', 2))
    await slow.whenStarted(1)
    await settled()
    expect(slow.started).toEqual(['0'])
    slow.fail('0', new Error('no'))
    await slow.whenStarted(2)
    slow.finish('1')
    expect((await done).results.map((result) => result.outcome)).toEqual(['failed', 'completed'])
  })

  it("concurrent calls of tools that declare nothing run side by side: the tag is their author's word [p2.slots]", async () => {
    const send = gatedTool('send', { concurrent: true })
    const done = run([send.tool]).dispatch(numbered('send', 3))
    await send.whenStarted(3)
    for (const label of ['0', '1', '2']) send.finish(label)
    expect((await done).results.every((result) => result.outcome === 'completed')).toBe(true)
  })
})

describe('turns', () => {
  it("untagged tools run one at a time in the model's order, beside concurrent ones [spec.serial] [p2.serial-order]", async () => {
    const serial = gatedTool('serial', { readOnly: true })
    const other = gatedTool('other', { readOnly: true })
    const beside = gatedTool('beside', { readOnly: true, concurrent: true })
    const done = run([serial.tool, other.tool, beside.tool]).dispatch([
      callOf('a', 'serial', { n: '1' }),
      callOf('b', 'other', { n: '2' }),
      callOf('c', 'beside', { n: '3' }),
      callOf('d', 'serial', { n: '4' }),
    ])
    await Promise.all([serial.whenStarted(1), beside.whenStarted(1)])
    await settled()
    expect(other.started).toEqual([])
    serial.finish('1')
    await other.whenStarted(1)
    await settled()
    expect(serial.started).toEqual(['1'])
    other.finish('2')
    await serial.whenStarted(2)
    serial.finish('4')
    beside.finish('3')
    expect((await done).results.map((result) => result.callId)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('interactive tools', () => {
  it('run in turn even when they are tagged, and have no deadline of their own [spec.interactive]', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const ask = gatedTool('ask', { readOnly: true, concurrent: true, interactive: true })
      const done = run([ask.tool]).dispatch(numbered('ask', 2))
      await ask.whenStarted(1)
      await vi.advanceTimersByTimeAsync(3_600_000)
      expect(ask.started).toEqual(['0'])
      ask.finish('0')
      await ask.whenStarted(2)
      ask.finish('1')
      expect((await done).results.map((result) => result.outcome)).toEqual([
        'completed',
        'completed',
      ])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('hazards', () => {
  const files = (name: string, kind: 'reads' | 'writes') =>
    gatedTool(name, {
      concurrent: true,
      ...(kind === 'reads' && { readOnly: true }),
      [kind]: (args: { path: string }) => [`file:${args.path}`],
    })

  it('a call waits for earlier calls that touch the same resource and for no other [p2.hazards] [p2.free]', async () => {
    const read = files('read', 'reads')
    const edit = files('edit', 'writes')
    const fetch = gatedTool('fetch', { concurrent: true, readOnly: true })
    const events: RunEvent[] = []
    const done = createDispatcher({
      tools: [read.tool, edit.tool, fetch.tool],
      mode: 'full',
      unattended: 'allow',
      onEvent: (event) => events.push(event),
    })
      .run()
      .dispatch([
        callOf('a', 'read', { n: '1', path: '/a' }),
        callOf('b', 'edit', { n: '2', path: './a' }),
        callOf('c', 'read', { n: '3', path: '/a/b' }),
        callOf('d', 'read', { n: '4', path: '/ab' }),
        callOf('e', 'fetch', { n: '5' }),
      ])
    await Promise.all([read.whenStarted(2), fetch.whenStarted(1)])
    await settled()
    expect(read.started).toEqual(['1', '4'])
    expect(edit.started).toEqual([])
    read.finish('1')
    await edit.whenStarted(1)
    await settled()
    expect(read.started).toEqual(['1', '4'])
    edit.finish('2')
    await read.whenStarted(3)
    for (const label of ['3', '4']) read.finish(label)
    fetch.finish('5')
    await done
    expect(events.filter((event) => event.type === 'tool_call_waiting')).toMatchObject([
      { callId: 'b', reason: 'hazard', behind: ['a'] },
      { callId: 'c', reason: 'hazard', behind: ['b'] },
    ])
  })

  it('parallel writes to one file keep the order of the calls; another file runs beside them [p2.hazards]', async () => {
    const edit = files('edit', 'writes')
    const done = run([edit.tool]).dispatch([
      callOf('a', 'edit', { n: '1', path: 'f' }),
      callOf('b', 'edit', { n: '2', path: './f' }),
      callOf('c', 'edit', { n: '3', path: 'g' }),
    ])
    await edit.whenStarted(2)
    await settled()
    expect(edit.started).toEqual(['1', '3'])
    edit.finish('1')
    await edit.whenStarted(3)
    edit.finish('3')
    edit.finish('2')
    await done
  })

  it('a tool that says nothing of its writes waits for, and holds back, every call with resources [p2.opaque] [p2.free]', async () => {
    const read = files('read', 'reads')
    const opaque = gatedTool('opaque', { concurrent: true })
    const free = gatedTool('free', { concurrent: true, readOnly: true })
    const done = run([read.tool, opaque.tool, free.tool]).dispatch([
      callOf('a', 'read', { n: '1', path: '/a' }),
      callOf('b', 'opaque', { n: '2' }),
      callOf('c', 'read', { n: '3', path: '/z' }),
      callOf('d', 'free', { n: '4' }),
    ])
    await Promise.all([read.whenStarted(1), free.whenStarted(1)])
    await settled()
    expect(opaque.started).toEqual([])
    read.finish('1')
    await opaque.whenStarted(1)
    await settled()
    expect(read.started).toEqual(['1'])
    opaque.finish('2')
    await read.whenStarted(2)
    read.finish('3')
    free.finish('4')
    await done
  })

  it('a reads or writes that throws makes the call touch anything, and is reported [p2.hazards]', async () => {
    const events: RunEvent[] = []
    const tool: AnyTool = {
      name: 't',
      description: 't',
      writes: () => {
        throw new Error('no path')
      },
      execute: () => 'ok',
    }
    const { results } = await createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow' })
      .run({ onEvent: (event) => events.push(event) })
      .dispatch([callOf('a', 't')])
    expect(results[0]?.outcome).toBe('completed')
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'bad-resources' }),
    )
  })
})

describe('deadlines and aborts', () => {
  it('a hung tool that ignores its signal ends on time, its sibling is unharmed, no timer is left [p2.on-time] [p2.nothing-left] [p2.siblings]', async () => {
    vi.useFakeTimers()
    try {
      const hang = gatedTool('hang', { timeout: 50, readOnly: true, concurrent: true })
      const ok: AnyTool = { name: 'ok', description: 'ok', readOnly: true, execute: () => 1 }
      const done = run([hang.tool, ok]).dispatch([
        callOf('a', 'hang', { n: '1' }),
        callOf('b', 'ok'),
      ])
      await vi.advanceTimersByTimeAsync(49)
      expect(hang.contexts.get('1')?.signal.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      const { results } = await done
      expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
        ['timed_out', 'timed-out'],
        ['completed', 'completed'],
      ])
      expect(hang.contexts.get('1')?.signal.reason).toMatchObject({ name: 'TimeoutError' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('an abort ends running calls at once, queued ones never start, and all have results [p2.on-time] [p2.signal] [p3.one-result]', async () => {
    const slow = gatedTool('slow', { concurrent: true, readOnly: true })
    const controller = new AbortController()
    const done = run([slow.tool], { maxConcurrent: 2 }).dispatch(numbered('slow', 4), {
      signal: controller.signal,
    })
    await slow.whenStarted(2)
    const { signal } = slow.contexts.get('0') as ToolContext
    controller.abort(new Error('enough'))
    const { results } = await done
    expect(signal.aborted).toBe(true)
    expect(results.map((result) => result.code)).toEqual([
      'cancelled-while-running',
      'cancelled-while-running',
      'cancelled-before-start',
      'cancelled-before-start',
    ])
    expect(slow.started).toEqual(['0', '1'])
  })

  it('a write that timed out holds back the next write to its resource until it has settled; its late end is an event [p2.on-time]', async () => {
    vi.useFakeTimers()
    try {
      const pay = gatedTool('pay', { timeout: 30, writes: () => ['acct'] })
      const events: RunEvent[] = []
      const dispatcher = createDispatcher({ tools: [pay.tool], mode: 'full', unattended: 'allow' })
      const payRun = dispatcher.run({ onEvent: (event) => events.push(event) })
      const first = payRun.dispatch([callOf('a', 'pay', { n: '1' })])
      await vi.advanceTimersByTimeAsync(30)
      expect((await first).results[0]).toMatchObject({
        outcome: 'timed_out',
        content: expect.stringContaining('may still complete'),
      })
      const second = payRun.dispatch([callOf('b', 'pay', { n: '2' })])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(pay.started).toEqual(['1'])
      pay.finish('1', 'paid')
      await vi.advanceTimersByTimeAsync(0)
      expect(pay.started).toEqual(['1', '2'])
      pay.finish('2')
      expect((await second).results[0]?.outcome).toBe('completed')
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'tool_call_late', callId: 'a', content: 'paid' }),
      )
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('after its grace a write that never settles no longer holds others back [p2.on-time]', async () => {
    vi.useFakeTimers()
    try {
      const pay = gatedTool('pay', { timeout: 30, writes: () => ['acct'] })
      const payRun = run([pay.tool], { graceMs: 500 })
      const first = payRun.dispatch([callOf('a', 'pay', { n: '1' })])
      await vi.advanceTimersByTimeAsync(30)
      await first
      const second = payRun.dispatch([callOf('b', 'pay', { n: '2' })])
      await vi.advanceTimersByTimeAsync(499)
      expect(pay.started).toEqual(['1'])
      await vi.advanceTimersByTimeAsync(1)
      expect(pay.started).toEqual(['1', '2'])
      pay.finish('2')
      await second
    } finally {
      vi.useRealTimers()
    }
  })

  it('a foreign AbortError is a failure, not a cancellation [p2.siblings]', async () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      execute: () => Promise.reject(new DOMException('upstream gave up', 'AbortError')),
    }
    const { results } = await run([tool]).dispatch([callOf('a', 't')])
    expect(results[0]).toMatchObject({ outcome: 'failed', content: 't failed: upstream gave up' })
  })
})

describe('context', () => {
  it('holds signal, ids, key, progress, text and what was granted, and nothing else [p2.context]', async () => {
    let seen: ToolContext | undefined
    const tool: AnyTool = {
      name: 't',
      description: 't',
      needs: ['fetch'],
      execute: (_, context) => {
        seen = context
      },
    }
    const granted = (() => Promise.reject(new Error('not called'))) as typeof fetch
    await createDispatcher({
      tools: [tool],
      mode: 'full',
      unattended: 'allow',
      grants: { fetch: granted, workspace: {} },
    })
      .run({ runId: 'r', sessionId: 's' })
      .dispatch([callOf('a', 't')], { roundId: 'q' })
    expect(Object.keys(seen ?? {}).sort()).toEqual([
      'callId',
      'fetch',
      'idempotencyKey',
      'progress',
      'runId',
      'sessionId',
      'signal',
      'text',
    ])
    expect(seen).toMatchObject({ callId: 'a', runId: 'r', sessionId: 's', fetch: granted })
  })

  it('the idempotency key is stable over retries of the round and differs between calls [p2.idempotency]', async () => {
    const keys: string[] = []
    const tool: AnyTool = {
      name: 't',
      description: 't',
      dedupe: false,
      execute: (_: unknown, { idempotencyKey }: ToolContext) => void keys.push(idempotencyKey),
    }
    const calls = [callOf('a', 't'), callOf('b', 't')]
    for (let attempt = 0; attempt < 2; attempt += 1) {
      // A fresh dispatcher with a fresh store: the same round, as after a loss of all state.
      await run([tool]).dispatch(calls, { roundId: 'r' })
    }
    expect(new Set(keys.slice(0, 2)).size).toBe(2)
    const [first, second, third, fourth] = keys.map((key) => key.replace(/^[^:]+/, 'run'))
    expect([third, fourth]).toEqual([first, second])
  })

  it('a tool that changes its arguments changes nothing else [p2.siblings]', async () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      execute: (args: { list: number[] }) => args.list.push(9),
    }
    const { results } = await run([tool]).dispatch([
      callOf('a', 't', { list: [1] }),
      callOf('b', 't', { list: [1] }),
    ])
    expect(results.map((result) => result.outcome)).toEqual(['completed', 'duplicate'])
  })

  it('progress and text are events while the call runs and ignored afterwards', async () => {
    const slow = gatedTool('slow', { readOnly: true })
    const events: RunEvent[] = []
    const done = createDispatcher({ tools: [slow.tool], mode: 'full' })
      .run({ onEvent: (event) => events.push(event) })
      .dispatch([callOf('a', 'slow', { n: '1' })])
    await slow.whenStarted(1)
    slow.contexts.get('1')?.progress({ done: 1 })
    slow.contexts.get('1')?.text('piece')
    slow.finish('1')
    await done
    slow.contexts.get('1')?.progress({ done: 2 })
    const reports = events.filter(
      ({ type }) => type === 'tool_call_progress' || type === 'tool_call_text',
    )
    expect(reports).toMatchObject([{ value: { done: 1 } }, { text: 'piece' }])
  })
})

describe('background', () => {
  it('answers ok at once and goes on; its end is an event [p2.background]', async () => {
    const job = gatedTool('job', { background: true })
    const kept: Promise<unknown>[] = []
    const events: RunEvent[] = []
    const { results } = await createDispatcher({
      tools: [job.tool],
      mode: 'full',
      unattended: 'allow',
      waitUntil: (work) => kept.push(work),
      onEvent: (event) => events.push(event),
    })
      .run()
      .dispatch([callOf('a', 'job', { n: '1' })])
    expect(results[0]).toMatchObject({ outcome: 'completed', content: 'ok' })
    expect(events.some((event) => event.type === 'tool_call_end')).toBe(false)
    job.finish('1')
    await Promise.all(kept)
    expect(events.at(-1)).toMatchObject({
      type: 'tool_call_end',
      callId: 'a',
      outcome: 'completed',
    })
  })
})
