import { expect, it } from 'vitest'
import type { HistoryOptions, HistoryStore } from '../../src/history/history.ts'
import { indexedDBHistory } from '../../src/history/indexeddb.ts'
import { followsWrites, historyContract } from '../contracts/history.ts'
import { deleteDatabase } from './databases.ts'

const names = new WeakMap<HistoryStore, string>()

function open(database: string, options: HistoryOptions = {}): HistoryStore {
  const store = indexedDBHistory({ database, ...options })
  names.set(store, database)
  return store
}

const fresh = (options?: HistoryOptions) => open(`history-${crypto.randomUUID()}`, options)

historyContract('IndexedDB', {
  make: fresh,
  reopen: (store) => open(names.get(store) ?? ''),
})
followsWrites(fresh)

it('a database that is deleted while it is followed leaves nothing behind', async () => {
  const store = fresh()
  const put = (id: string) =>
    store.put({ collection: 'c', id, at: 1, title: 'word', text: '', data: {} })
  await put('a')
  await put('b')
  expect(await store.search('c', 'word')).toHaveLength(2)
  await deleteDatabase(names.get(store) ?? '')
  await put('c')
  expect((await store.search('c', 'word')).map(({ id }) => id)).toEqual(['c'])
})
