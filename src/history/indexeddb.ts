/**
 * A history in a page's IndexedDB, searched with MiniSearch: kept over reloads, shared by the tabs.
 * @module
 */
import { connectDatabase, type Database, requested } from '../idb.ts'
import { positiveInteger } from '../option.ts'
import { createTurns } from '../turns.ts'
import {
  defaultDocuments,
  defaultLimit,
  type HistoryDocument,
  type HistoryOptions,
  type HistoryStore,
  mostText,
} from './history.ts'
import type { SearchIndex } from './search-index.ts'

export interface IndexedDBHistoryOptions extends HistoryOptions {
  /** Default `threepass-histories`. */
  readonly database?: string
}

const openTimeoutMs = 5_000
const store = 'documents'
/** How often a collection was written, by whichever tab. */
const counts = 'counts'

interface Stored {
  readonly document: HistoryDocument
  /** The write of its collection that put it there: 1, 2, 3 … */
  readonly write: number
}

interface Followed {
  readonly index: SearchIndex
  /** How far it has followed the writes. */
  readonly count: number
}

/** Throws `THREEPASS_BAD_OPTION` for a bound that is none. */
export function indexedDBHistory({
  database = 'threepass-histories',
  maxDocuments = defaultDocuments,
}: IndexedDBHistoryOptions = {}): HistoryStore {
  positiveInteger('maxDocuments', maxDocuments)
  const connection = connectDatabase({
    name: database,
    openTimeoutMs,
    upgrade(made) {
      const keyPath = ['document.collection', 'document.id']
      const documents = made.createObjectStore(store, { keyPath })
      documents.createIndex('at', ['document.collection', 'document.at', 'write'])
      documents.createIndex('write', ['document.collection', 'write'])
      made.createObjectStore(counts)
    },
  })
  const inTurn = createTurns()
  const followed = new Map<string, Followed>()

  const put: HistoryStore['put'] = (document) =>
    connection.run([store, counts], 'readwrite', async (transaction) => {
      const documents = transaction.objectStore(store)
      const { collection } = document
      const write = (await countOf(transaction, collection)) + 1
      const text = document.text.slice(0, mostText)
      documents.put({ document: { ...document, text }, write } satisfies Stored)
      transaction.objectStore(counts).put(write, collection)
      const all = rangeOf(collection, 0)
      const excess = (await requested(documents.index('at').count(all))) - maxDocuments
      if (excess <= 0) return
      // Their own keys: `getAllKeys` of an index gives those of the documents.
      const old = await requested(documents.index('at').getAllKeys(all, excess))
      for (const key of old) documents.delete(key)
    })

  /** The collection's index with all that was written since, here or in another tab. */
  const follow = async (collection: string): Promise<SearchIndex> => {
    const { searchIndex } = await import('./search-index.ts')
    const known = followed.get(collection) ?? { index: searchIndex(), count: 0 }
    const count = await connection.run([counts], 'readonly', (transaction) =>
      countOf(transaction, collection),
    )
    if (known.count === count) return known.index
    // A smaller count is another database: the one that was followed has been deleted.
    const { index, count: seen } = known.count < count ? known : { index: searchIndex(), count: 0 }
    const { ids, changed } = await readWritten(connection, collection, seen + 1)
    index.update(ids, changed)
    followed.set(collection, { index, count })
    return index
  }

  const get: HistoryStore['get'] = (collection, id) =>
    connection.run([store], 'readonly', async (transaction) => {
      const found = transaction.objectStore(store).get([collection, id])
      return (await requested<Stored | undefined>(found))?.document
    })

  return {
    put,
    get,
    list: (collection, { limit = defaultLimit, since = 0 } = {}) =>
      connection.run([store], 'readonly', async (transaction) => {
        const newest = transaction.objectStore(store).index('at')
        const found: HistoryDocument[] = []
        const next = newest.openCursor(rangeOf(collection, since), 'prev')
        let cursor = await requested(next)
        while (cursor && found.length < limit) {
          found.push((cursor.value as Stored).document)
          cursor.continue()
          cursor = await requested(next)
        }
        return found
      }),
    async search(collection, query, { limit = defaultLimit, since = 0 } = {}) {
      const index = await inTurn(collection, () => follow(collection))
      const found: HistoryDocument[] = []
      for (const id of index.find(query)) {
        if (found.length === limit) break
        const document = await get(collection, id)
        if (document && document.at >= since) found.push(document)
      }
      return found
    },
  }
}

async function countOf(transaction: IDBTransaction, collection: string): Promise<number> {
  const count = transaction.objectStore(counts).get(collection)
  return (await requested<number | undefined>(count)) ?? 0
}

/** The ids that a collection has, and its documents from a write on. */
function readWritten(connection: Database, collection: string, from: number) {
  return connection.run([store], 'readonly', async (transaction) => {
    const byWrite = transaction.objectStore(store).index('write')
    const [keys, changed] = await Promise.all([
      requested(byWrite.getAllKeys(rangeOf(collection, 0))),
      requested<Stored[]>(byWrite.getAll(rangeOf(collection, from))),
    ])
    const ids = new Set(keys.map((key) => (key as [collection: string, id: string])[1]))
    return { ids, changed: changed.map(({ document }) => document) }
  })
}

/** Of a collection, by time or by write. */
function rangeOf(collection: string, from: number): IDBKeyRange {
  return IDBKeyRange.bound([collection, from], [collection, Number.POSITIVE_INFINITY])
}
