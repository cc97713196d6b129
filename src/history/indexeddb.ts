/**
 * A history in a page's IndexedDB, searched with MiniSearch: kept over reloads, shared by the tabs.
 * @module
 */
import { connectDatabase, requested } from '../idb.ts'
import { positiveInteger } from '../option.ts'
import {
  defaultDocuments,
  defaultLimit,
  type HistoryDocument,
  type HistoryOptions,
  type HistoryStore,
  mostText,
} from './history.ts'

export interface IndexedDBHistoryOptions extends HistoryOptions {
  /** Default `threepass-history`. */
  readonly database?: string
}

const openTimeoutMs = 5_000
const store = 'documents'
/** How often a collection was written: says whether an index is still good, whoever wrote. */
const counts = 'counts'

interface Index {
  readonly count: number
  readonly find: (query: string) => string[]
}

/** Throws `THREEPASS_BAD_OPTION` for a bound that is none. */
export function indexedDBHistory({
  database = 'threepass-history',
  maxDocuments = defaultDocuments,
}: IndexedDBHistoryOptions = {}): HistoryStore {
  positiveInteger('maxDocuments', maxDocuments)
  const connection = connectDatabase({
    name: database,
    openTimeoutMs,
    upgrade(made) {
      const documents = made.createObjectStore(store, { keyPath: ['collection', 'id'] })
      documents.createIndex('at', ['collection', 'at'])
      made.createObjectStore(counts)
    },
  })
  const read = <T>(body: (documents: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
    connection.run([store], 'readonly', (transaction) =>
      requested(body(transaction.objectStore(store))),
    )
  const indexes = new Map<string, Index>()

  const put: HistoryStore['put'] = (document) =>
    connection.run([store, counts], 'readwrite', async (transaction) => {
      const documents = transaction.objectStore(store)
      const count = transaction.objectStore(counts)
      const { collection } = document
      documents.put({ ...document, text: document.text.slice(0, mostText) })
      count.put(((await requested(count.get(collection))) ?? 0) + 1, collection)
      const old = await requested(documents.index('at').getAllKeys(rangeOf(collection, 0)))
      // Their own keys: `getAllKeys` of an index gives those of the documents.
      for (const key of old.slice(0, -maxDocuments)) documents.delete(key)
    })

  const all = (collection: string, since: number): Promise<HistoryDocument[]> =>
    read((documents) => documents.index('at').getAll(rangeOf(collection, since)))

  const indexOf = async (collection: string): Promise<Index> => {
    const count = await connection.run([counts], 'readonly', (transaction) =>
      requested<number | undefined>(transaction.objectStore(counts).get(collection)),
    )
    if (count === undefined) return { count: 0, find: () => [] }
    const known = indexes.get(collection)
    if (known?.count === count) return known
    const { indexDocuments } = await import('./search-index.ts')
    const index = { count, find: indexDocuments(await all(collection, 0)) }
    indexes.set(collection, index)
    return index
  }

  const get: HistoryStore['get'] = (collection, id) =>
    read((documents) => documents.get([collection, id]))

  return {
    put,
    get,
    async list(collection, { limit = defaultLimit, since = 0 } = {}) {
      return (await all(collection, since)).reverse().slice(0, limit)
    },
    async search(collection, query, { limit = defaultLimit, since = 0 } = {}) {
      const { find } = await indexOf(collection)
      const found: HistoryDocument[] = []
      for (const id of find(query)) {
        if (found.length === limit) break
        const document = await get(collection, id)
        if (document && document.at >= since) found.push(document)
      }
      return found
    },
  }
}

function rangeOf(collection: string, since: number): IDBKeyRange {
  return IDBKeyRange.bound([collection, since], [collection, Number.POSITIVE_INFINITY])
}
