import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { durableObjectHistory } from '../../src/history/durable-object.ts'
import type { HistoryOptions, HistoryStore } from '../../src/history/history.ts'
import { historyContract } from '../contracts/history.ts'
import type { TestObject } from './test-worker.ts'

/** Every call enters the object and makes a new store on its storage: nothing is kept in memory. */
historyContract('durable object', {
  make(options: HistoryOptions = {}) {
    const stub = env.OBJECT.getByName(crypto.randomUUID())
    const enter = <T>(work: (store: HistoryStore) => Promise<T>): Promise<T> =>
      runInDurableObject(stub, (_: TestObject, { storage }) =>
        work(durableObjectHistory(storage, options)),
      )
    return {
      put: (...args) => enter((store) => store.put(...args)),
      get: (...args) => enter((store) => store.get(...args)),
      list: (...args) => enter((store) => store.list(...args)),
      search: (...args) => enter((store) => store.search(...args)),
    }
  },
})
