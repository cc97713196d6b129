/**
 * Documents in a MiniSearch index. Loaded with the first search.
 * @module
 */
import MiniSearch from 'minisearch'
import { type HistoryDocument, mostText, titleWeight } from './history.ts'
import { queryTerms, terms } from './terms.ts'

/** Ids of the documents that a query finds, best first; of two alike the newer. */
export function indexDocuments(documents: readonly HistoryDocument[]): (query: string) => string[] {
  const index = new MiniSearch<HistoryDocument>({
    idField: 'id',
    fields: ['title', 'text'],
    tokenize: terms,
    processTerm: (term) => term,
  })
  const at = new Map(documents.map((each) => [each.id, each.at]))
  index.addAll(documents.map((each) => ({ ...each, text: each.text.slice(0, mostText) })))
  const searching = { prefix: true, boost: { title: titleWeight }, tokenize: queryTerms }
  return (query) =>
    index
      .search(query, searching)
      .sort((a, b) => b.score - a.score || (at.get(b.id) ?? 0) - (at.get(a.id) ?? 0))
      .map(({ id }) => String(id))
}
