import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexedDBRunStore } from '../../src/run-state/indexeddb.ts'
import type { RunStore } from '../../src/run-state/store.ts'
import { change, codeOf, doneRound, round } from '../../src/testing/run-store-given.ts'
import { runStoreContract } from '../contracts/run-store.ts'
import { breakages, connectionsOf, deleteDatabase, freshName } from './databases.ts'

const names = new Map<RunStore, string>()

runStoreContract('IndexedDB', {
  make() {
    const databaseName = freshName()
    const store = indexedDBRunStore({ databaseName })
    names.set(store, databaseName)
    return store
  },
  reopen: (store) => indexedDBRunStore({ databaseName: names.get(store) ?? 'unknown' }),
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('indexedDBRunStore', () => {
  it('works again after its connection was closed', async () => {
    const store = indexedDBRunStore({ databaseName: freshName() })
    const opened = await connectionsOf(() => store.commit('r', change('r', 0)))
    for (const database of opened) database.close()
    expect((await store.load('r'))?.version).toBe(1)
    expect(opened.length).toBe(1)
  })

  it('lets another tab delete the database, and starts anew', async () => {
    const databaseName = freshName()
    const store = indexedDBRunStore({ databaseName })
    await store.commit('r', change('r', 0))
    await deleteDatabase(databaseName)
    expect(await store.load('r')).toBeUndefined()
    await store.commit('r', change('r', 0))
  })

  it.each(breakages)(
    'when IndexedDB %s: STORE_FAILED, and it works once it is back',
    async (_, broken) => {
      const databaseName = freshName()
      const store = indexedDBRunStore({ databaseName, openTimeoutMs: 1 })
      broken()
      const calls = [() => store.load('r'), () => store.commit('r', change('r', 0))]
      for (const call of calls) expect(await codeOf(call)).toBe('THREEPASS_STORE_FAILED')
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
      // Opens of one name queue: when the second is through, the first, late or not, has been taken.
      await codeOf(() => store.load('r'))
      await indexedDBRunStore({ databaseName }).load('r')
      await store.commit('r', change('r', 0))
      expect((await store.load('r'))?.version).toBe(1)
    },
  )

  it('rolls back a commit that fails half-way, and keeps the cause', async () => {
    const store = indexedDBRunStore({ databaseName: freshName() })
    await store.commit('r', change('r', 0))
    const bad = change('r', 1, { round: { ...doneRound('a', 0), history: [(() => 1) as never] } })
    await expect(store.commit('r', bad)).rejects.toMatchObject({
      code: 'THREEPASS_STORE_FAILED',
      cause: { name: 'DataCloneError' },
    })
    expect((await store.load('r'))?.version).toBe(1)
    expect(await store.listRounds('r', 0, 10)).toEqual([])
  })

  it('waits for the disk where the port says durable', async () => {
    const store = indexedDBRunStore({ databaseName: freshName() })
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    await store.openRound('r', round('a', 0))
    await store.journal('r', 'a', { callId: 'c', state: 'started' })
    await store.commit('r', change('r', 0))
    const durability = transaction.mock.calls.map(([, , options]) => options?.durability)
    expect(durability).toEqual(['strict', 'strict', 'strict'])
  })
})
