/** What attacks on the library have found, each with the right answer, so that it stays found. */
import { describe, expect, it, vi } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type DispatcherOptions,
  type JsonObject,
  type RunEvent,
  type RunStore,
  type ToolCall,
} from '../../src/index.ts'
import { memoryCacheStore } from '../../src/result-cache/memory.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { cfworkerValidator } from '../../src/schema/cfworker.ts'
import { callOf, gatedTool, settled } from '../support/gated-tool.ts'

/** A file that is read and written: `read` may be cached. */
function file(cache?: AnyTool['cache']) {
  const content = new Map<string, string>()
  const read: AnyTool = {
    name: 'read',
    description: 'r',
    readOnly: true,
    concurrent: true,
    reads: (args) => [`file:${args.p}`],
    ...(cache && { cache }),
    execute: (args: JsonObject) => content.get(String(args.p)) ?? 'old',
  }
  const write: AnyTool = {
    name: 'write',
    description: 'w',
    writes: (args) => [`file:${args.p}`],
    execute: (args: JsonObject) => void content.set(String(args.p), String(args.s ?? 'new')),
  }
  return { read, write, content }
}

const dispatcherOf = (tools: AnyTool[], options: Partial<DispatcherOptions> = {}) =>
  createDispatcher({ tools, mode: 'full', unattended: 'allow', ...options })
const seen = async (round: Promise<{ results: readonly { outcome: string; content: string }[] }>) =>
  (await round).results.map(({ outcome, content }) => `${outcome}: ${content}`)

describe('no stale answer', () => {
  it('a cached read behind a write of its round is read anew', async () => {
    const { read, write } = file({ ttl: 60 })
    const dispatcher = dispatcherOf([read, write])
    const first = dispatcher.run({ sessionId: 's' })
    await first.dispatch([callOf('0', 'read', { p: 'a' })])
    const round = [
      callOf('a', 'read', { p: 'a' }),
      callOf('b', 'write', { p: 'a' }),
      callOf('c', 'read', { p: 'a' }),
    ]
    const [before, , after] = await seen(dispatcher.run({ sessionId: 's' }).dispatch(round))
    expect([before, after]).toEqual(['cached: old', 'completed: new'])
  })

  it('a session reads its own write, also of a tool whose answers are public', async () => {
    const { read, write } = file({ scope: 'public' })
    const dispatcher = dispatcherOf([read, write])
    for (const sessionId of ['s1', 's2']) {
      const run = () => dispatcher.run({ sessionId })
      await run().dispatch([callOf('w', 'write', { p: 'a', s: sessionId })])
      expect(await seen(run().dispatch([callOf('r', 'read', { p: 'a' })]))).toEqual([
        `completed: ${sessionId}`,
      ])
    }
  })

  it('a write of another run of the session voids the memory', async () => {
    const { read, write } = file()
    const dispatcher = dispatcherOf([read, write])
    const one = dispatcher.run({ sessionId: 's' })
    const two = dispatcher.run({ sessionId: 's' })
    await one.dispatch([callOf('a', 'read', { p: 'a' }), callOf('b', 'read', { p: 'b' })])
    await two.dispatch([callOf('w', 'write', { p: 'a' })])
    const again = [callOf('c', 'read', { p: 'a' }), callOf('d', 'read', { p: 'b' })]
    expect(await seen(one.dispatch(again))).toEqual(['completed: new', 'duplicate: old'])
  })

  it('a write that lands late, in the background or after its time-out, voids what was read meanwhile', async () => {
    for (const traits of [{ background: true }, { timeout: 5 }]) {
      const { read, content } = file()
      const late = gatedTool('late', { ...traits, writes: () => ['file:a'] })
      const kept: Promise<unknown>[] = []
      const run = dispatcherOf([read, late.tool], {
        graceMs: 0,
        waitUntil: (work) => kept.push(work),
      }).run()
      await run.dispatch([callOf('w', 'late', { n: '1' })])
      expect(await seen(run.dispatch([callOf('r', 'read', { p: 'a' })]))).toEqual([
        'completed: old',
      ])
      content.set('a', 'new')
      late.finish('1')
      await settled()
      await Promise.all(kept)
      expect(await seen(run.dispatch([callOf('s', 'read', { p: 'a' })]))).toEqual([
        'completed: new',
      ])
    }
  })

  it('an edited approval that writes elsewhere is seen by the reads behind it', async () => {
    const { read, write } = file()
    const run = dispatcherOf([read, write], {
      approver: ({ requests }) =>
        requests.map(({ callId }) => ({ callId, decision: 'approve', arguments: { p: 'b' } })),
    }).run()
    const round = [
      callOf('1', 'read', { p: 'b' }),
      callOf('2', 'write', { p: 'a' }),
      callOf('3', 'read', { p: 'b' }),
    ]
    const [first, , third] = await seen(run.dispatch(round))
    expect([first, third]).toEqual(['completed: old', 'completed: new'])
  })

  it('a write whose commit failed, or that a crash broke off, still voids', async () => {
    const { read, write, content } = file()
    const store = memoryRunStore()
    let fails = false
    const flaky: RunStore = {
      ...store,
      commit: (runId, change) =>
        fails ? Promise.reject(new Error('disk full')) : store.commit(runId, change),
    }
    const run = dispatcherOf([read, write], { store: flaky }).run({ runId: 'r' })
    await run.dispatch([callOf('a', 'read', { p: 'a' })])
    fails = true
    await run.dispatch([callOf('b', 'write', { p: 'a' })])
    fails = false
    expect(await seen(run.dispatch([callOf('c', 'read', { p: 'a' })]))).toEqual(['completed: new'])

    const dying = gatedTool('write', { writes: () => ['file:a'] })
    void dispatcherOf([read, dying.tool], { store })
      .run({ runId: 'r' })
      .dispatch([callOf('d', 'write', { n: '1' })], { roundId: 'q' })
    await dying.whenStarted(1)
    content.set('a', 'newer')
    const after = dispatcherOf([read, write], { store }).run({ runId: 'r' })
    expect(await seen(after.dispatch([callOf('e', 'read', { p: 'a' })]))).toEqual([
      'completed: newer',
    ])
  })
})

describe('no side effect twice, unasked or other than approved', () => {
  it('calls without ids are found again after a crash, whatever rounds came between', async () => {
    const store = memoryRunStore()
    const dying = gatedTool('pay')
    const calls = [{ name: 'pay', arguments: { n: '1' } }]
    void dispatcherOf([dying.tool], { store })
      .run({ runId: 'r' })
      .dispatch(calls, { roundId: 'r1' })
    await dying.whenStarted(1)
    const pay = gatedTool('pay')
    const run = dispatcherOf([pay.tool], { store }).run({ runId: 'r' })
    await run.dispatch([], { roundId: 'r2' })
    expect((await run.dispatch(calls, { roundId: 'r1' })).results[0]?.outcome).toBe('interrupted')
    expect(pay.started).toEqual([])
  })

  it.each([
    // The second schema no longer takes what the person wrote, and nobody has approved anything else.
    ['runs with their arguments', {}, 'completed'],
    ['does not run when they no longer fit', { n: { enum: ['bob'] } }, 'interrupted'],
  ])(
    'after a crash an idempotent call that a person had edited %s',
    async (_, properties, outcome) => {
      const store = memoryRunStore()
      const send = (tool: AnyTool) =>
        dispatcherOf([tool], {
          store,
          approver: ({ requests }) =>
            requests.map(({ callId }) => ({
              callId,
              decision: 'approve',
              arguments: { n: 'eve' },
            })),
        }).run({ runId: 'r' })
      const dying = gatedTool('send', { idempotent: true })
      const calls = [callOf('a', 'send', { n: 'bob' })]
      void send(dying.tool).dispatch(calls, { roundId: 'q' })
      await dying.whenStarted(1)
      const ran: unknown[] = []
      const again: AnyTool = {
        ...dying.tool,
        inputSchema: { type: 'object', properties },
        execute: (args) => ran.push(args),
      }
      const { results } = await send(again).dispatch(calls, { roundId: 'q' })
      expect(results[0]?.outcome).toBe(outcome)
      expect(ran).toEqual(outcome === 'completed' ? [{ n: 'eve' }] : [])
    },
  )

  it('rules that answer by a promise ask, read nothing for granted and leave no rejection behind', async () => {
    const lost: unknown[] = []
    const note = (reason: unknown) => lost.push(reason)
    process.on('unhandledRejection', note)
    const later = (() => Promise.reject(new Error('later'))) as never
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      confirm: later,
      reads: later,
      cache: { when: later },
      execute: () => 'ran',
    }
    const run = dispatcherOf([tool], { unattended: 'deny' }).run()
    expect(await seen(run.dispatch([callOf('a', 't')]))).toEqual([expect.stringMatching(/^denied/)])
    const { confirm: _confirm, ...unasked } = tool
    expect(
      await seen(
        dispatcherOf([unasked])
          .run()
          .dispatch([callOf('a', 't')]),
      ),
    ).toEqual(['completed: ran'])
    await settled()
    process.off('unhandledRejection', note)
    expect(lost).toEqual([])
  })

  it('a pattern of an allow rule cannot be climbed out of in any spelling', async () => {
    const get: AnyTool = { name: 'get', description: 'g', execute: () => 'ran' }
    let asked: string[] = []
    const dispatcher = createDispatcher({
      tools: [get],
      mode: 'full',
      approver: ({ requests }) => {
        asked.push(...requests.map((request) => String(request.arguments.url)))
        return requests.map(({ callId }) =>
          callId === 'first'
            ? { callId, decision: 'approve-and-remember', pattern: { url: 'https://h/safe/**' } }
            : { callId, decision: 'deny' },
        )
      },
    })
    const run = dispatcher.run()
    await run.dispatch([callOf('first', 'get', { url: 'https://h/safe/a' })])
    asked = []
    const climbing = [
      '%2e%2e/admin',
      '.%2E/admin',
      '.\t./admin',
      '..%2fadmin',
      '..\\admin',
      '../admin',
    ]
    const urls = [...climbing, 'b/c.d'].map((path) => `https://h/safe/${path}`)
    await run.dispatch(urls.map((url) => callOf(url, 'get', { url })))
    expect(asked).toEqual(urls.slice(0, -1))
  })

  it('what is shown to others cannot be changed by them: what was checked is what runs', async () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
      confirm: (args) => {
        args.to = 5
        return true
      },
      execute: (args: unknown) => args,
    }
    const run = dispatcherOf([tool], {
      approver: ({ requests }) =>
        requests.map(({ callId, arguments: args }) => {
          args.to = 6
          return { callId, decision: 'approve' }
        }),
      onEvent: (event) => {
        if (event.type === 'tool_call') (event.arguments as JsonObject).to = 7
      },
    }).run()
    const calls = [callOf('a', 't', { to: 'ann' })]
    const done = run.dispatch(calls)
    calls.push(callOf('b', 't', { to: 'bob' }))
    expect((await done).results.map((result) => result.value)).toEqual([{ to: 'ann' }])
  })

  it('an approval with arguments that are no object is asked again, never run empty', async () => {
    const tool: AnyTool = { name: 't', description: 't', execute: () => 'ran' }
    const run = dispatcherOf([tool], {
      approver: ({ requests }) =>
        requests.map(({ callId }) => ({ callId, decision: 'approve', arguments: null as never })),
    }).run()
    expect((await run.dispatch([callOf('a', 't', { n: 1 })])).results[0]?.outcome).toBe('denied')
  })
})

describe('one result a call, in time', () => {
  it('lone surrogates in ids, names and arguments are replaced, the round goes on', async () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      execute: (args: unknown) => args,
    }
    const calls = [
      { id: '\ud800', name: '\udc00x' },
      { id: 'b', name: 't', arguments: '{"a":"\ud800"}' },
    ]
    const { results } = await dispatcherOf([tool]).run().dispatch(calls, { roundId: 'q' })
    expect(results.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['\ufffd', 'unknown'],
      ['b', 'completed'],
    ])
    expect(results[1]?.value).toEqual({ a: '\ufffd' })
  })

  it('calls that cannot even be read have a result', async () => {
    const hostile = {
      get name(): string {
        throw new Error('no')
      },
    }
    const { results } = await dispatcherOf([])
      .run()
      .dispatch([hostile as unknown as ToolCall])
    expect(results[0]?.outcome).toBe('unknown')
  })

  it('a listener that always fails later is reported once an event, not for ever', async () => {
    const events: RunEvent[] = []
    const run = dispatcherOf([]).run({
      onEvent: (event) => {
        events.push(event)
        return Promise.reject(new Error('no')) as never
      },
    })
    await run.dispatch([callOf('a', 'x')])
    await settled()
    expect(events.filter((event) => event.type === 'warning')).toHaveLength(4)
  })

  it('a stream that never waits, and one that never speaks, end at the deadline and are let go', async () => {
    let cancelled = false
    const busy: AnyTool = {
      name: 'busy',
      description: 'b',
      readOnly: true,
      timeout: 20,
      async *execute() {
        for (;;) yield ''
      },
    }
    const silent: AnyTool = {
      ...busy,
      name: 'silent',
      execute: () =>
        new ReadableStream({
          cancel() {
            cancelled = true
          },
        }),
    }
    const { results } = await dispatcherOf([busy, silent])
      .run()
      .dispatch([callOf('a', 'busy'), callOf('b', 'silent')])
    await settled()
    expect([...results.map((result) => result.outcome), cancelled]).toEqual([
      'timed_out',
      'timed_out',
      true,
    ])
  })

  it('a cache that never answers is a miss', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const hung = {
      get: () => new Promise<never>(() => {}),
      set: () => new Promise<never>(() => {}),
      delete: () => {},
    }
    try {
      const { read } = file({})
      const done = seen(
        dispatcherOf([read], { cache: hung })
          .run()
          .dispatch([callOf('a', 'read', { p: 'a' })]),
      )
      // The look-up's bound, then the store's; when they begin is the hash's thread to say.
      let over = false
      void done.then(() => {
        over = true
      })
      while (!over) {
        await settled()
        await vi.advanceTimersByTimeAsync(2_000)
      }
      expect(await done).toEqual(['completed: old'])
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('P58 a hung tool that declares nothing does not hold back another', async () => {
    const hang: AnyTool = {
      name: 'hang',
      description: 'h',
      timeout: 20,
      execute: () => new Promise(() => {}),
    }
    const ok: AnyTool = { name: 'ok', description: 'o', execute: () => 1 }
    // The grace is far beyond the test's own time-out.
    const run = dispatcherOf([hang, ok], { graceMs: 600_000 }).run()
    expect(
      (await run.dispatch([callOf('a', 'hang'), callOf('b', 'ok')])).results.map(
        (result) => result.outcome,
      ),
    ).toEqual(['timed_out', 'completed'])
  })

  it('thousands of equal ids and of unknown names take no time worth speaking of', async () => {
    const tools = Array.from(
      { length: 1_000 },
      (_, n): AnyTool => ({ name: `tool_${n}`, description: '', execute: () => '' }),
    )
    const calls = Array.from({ length: 5_000 }, () => ({ id: 'same', name: 'nothing_like_it' }))
    const { results } = await dispatcherOf(tools, { maxCalls: 5_000 }).run().dispatch(calls)
    expect(new Set(results.map((result) => result.callId)).size).toBe(5_000)
  })
})

describe('smaller things', () => {
  it('a pattern with a varying repeat under a repeat is screened', () => {
    const compiled = cfworkerValidator().compile(
      { type: 'object', properties: { s: { type: 'string', pattern: '^(a{1,2})*$' } } },
      'external',
    )
    expect(compiled.warnings).toHaveLength(1)
    expect(compiled.check({ s: `${'a'.repeat(60)}!` }).ok).toBe(true)
  })

  it('names inside run_tool are cleaned like any other; numbers count towards the size of arguments', async () => {
    const tool: AnyTool = { name: 't', description: 't', readOnly: true, execute: () => 'ran' }
    const calls = [
      callOf('a', 'run_tool', { name: 'functions.t<|x|>', args: {} }),
      callOf('b', 't', { a: Array(1_000).fill(1) }),
    ]
    const { results } = await dispatcherOf([tool], { maxArgumentBytes: 1_000 })
      .run()
      .dispatch(calls)
    expect(results.map(({ code }) => code)).toEqual(['completed', 'arguments-too-large'])
  })

  it('a relative path with a colon is the same resource in both spellings', async () => {
    const { read, write } = file()
    const dispatcher = dispatcherOf([
      { ...read, reads: (args) => [String(args.p)] },
      { ...write, writes: () => ['./notes/a:b'] },
    ])
    const run = dispatcher.run()
    const path = { p: 'notes/a:b' }
    await run.dispatch([callOf('a', 'read', path)])
    await run.dispatch([callOf('b', 'write', path)])
    expect(await seen(run.dispatch([callOf('c', 'read', path)]))).toEqual(['completed: new'])
  })

  it('readOnly and writes together are refused early', () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      writes: () => [],
      execute: () => '',
    }
    expect(() => dispatcherOf([tool])).toThrowError(/only be one of them/)
  })

  it('one cache for two sessions without a written word between them: memory outlives nothing', async () => {
    const cache = memoryCacheStore()
    const { read } = file({})
    const outcome = async (sessionId: string) =>
      (
        await dispatcherOf([read], { cache })
          .run({ sessionId })
          .dispatch([callOf('a', 'read', { p: 'a' })])
      ).results[0]?.outcome
    expect([await outcome('s'), await outcome('s'), await outcome('t')]).toEqual([
      'completed',
      'cached',
      'completed',
    ])
  })
})
