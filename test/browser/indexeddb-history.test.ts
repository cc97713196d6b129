import type { HistoryOptions, HistoryStore } from '../../src/history/history.ts'
import { indexedDBHistory } from '../../src/history/indexeddb.ts'
import { historyContract } from '../contracts/history.ts'

const names = new WeakMap<HistoryStore, string>()

function open(database: string, options: HistoryOptions = {}): HistoryStore {
  const store = indexedDBHistory({ database, ...options })
  names.set(store, database)
  return store
}

historyContract('IndexedDB', {
  make: (options) => open(`history-${crypto.randomUUID()}`, options),
  reopen: (store) => open(names.get(store) ?? ''),
})
