import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Json } from '../../src/index.ts'
import { durableObjectRecords, durableObjectRunStore } from '../../src/run-state/durable-object.ts'
import type { RecordStore } from '../../src/run-state/records.ts'
import { change } from '../../src/testing/run-store-given.ts'
import { recordStoreContract } from '../contracts/record-store.ts'
import type { TestObject } from './test-worker.ts'

/** Every call enters the object and makes a new store on its storage: nothing is kept in memory. */
function recordsIn(stub: DurableObjectStub<TestObject>): RecordStore<Json> {
  const inside = <T>(work: (store: RecordStore<Json>) => Promise<T>): Promise<T> =>
    runInDurableObject(stub, (_: TestObject, state) =>
      work(durableObjectRecords(state.storage, 'test')),
    )
  return {
    load: (key) => inside((store) => store.load(key)),
    save: (...args) => inside((store) => store.save(...args)),
  }
}

recordStoreContract('durable object', {
  make: () => recordsIn(env.OBJECT.getByName(crypto.randomUUID())),
})

it('kinds are kept apart, and from a run of the same name that is deleted', async () => {
  const stub = env.OBJECT.getByName(crypto.randomUUID())
  await runInDurableObject(stub, async (_: TestObject, { storage }) => {
    const [one, two] = ['one', 'two'].map((kind) => durableObjectRecords<number>(storage, kind))
    const runs = durableObjectRunStore(storage)
    await one?.save('k', 1, { now: 0, forgetAt: 9 })
    await two?.save('k', 2, { now: 0, forgetAt: 9 })
    await runs.commit('records one', change('records one', 0))
    await runs.delete('records one')
    expect([await one?.load('k'), await two?.load('k')]).toEqual([1, 2])
  })
})
