/**
 * Documents in a MiniSearch index. Loaded with the first search.
 * @module
 */
import MiniSearch from 'minisearch'
import { type HistoryDocument, titleWeight } from './history.ts'
import { queryTerms, terms } from './terms.ts'

/** Follows a collection: only what has changed is read anew. */
export interface SearchIndex {
  /** Forgets all but `ids`, and takes in those of `documents` that it does not hold yet. */
  readonly update: (ids: { has(id: string): boolean }, documents: Iterable<HistoryDocument>) => void
  /** Ids of the documents that a query finds, best first; of two alike the newer. */
  readonly find: (query: string) => string[]
}

const searching = { prefix: true, boost: { title: titleWeight }, tokenize: queryTerms }

export function searchIndex(): SearchIndex {
  const index = new MiniSearch<HistoryDocument>({
    idField: 'id',
    fields: ['title', 'text'],
    tokenize: terms,
    processTerm: (term) => term,
  })
  // Kept, because `remove` has to be given what `add` was. `discard` needs less, but what it leaves behind
  // goes on to count in the weight of its words.
  const held = new Map<string, HistoryDocument>()
  const drop = (document: HistoryDocument): void => {
    index.remove(document)
    held.delete(document.id)
  }
  const atOf = (id: string): number => held.get(id)?.at ?? 0
  return {
    update(ids, documents) {
      for (const document of held.values()) if (!ids.has(document.id)) drop(document)
      for (const document of documents) {
        const earlier = held.get(document.id)
        if (earlier === document) continue
        if (earlier) drop(earlier)
        index.add(document)
        held.set(document.id, document)
      }
    },
    find: (query) =>
      index
        .search(query, searching)
        .sort((a, b) => b.score - a.score || atOf(b.id) - atOf(a.id))
        .map(({ id }) => String(id)),
  }
}
