/**
 * Runs in the SQLite storage of a Durable Object, one object a session.
 *
 * ```ts
 * export class RunObject extends DurableObject {
 *   store = durableObjectRunStore(this.ctx.storage)
 * }
 * ```
 * @module
 */
import type { RunEvent } from '../events.ts'
import { storeCall } from '../store-call.ts'
import { checkVersion, noSuchRound } from './commit-check.ts'
import {
  addJournal,
  createRoundTable,
  deleteRounds,
  hasRound,
  putRound,
  readRound,
  readRounds,
} from './durable-object-round.ts'
import {
  addValue,
  createValueTable,
  deleteRunValues,
  lastItem,
  readItems,
  readValue,
  type SqlRunStorage,
  toId,
  toLimit,
  writeValue,
} from './durable-object-value.ts'
import {
  applySessionChange,
  newSessionState,
  type RunState,
  type SessionState,
} from './run-state.ts'
import type { RunChange, RunStore } from './store.ts'

export { durableObjectRecords } from './durable-object-records.ts'
export type { SqlRunStorage } from './durable-object-value.ts'

type Sql = SqlRunStorage['sql']

/**
 * Takes `ctx.storage` of an object whose class is listed under `new_sqlite_classes`. Tables
 * (`threepass_…`) are made on first use. Results, history, journal and events are rows of their own: a
 * commit writes the round that it commits, and the run's state. Values over the platform's 2 MB per row
 * are split over several rows. After `storage.deleteAll()` make a new store: its tables are gone.
 *
 * Writes are durable before anything leaves the object: Cloudflare holds back its responses and its
 * fetches until earlier writes are on disk (the output gate), so a side effect never precedes its journal.
 * https://developers.cloudflare.com/durable-objects/reference/in-memory-state/
 */
export function durableObjectRunStore(storage: SqlRunStorage): RunStore {
  let opened = false
  // Never inside a transaction: one that is rolled back would take the tables with it.
  const open = (): Sql => {
    if (!opened) createTables(storage.sql)
    opened = true
    return storage.sql
  }
  return {
    ...reading(open),
    ...writing((what, body) =>
      storeCall(what, undefined, () => {
        const sql = open()
        return storage.transactionSync(() => body(sql))
      }),
    ),
  }
}

type Reading = 'load' | 'loadSession' | 'loadRound' | 'listRounds' | 'events' | 'lastSeq'

function reading(open: () => Sql): Pick<RunStore, Reading> {
  return {
    load: (runId, signal) =>
      storeCall('load', signal, () =>
        readValue<RunState>(open(), { owner: toId(runId), kind: 'state' }),
      ),
    loadSession: (id, signal) => storeCall('loadSession', signal, () => readSession(open(), id)),
    loadRound: (runId, roundId, signal) =>
      storeCall('loadRound', signal, () => readRound(open(), runId, roundId)),
    listRounds: (runId, fromIndex, limit, signal) =>
      storeCall('listRounds', signal, () => readRounds(open(), runId, fromIndex, limit)),
    events: (runId, afterSeq, limit, signal) =>
      storeCall('events', signal, () => readEvents(open(), runId, afterSeq, limit)),
    lastSeq: (runId) =>
      storeCall('lastSeq', undefined, () => lastItem(open(), eventsOf(runId)) ?? 0),
  }
}

/** Everything in `body` is written, or nothing is. */
type Atomic = (what: string, body: (sql: Sql) => void) => Promise<void>

function writing(atomic: Atomic): Omit<RunStore, Reading> {
  return {
    commit: (runId, change) => atomic('commit', (sql) => commit(sql, runId, change)),
    openRound: (runId, round) =>
      atomic('openRound', (sql) => {
        if (!hasRound(sql, runId, round.roundId)) putRound(sql, runId, round)
      }),
    journal: (runId, roundId, entry) =>
      atomic('journal', (sql) => {
        if (!hasRound(sql, runId, roundId)) throw noSuchRound(runId, roundId)
        addJournal(sql, runId, roundId, entry)
      }),
    appendEvents: (runId, events) =>
      atomic('appendEvents', (sql) => {
        for (const event of events) addValue(sql, { ...eventsOf(runId), item: event.seq }, event)
      }),
    delete: (runId) =>
      atomic('delete', (sql) => {
        sql.exec('DELETE FROM threepass_run WHERE run = ?', toId(runId))
        deleteRounds(sql, runId)
        deleteRunValues(sql, toId(runId))
      }),
  }
}

function createTables(sql: Sql): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_run (
    run TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID`)
  createRoundTable(sql)
  createValueTable(sql)
}

function commit(sql: Sql, runId: string, change: RunChange): void {
  const owner = toId(runId)
  const [stored] = sql.exec('SELECT version FROM threepass_run WHERE run = ?', owner).toArray()
  checkVersion(runId, Number(stored?.version ?? 0), change)
  const { state, round, session } = change
  sql.exec('INSERT OR REPLACE INTO threepass_run VALUES (?, ?)', owner, state.version)
  writeValue(sql, { owner, kind: 'state' }, state)
  if (round !== undefined) putRound(sql, runId, round)
  if (session === undefined) return
  const before = readSession(sql, state.sessionId) ?? newSessionState(state.sessionId)
  const place = { owner: toId(state.sessionId), kind: 'session' } as const
  writeValue(sql, place, applySessionChange(before, session))
}

function readSession(sql: Sql, sessionId: string): SessionState | undefined {
  return readValue<SessionState>(sql, { owner: toId(sessionId), kind: 'session' })
}

function eventsOf(runId: string): { owner: string; kind: 'event' } {
  return { owner: toId(runId), kind: 'event' }
}

function readEvents(sql: Sql, runId: string, afterSeq: number, limit: number): RunEvent[] {
  // The limit counts events, a large one has several rows: so first the last seq, then the rows up to it.
  const query = `SELECT MAX(item) AS seq FROM (SELECT item FROM threepass_value
    WHERE owner = ? AND kind = 'event' AND round = '' AND item > ? AND part = 0 ORDER BY item LIMIT ?)`
  const [last] = sql.exec(query, toId(runId), afterSeq, toLimit(limit)).toArray()
  if (typeof last?.seq !== 'number') return []
  return readItems<RunEvent>(sql, eventsOf(runId), afterSeq + 1, last.seq)
}
