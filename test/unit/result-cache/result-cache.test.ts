import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  type CacheStore,
  createDispatcher,
  type DispatcherOptions,
  type RunEvent,
} from '../../../src/index.ts'
import { memoryCacheStore } from '../../../src/result-cache/memory.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'

const minute = 60_000

function fetching(traits: Partial<AnyTool> = {}) {
  let times = 0
  const tool: AnyTool = {
    name: 'fetch',
    description: 'f',
    readOnly: true,
    concurrent: true,
    reads: () => [],
    cache: {},
    ...traits,
    execute: () => {
      times += 1
      return { times }
    },
  }
  return { tool, times: () => times }
}

function clocked(tools: AnyTool[], options: Partial<DispatcherOptions> = {}) {
  let now = 1_000_000
  const dispatcher = createDispatcher({
    tools,
    mode: 'full',
    unattended: 'allow',
    cache: memoryCacheStore(),
    clock: () => now,
    ...options,
  })
  const call = async (name: string, args: object = {}, sessionId = 's') =>
    (await dispatcher.run({ sessionId }).dispatch([callOf('a', name, args)])).results[0]
  return {
    dispatcher,
    call,
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('the result cache', () => {
  it('answers for thirty minutes, across runs, with its age; a hit does not prolong it [c.ttl] [c.hit]', async () => {
    const { tool } = fetching()
    const { call, pass } = clocked([tool])
    expect(await call('fetch', { u: 1 })).toMatchObject({
      outcome: 'completed',
      value: { times: 1 },
    })
    pass(20 * minute)
    expect(await call('fetch', { u: 1 })).toMatchObject({
      outcome: 'cached',
      value: { times: 1 },
      ageMs: 20 * minute,
    })
    pass(10 * minute - 1)
    expect((await call('fetch', { u: 1 }))?.outcome).toBe('cached')
    pass(1)
    expect(await call('fetch', { u: 1 })).toMatchObject({
      outcome: 'completed',
      value: { times: 2 },
    })
  })

  it("no session sees another's answer unless the tool says public [c.ttl] [c.key]", async () => {
    const own = fetching()
    const all = fetching({ name: 'all', cache: { scope: 'public' } })
    const { call } = clocked([own.tool, all.tool])
    await call('fetch', {}, 's1')
    await call('all', {}, 's1')
    expect((await call('fetch', {}, 's2'))?.outcome).toBe('completed')
    expect((await call('all', {}, 's2'))?.outcome).toBe('cached')
  })

  it('the key holds namespace, tool, version, description and arguments [c.key]', async () => {
    const cache = memoryCacheStore()
    const outcome = async (traits: Partial<AnyTool>, args: object, options = {}) => {
      const { call } = clocked([fetching(traits).tool], { cache, ...options })
      return (await call(traits.name ?? 'fetch', args))?.outcome
    }
    expect(await outcome({}, { u: 1 })).toBe('completed')
    expect(await outcome({}, { u: 1 })).toBe('cached')
    expect(await outcome({}, { u: 2 })).toBe('completed')
    expect(await outcome({ version: '2' }, { u: 1 })).toBe('completed')
    expect(await outcome({ description: 'also sends the file to x' }, { u: 1 })).toBe('completed')
    expect(await outcome({ name: 'Fetch' }, { u: 1 })).toBe('completed')
    expect(await outcome({}, { u: 1 }, { cacheNamespace: 'other' })).toBe('completed')
  })

  it('errors, partial answers and time-outs are never stored [c.never-stored]', async () => {
    let times = 0
    const tool: AnyTool = {
      name: 'search',
      description: 's',
      readOnly: true,
      cache: { ttl: 1_800 },
      timeout: 20,
      execute() {
        times += 1
        if (times === 1) return { isError: true }
        if (times === 2) throw new Error('down')
        if (times === 3) return { partial: true, items: [] }
        return times === 4 ? new Promise(() => {}) : [1]
      },
    }
    const { call } = clocked([tool])
    const outcomes: unknown[] = []
    for (let attempt = 0; attempt < 6; attempt += 1) outcomes.push((await call('search'))?.outcome)
    expect(outcomes).toEqual(['failed', 'failed', 'completed', 'timed_out', 'completed', 'cached'])
  })

  it('when excepts calls; a tool without the trait is never cached', async () => {
    const some = fetching({ cache: { when: (args) => args.method === 'GET' } })
    const none = fetching({ name: 'none' })
    const { cache: _cache, ...uncached } = none.tool
    const { call } = clocked([some.tool, uncached])
    for (const [name, args] of [
      ['fetch', { method: 'POST' }],
      ['none', {}],
    ] as const) {
      await call(name, args)
      expect((await call(name, args))?.outcome).toBe('completed')
    }
    await call('fetch', { method: 'GET' })
    expect((await call('fetch', { method: 'GET' }))?.outcome).toBe('cached')
  })

  it('a hit still passes preflight: wrong arguments are invalid, a denied call is denied [c.hit]', async () => {
    const { tool, times } = fetching({
      readOnly: false,
      writes: () => [],
      inputSchema: { type: 'object', properties: { u: { type: 'integer' } } },
    })
    const cache = memoryCacheStore()
    await clocked([tool], { cache }).call('fetch', { u: 1 })
    const strict = clocked([tool], { cache, unattended: 'deny' })
    expect((await strict.call('fetch', { u: 1 }))?.outcome).toBe('denied')
    expect((await clocked([tool], { cache }).call('fetch', { u: 'x' }))?.outcome).toBe('invalid')
    expect(times()).toBe(1)
  })

  it('an answer from before a write is never met again, in this run or another of the session [c.generation]', async () => {
    const { tool } = fetching({ reads: () => ['file:/a'] })
    const write: AnyTool = {
      name: 'write',
      description: 'w',
      writes: (args) => [`file:${args.path}`],
      execute: () => 'ok',
    }
    const opaque: AnyTool = { name: 'opaque', description: 'o', execute: () => 'ok' }
    const { call } = clocked([tool, write, opaque])
    const outcome = async () => (await call('fetch'))?.outcome
    expect([await outcome(), await outcome()]).toEqual(['completed', 'cached'])
    await call('write', { path: '/b' })
    expect(await outcome()).toBe('cached')
    await call('write', { path: '/a/x' })
    expect([await outcome(), await outcome()]).toEqual(['completed', 'cached'])
    await call('opaque')
    expect([await outcome(), await outcome()]).toEqual(['completed', 'cached'])
  })

  it('a failing store never fails a call; its failures are warnings [c.store-fails]', async () => {
    const down = () => {
      throw new Error('429')
    }
    const stores: CacheStore[] = [
      { get: down, set: down, delete: down },
      {
        get: () => Promise.reject(new Error('gone')),
        set: async () => ({ skipped: 'too large' }),
        delete: async () => {},
      },
    ]
    for (const cache of stores) {
      const events: RunEvent[] = []
      const { call } = clocked([fetching().tool], { cache, onEvent: (event) => events.push(event) })
      expect((await call('fetch'))?.outcome).toBe('completed')
      expect(events.filter((event) => event.type === 'warning')).toHaveLength(2)
    }
  })
})

describe('single flight', () => {
  it('equal cacheable calls of concurrent runs execute once [c.single-flight]', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true, cache: {} })
    const { dispatcher } = clocked([slow.tool])
    const dispatch = () =>
      dispatcher.run({ sessionId: 's' }).dispatch([callOf('a', 'slow', { n: '1' })])
    const rounds = [dispatch(), dispatch(), dispatch()]
    await slow.whenStarted(1)
    await settled()
    slow.finish('1', 'answer')
    // Which of them leads is the hash's thread to say.
    const outcomes = (await Promise.all(rounds)).map(({ results }) => results[0]?.outcome)
    expect(outcomes.sort()).toEqual(['cached', 'cached', 'completed'])
    expect(slow.started).toEqual(['1'])
  })

  it('when the one that runs fails or is aborted, the next runs it itself [c.single-flight]', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true, cache: {} })
    const { dispatcher } = clocked([slow.tool])
    const controller = new AbortController()
    const dispatch = (signal?: AbortSignal) =>
      dispatcher
        .run({ sessionId: 's' })
        .dispatch([callOf('a', 'slow', { n: '1' })], signal ? { signal } : {})
    const first = dispatch(controller.signal)
    await slow.whenStarted(1)
    const second = dispatch()
    await settled()
    controller.abort()
    expect((await first).results[0]?.outcome).toBe('cancelled')
    await slow.whenStarted(2)
    const third = dispatch()
    await settled()
    slow.fail('1', new Error('down'))
    await slow.whenStarted(3)
    slow.finish('1', 'at last')
    expect([(await second).results[0]?.outcome, (await third).results[0]?.outcome]).toEqual([
      'failed',
      'completed',
    ])
  })
})
