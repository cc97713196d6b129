/**
 * A history in memory: lost with the process.
 * @module
 */
import { copyJson } from '../execute/copy.ts'
import { positiveInteger } from '../option.ts'
import {
  defaultDocuments,
  defaultLimit,
  type HistoryDocument,
  type HistoryOptions,
  type HistoryStore,
  mostText,
} from './history.ts'
import type { SearchIndex } from './search-index.ts'

interface Collection {
  /** In the order they were put. */
  readonly documents: Map<string, HistoryDocument>
  index?: SearchIndex
}

export type {
  HistoryDocument,
  HistoryOptions,
  HistoryQuery,
  HistoryStore,
} from './history.ts'

/** Throws `THREEPASS_BAD_OPTION` for a bound that is none. */
export function memoryHistory({
  maxDocuments = defaultDocuments,
}: HistoryOptions = {}): HistoryStore {
  positiveInteger('maxDocuments', maxDocuments)
  const collections = new Map<string, Collection>()
  const newest = ({ documents }: Collection) =>
    [...documents.values()].reverse().sort((a, b) => b.at - a.at)
  return {
    async put(document) {
      const { collection: name, id } = document
      const own = collections.get(name) ?? { documents: new Map() }
      collections.set(name, own)
      own.documents.delete(id)
      const [text, data] = [document.text.slice(0, mostText), copyJson(document.data)]
      own.documents.set(id, { ...document, text, data })
      if (own.documents.size <= maxDocuments) return
      for (const old of newest(own).slice(maxDocuments)) own.documents.delete(old.id)
    },
    async get(collection, id) {
      return collections.get(collection)?.documents.get(id)
    },
    async list(collection, { limit = defaultLimit, since = 0 } = {}) {
      const own = collections.get(collection)
      if (!own) return []
      return newest(own)
        .filter(({ at }) => at >= since)
        .slice(0, limit)
    },
    async search(collection, query, { limit = defaultLimit, since = 0 } = {}) {
      const own = collections.get(collection)
      if (!own) return []
      const { searchIndex } = await import('./search-index.ts')
      own.index ??= searchIndex()
      own.index.update(own.documents, own.documents.values())
      return own.index
        .find(query)
        .flatMap((id) => own.documents.get(id) ?? [])
        .filter(({ at }) => at >= since)
        .slice(0, limit)
    },
  }
}
