/**
 * Rounds in SQLite: a row for the round, a row for each journal entry, result and line of history.
 * @module
 */
import type { ToolResult } from '../round.ts'
import {
  addValue,
  deleteList,
  lastItem,
  readItems,
  readValue,
  type SqlRunStorage,
  toId,
  toLimit,
  type ValueKind,
  writeValue,
} from './durable-object-value.ts'
import type { HistoryEntry, JournalEntry, RoundRecord, RoundRequest } from './run-state.ts'

type Sql = SqlRunStorage['sql']
type Row = Record<string, unknown>

const lists = ['journal', 'result', 'history'] as const satisfies readonly ValueKind[]

export function createRoundTable(sql: Sql): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_round (
    run TEXT, round TEXT, position INTEGER NOT NULL, digest TEXT NOT NULL, done INTEGER NOT NULL,
    stopped INTEGER NOT NULL, PRIMARY KEY (run, round)) WITHOUT ROWID`)
}

export function hasRound(sql: Sql, runId: string, roundId: string): boolean {
  return findRound(sql, runId, roundId) !== undefined
}

export function readRound(sql: Sql, runId: string, roundId: string): RoundRecord | undefined {
  const row = findRound(sql, runId, roundId)
  return row && toRecord(sql, row)
}

export function readRounds(
  sql: Sql,
  runId: string,
  fromIndex: number,
  limit: number,
): RoundRecord[] {
  const query = `SELECT * FROM threepass_round WHERE run = ? AND position >= ?
    ORDER BY position, round LIMIT ?`
  const rows = sql.exec(query, toId(runId), fromIndex, toLimit(limit)).toArray()
  return rows.map((row) => toRecord(sql, row))
}

/** In the place of an earlier round of its id, journal and all. */
export function putRound(sql: Sql, runId: string, round: RoundRecord): void {
  const place = { owner: toId(runId), round: toId(round.roundId) }
  sql.exec(
    'INSERT OR REPLACE INTO threepass_round VALUES (?, ?, ?, ?, ?, ?)',
    place.owner,
    place.round,
    round.index,
    JSON.stringify(round.digest),
    round.status === 'done' ? 1 : 0,
    round.stopped ? 1 : 0,
  )
  deleteList(sql, { ...place, kind: 'request' })
  if (round.request) writeValue(sql, { ...place, kind: 'request' }, round.request)
  const contents = { journal: round.journal, result: round.results, history: round.history }
  for (const kind of lists) {
    deleteList(sql, { ...place, kind })
    for (const [item, value] of contents[kind].entries())
      addValue(sql, { ...place, kind, item }, value)
  }
}

export function addJournal(sql: Sql, runId: string, roundId: string, entry: JournalEntry): void {
  const place = { owner: toId(runId), round: toId(roundId), kind: 'journal' } as const
  addValue(sql, { ...place, item: (lastItem(sql, place) ?? -1) + 1 }, entry)
}

export function deleteRounds(sql: Sql, runId: string): void {
  sql.exec('DELETE FROM threepass_round WHERE run = ?', toId(runId))
}

function findRound(sql: Sql, runId: string, roundId: string): Row | undefined {
  const query = 'SELECT * FROM threepass_round WHERE run = ? AND round = ?'
  return sql.exec(query, toId(runId), toId(roundId)).toArray()[0]
}

function toRecord(sql: Sql, row: Row): RoundRecord {
  const place = { owner: String(row.run), round: String(row.round) }
  const request = readValue<RoundRequest>(sql, { ...place, kind: 'request' })
  return {
    roundId: JSON.parse(place.round),
    index: Number(row.position),
    digest: JSON.parse(String(row.digest)),
    status: row.done === 1 ? 'done' : 'running',
    ...(request && { request }),
    journal: readItems<JournalEntry>(sql, { ...place, kind: 'journal' }),
    results: readItems<ToolResult>(sql, { ...place, kind: 'result' }),
    history: readItems<HistoryEntry>(sql, { ...place, kind: 'history' }),
    stopped: row.stopped === 1,
  }
}
