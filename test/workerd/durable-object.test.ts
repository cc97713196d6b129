import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { durableObjectRunStore, type SqlRunStorage } from '../../src/run-state/durable-object.ts'
import type { RunStore } from '../../src/run-state/store.ts'
import { change, codeOf, doneRound, event, round } from '../../src/testing/run-store-given.ts'
import { runStoreContract } from '../contracts/run-store.ts'
import type { TestObject } from './test-worker.ts'

type Stub = DurableObjectStub<TestObject>

const freshStub = (): Stub => env.OBJECT.getByName(crypto.randomUUID())

function inside<T>(
  stub: Stub,
  work: (storage: DurableObjectStorage) => T | Promise<T>,
): Promise<T> {
  return runInDurableObject(stub, (_: TestObject, state) => work(state.storage))
}

/** Every call enters the object and makes a new store on its storage: nothing is kept in memory. */
function storeIn(stub: Stub): RunStore {
  const call = <T>(
    work: (store: RunStore, signal: AbortSignal | undefined) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    // A signal belongs to the context that made it; the object needs one of its own.
    const aborted = signal?.aborted
    return inside(stub, (storage) =>
      work(durableObjectRunStore(storage), aborted ? AbortSignal.abort() : undefined),
    )
  }
  return {
    load: (id, signal) => call((store, local) => store.load(id, local), signal),
    loadSession: (id, signal) => call((store, local) => store.loadSession(id, local), signal),
    loadRound: (id, roundId, signal) =>
      call((store, local) => store.loadRound(id, roundId, local), signal),
    listRounds: (id, from, limit, signal) =>
      call((store, local) => store.listRounds(id, from, limit, local), signal),
    events: (id, after, limit, signal) =>
      call((store, local) => store.events(id, after, limit, local), signal),
    commit: (...args) => call((store) => store.commit(...args)),
    openRound: (...args) => call((store) => store.openRound(...args)),
    journal: (...args) => call((store) => store.journal(...args)),
    appendEvents: (...args) => call((store) => store.appendEvents(...args)),
    lastSeq: (...args) => call((store) => store.lastSeq(...args)),
    delete: (...args) => call((store) => store.delete(...args)),
  }
}

runStoreContract('Durable Object', { make: () => storeIn(freshStub()) })

/** The storage with its statements recorded, to see what is bound and what is written. */
function recorded(storage: DurableObjectStorage) {
  const calls: { query: string; bindings: unknown[]; written: number }[] = []
  const recording: SqlRunStorage = {
    sql: {
      exec(query, ...bindings) {
        const cursor = storage.sql.exec(query, ...bindings)
        const rows = cursor.toArray()
        calls.push({ query, bindings, written: cursor.rowsWritten })
        return { toArray: () => rows }
      },
    },
    transactionSync: (closure) => storage.transactionSync(closure),
  }
  return { calls, storage: recording }
}

describe('durableObjectRunStore', () => {
  it('finds its data again after the object was restarted', async () => {
    const name = crypto.randomUUID()
    const birth = (): Promise<string> =>
      runInDurableObject(env.OBJECT.getByName(name), ({ born }: TestObject) => born.id)
    const before = await birth()
    const first = storeIn(env.OBJECT.getByName(name))
    await first.openRound('r', round('a', 0))
    await first.journal('r', 'a', { callId: 'c', state: 'started' })
    await first.commit('r', change('r', 0, { round: doneRound('b', 1) }))
    await first.appendEvents('r', [event('r', 1)])
    await abortAllDurableObjects()
    // A stub is of no use once its object was aborted.
    const store = storeIn(env.OBJECT.getByName(name))
    expect(await birth()).not.toBe(before)
    expect((await store.load('r'))?.version).toBe(1)
    expect((await store.loadRound('r', 'a'))?.journal).toEqual([{ callId: 'c', state: 'started' }])
    expect(await store.loadRound('r', 'b')).toEqual(doneRound('b', 1))
    expect(await store.events('r', 0, 10)).toEqual([event('r', 1)])
  })

  it('splits a large value over rows that all stay under 2 MB', async () => {
    const sizes = await inside(freshStub(), async (storage) => {
      const store = durableObjectRunStore(storage)
      await store.appendEvents('r', [event('r', 1, '鍵'.repeat(1_500_000))])
      const rows = storage.sql.exec(
        'SELECT LENGTH(CAST(json AS BLOB)) AS bytes FROM threepass_value',
      )
      return rows.toArray().map((row) => Number(row.bytes))
    })
    expect(sizes.length).toBe(3)
    expect(Math.max(...sizes)).toBeLessThan(1_900_000)
  })

  it('binds strings and numbers only, and never near a hundred', async () => {
    const calls = await inside(freshStub(), async (storage) => {
      const { calls, storage: recording } = recorded(storage)
      const store = durableObjectRunStore(recording)
      await store.openRound('r', doneRound('a', 0))
      await store.commit('r', change('r', 0, { round: doneRound('a', 0) }))
      await store.appendEvents('r', [event('r', 1)])
      await store.listRounds('r', 0, Number.POSITIVE_INFINITY)
      await store.events('r', 0, Number.POSITIVE_INFINITY)
      await store.delete('r')
      return calls
    })
    const types = new Set(calls.flatMap(({ bindings }) => bindings.map((value) => typeof value)))
    expect([...types].sort()).toEqual(['number', 'string'])
    expect(Math.max(...calls.map(({ bindings }) => bindings.length))).toBeLessThan(10)
  })

  it('writes as many rows for the hundredth round as for the second', async () => {
    const written = await inside(freshStub(), async (storage) => {
      const { calls, storage: recording } = recorded(storage)
      const store = durableObjectRunStore(recording)
      const rows: number[] = []
      for (let index = 0; index < 100; index += 1) {
        calls.length = 0
        await store.commit('r', change('r', index, { round: doneRound(`round ${index}`, index) }))
        rows.push(calls.reduce((sum, call) => sum + call.written, 0))
      }
      return rows
    })
    expect(written[99]).toBe(written[1])
    expect(written[99]).toBeLessThan(15)
  })

  it('keeps its tables when its very first commit is rolled back', async () => {
    const codes = await inside(freshStub(), async (storage) => {
      const store = durableObjectRunStore(storage)
      const commit = (version: number) => codeOf(() => store.commit('r', change('r', version)))
      return [await commit(7), await commit(0)]
    })
    expect(codes).toEqual(['THREEPASS_STORE_CONFLICT', 'resolved'])
  })

  it('rolls back a commit that fails half-way, and keeps the cause', async () => {
    const stub = freshStub()
    const store = storeIn(stub)
    await store.commit('r', change('r', 0))
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const bad = change('r', 1, {
      round: { ...doneRound('a', 0), history: [cycle as never] },
    })
    expect(await codeOf(() => store.commit('r', bad))).toBe('THREEPASS_STORE_FAILED')
    await expect(store.commit('r', bad)).rejects.toHaveProperty('cause', expect.any(TypeError))
    expect((await store.load('r'))?.version).toBe(1)
    expect(await store.listRounds('r', 0, 10)).toEqual([])
  })
})
