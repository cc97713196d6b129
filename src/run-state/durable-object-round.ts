/**
 * Rounds in SQLite: a row for the round, a row for each journal entry, result and line of history.
 * @module
 */

import type { ToolResult } from '../round.ts'
import {
  type SqlRunStorage,
  toId,
  toLimit,
  type ValueKind,
  type ValueRows,
} from './durable-object-value.ts'
import type { HistoryEntry, JournalEntry, RoundRecord } from './run-state.ts'

export interface RoundRows {
  has(runId: string, roundId: string): boolean
  load(runId: string, roundId: string): RoundRecord | undefined
  list(runId: string, fromIndex: number, limit: number): RoundRecord[]
  /** In the place of an earlier round of its id, journal and all. */
  put(runId: string, round: RoundRecord): void
  addJournal(runId: string, roundId: string, entry: JournalEntry): void
  deleteAll(runId: string): void
}

const lists = ['journal', 'result', 'history'] as const satisfies readonly ValueKind[]

export function createRoundRows(sql: SqlRunStorage['sql'], values: ValueRows): RoundRows {
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_round (
    run TEXT, round TEXT, position INTEGER NOT NULL, digest TEXT NOT NULL, done INTEGER NOT NULL,
    stopped INTEGER NOT NULL, PRIMARY KEY (run, round)) WITHOUT ROWID`)

  const toRecord = (row: Record<string, unknown>): RoundRecord => {
    const place = { owner: String(row.run), round: String(row.round) }
    return {
      roundId: JSON.parse(place.round),
      index: Number(row.position),
      digest: JSON.parse(String(row.digest)),
      status: row.done === 1 ? 'done' : 'running',
      journal: values.readItems<JournalEntry>({ ...place, kind: 'journal' }),
      results: values.readItems<ToolResult>({ ...place, kind: 'result' }),
      history: values.readItems<HistoryEntry>({ ...place, kind: 'history' }),
      stopped: row.stopped === 1,
    }
  }
  const find = (runId: string, roundId: string): Record<string, unknown> | undefined => {
    const query = 'SELECT * FROM threepass_round WHERE run = ? AND round = ?'
    return sql.exec(query, toId(runId), toId(roundId)).toArray()[0]
  }

  return {
    has: (runId, roundId) => find(runId, roundId) !== undefined,
    load(runId, roundId) {
      const row = find(runId, roundId)
      return row && toRecord(row)
    },
    list: (runId, fromIndex, limit) =>
      sql
        .exec(
          'SELECT * FROM threepass_round WHERE run = ? AND position >= ? ORDER BY position, round LIMIT ?',
          toId(runId),
          fromIndex,
          toLimit(limit),
        )
        .toArray()
        .map(toRecord),
    put(runId, round) {
      const place = { owner: toId(runId), round: toId(round.roundId) }
      for (const kind of lists) values.deleteList({ ...place, kind })
      sql.exec(
        'INSERT OR REPLACE INTO threepass_round VALUES (?, ?, ?, ?, ?, ?)',
        place.owner,
        place.round,
        round.index,
        JSON.stringify(round.digest),
        round.status === 'done' ? 1 : 0,
        round.stopped ? 1 : 0,
      )
      const contents = { journal: round.journal, result: round.results, history: round.history }
      for (const kind of lists)
        for (const [item, value] of contents[kind].entries())
          values.add({ ...place, kind, item }, value)
    },
    addJournal(runId, roundId, entry) {
      const place = { owner: toId(runId), round: toId(roundId), kind: 'journal' } as const
      values.add({ ...place, item: (values.lastItem(place) ?? -1) + 1 }, entry)
    },
    deleteAll(runId) {
      sql.exec('DELETE FROM threepass_round WHERE run = ?', toId(runId))
    },
  }
}
