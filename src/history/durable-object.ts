/**
 * A history in the SQLite storage of a Durable Object, searched with FTS5.
 * @module
 */
import { positiveInteger } from '../option.ts'
import type { JsonObject } from '../round.ts'
import type { SqlRunStorage } from '../run-state/durable-object-value.ts'
import {
  defaultDocuments,
  defaultLimit,
  type HistoryDocument,
  type HistoryOptions,
  type HistoryStore,
  mostText,
  titleWeight,
} from './history.ts'
import { queryTerms, terms } from './terms.ts'

type Row = Record<string, unknown>

const columns = 'd.collection, d.id, d.at, d.title, d.text, d.data'

/**
 * Documents beside the runs of `durableObjectRunStore`, in tables of their own. Throws
 * `THREEPASS_BAD_OPTION` for a bound that is none.
 */
export function durableObjectHistory(
  storage: SqlRunStorage,
  { maxDocuments = defaultDocuments }: HistoryOptions = {},
): HistoryStore {
  positiveInteger('maxDocuments', maxDocuments)
  let opened = false
  const rows = (query: string, ...bindings: (string | number)[]): Row[] => {
    if (!opened) createTables(storage.sql)
    opened = true
    return storage.sql.exec(query, ...bindings).toArray()
  }
  const remove = (found: readonly Row[]) => {
    for (const { number } of found) {
      rows('DELETE FROM threepass_history_words WHERE rowid = ?', Number(number))
      rows('DELETE FROM threepass_history WHERE number = ?', Number(number))
    }
  }
  const where = 'SELECT number FROM threepass_history WHERE collection = ?'

  return {
    async put(document) {
      storage.transactionSync(() => {
        const { collection, id, at, title, data } = document
        const text = document.text.slice(0, mostText)
        remove(rows(`${where} AND id = ?`, collection, id))
        const [row] = rows(
          `INSERT INTO threepass_history (collection, id, at, title, text, data)
           VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
          ...[collection, id, at, title, text, JSON.stringify(data)],
        )
        rows(
          'INSERT INTO threepass_history_words (rowid, title, text) VALUES (?, ?, ?)',
          ...[Number(row?.number), terms(title).join(' '), terms(text).join(' ')],
        )
        const old = `${where} ORDER BY at DESC, number DESC LIMIT -1 OFFSET ?`
        remove(rows(old, collection, maxDocuments))
      })
    },
    async get(collection, id) {
      const query = `SELECT ${columns} FROM threepass_history AS d WHERE collection = ? AND id = ?`
      return rows(query, collection, id).map(documentOf)[0]
    },
    async list(collection, { limit = defaultLimit, since = 0 } = {}) {
      const query = `SELECT ${columns} FROM threepass_history AS d
        WHERE collection = ? AND at >= ? ORDER BY at DESC, number DESC LIMIT ?`
      return rows(query, collection, since, limit).map(documentOf)
    },
    async search(collection, query, { limit = defaultLimit, since = 0 } = {}) {
      const words = queryTerms(query)
      if (words.length === 0) return []
      // Letters and digits alone: nothing of the query's own syntax is left in them.
      const match = words.map((word) => `"${word}"*`).join(' OR ')
      return rows(
        `SELECT ${columns} FROM threepass_history_words AS w
         JOIN threepass_history AS d ON d.number = w.rowid
         WHERE threepass_history_words MATCH ? AND d.collection = ? AND d.at >= ?
         ORDER BY bm25(threepass_history_words, ${titleWeight}, 1), d.at DESC LIMIT ?`,
        ...[match, collection, since, limit],
      ).map(documentOf)
    },
  }
}

function createTables(sql: SqlRunStorage['sql']): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_history (
    number INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, data TEXT NOT NULL, UNIQUE (collection, id))`)
  sql.exec('CREATE INDEX IF NOT EXISTS threepass_history_at ON threepass_history (collection, at)')
  sql.exec('CREATE VIRTUAL TABLE IF NOT EXISTS threepass_history_words USING fts5 (title, text)')
}

function documentOf({ collection, id, at, title, text, data }: Row): HistoryDocument {
  return {
    collection: String(collection),
    id: String(id),
    at: Number(at),
    title: String(title),
    text: String(text),
    data: JSON.parse(String(data)) as JsonObject,
  }
}
