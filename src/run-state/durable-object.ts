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
import { createRoundRows, type RoundRows } from './durable-object-round.ts'
import {
  createValueRows,
  type SqlRunStorage,
  toId,
  toLimit,
  type ValueRows,
} from './durable-object-value.ts'
import {
  applySessionChange,
  newSessionState,
  type RunState,
  type SessionState,
} from './run-state.ts'
import type { RunChange, RunStore } from './store.ts'

export type { SqlRunStorage } from './durable-object-value.ts'

interface Rows {
  readonly sql: SqlRunStorage['sql']
  readonly values: ValueRows
  readonly rounds: RoundRows
}

/**
 * Takes `ctx.storage` of an object whose class is listed under `new_sqlite_classes`. Tables
 * (`threepass_…`) are made on first use. Results, history, journal and events are rows of their own: a
 * commit writes the round that it commits, and the run's state. Values over the platform's 2 MB per row
 * are split over several rows.
 *
 * Writes are durable before anything leaves the object: Cloudflare holds back its responses and its
 * fetches until earlier writes are on disk (the output gate), so a side effect never precedes its journal.
 * https://developers.cloudflare.com/durable-objects/reference/in-memory-state/
 */
export function durableObjectRunStore(storage: SqlRunStorage): RunStore {
  let opened: Rows | undefined
  const rows = (): Rows => {
    opened ??= openTables(storage)
    return opened
  }
  /** Everything in `body` is written, or nothing is. */
  const atomic = <T>(what: string, body: (rows: Rows) => T): Promise<T> =>
    storeCall(what, undefined, () => storage.transactionSync(() => body(rows())))

  return {
    load: (runId, signal) =>
      storeCall('load', signal, () =>
        rows().values.read<RunState>({ owner: toId(runId), kind: 'state' }),
      ),
    loadSession: (id, signal) =>
      storeCall('loadSession', signal, () => readSession(rows().values, id)),
    loadRound: (runId, roundId, signal) =>
      storeCall('loadRound', signal, () => rows().rounds.load(runId, roundId)),
    listRounds: (runId, fromIndex, limit, signal) =>
      storeCall('listRounds', signal, () => rows().rounds.list(runId, fromIndex, limit)),
    commit: (runId, change) => atomic('commit', (tables) => commit(tables, runId, change)),
    openRound: (runId, round) =>
      atomic('openRound', ({ rounds }) => {
        if (!rounds.has(runId, round.roundId)) rounds.put(runId, round)
      }),
    journal: (runId, roundId, entry) =>
      atomic('journal', ({ rounds }) => {
        if (!rounds.has(runId, roundId)) throw noSuchRound(runId, roundId)
        rounds.addJournal(runId, roundId, entry)
      }),
    appendEvents: (runId, events) =>
      atomic('appendEvents', ({ values }) => {
        const place = { owner: toId(runId), kind: 'event' } as const
        for (const event of events) values.add({ ...place, item: event.seq }, event)
      }),
    events: (runId, afterSeq, limit, signal) =>
      storeCall('events', signal, () => readEvents(rows(), runId, afterSeq, limit)),
    lastSeq: (runId) =>
      storeCall(
        'lastSeq',
        undefined,
        () => rows().values.lastItem({ owner: toId(runId), kind: 'event' }) ?? 0,
      ),
    delete: (runId) =>
      atomic('delete', ({ sql, values, rounds }) => {
        sql.exec('DELETE FROM threepass_run WHERE run = ?', toId(runId))
        rounds.deleteAll(runId)
        values.deleteRun(runId)
      }),
  }
}

function openTables(storage: SqlRunStorage): Rows {
  const { sql } = storage
  sql.exec(
    'CREATE TABLE IF NOT EXISTS threepass_run (run TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID',
  )
  const values = createValueRows(sql)
  return { sql, values, rounds: createRoundRows(sql, values) }
}

function commit({ sql, values, rounds }: Rows, runId: string, change: RunChange): void {
  const owner = toId(runId)
  const [stored] = sql.exec('SELECT version FROM threepass_run WHERE run = ?', owner).toArray()
  checkVersion(runId, Number(stored?.version ?? 0), change)
  sql.exec(
    'INSERT INTO threepass_run (run, version) VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version',
    owner,
    change.state.version,
  )
  values.write({ owner, kind: 'state' }, change.state)
  if (change.round !== undefined) rounds.put(runId, change.round)
  if (change.session === undefined) return
  const { sessionId } = change.state
  const session = readSession(values, sessionId) ?? newSessionState(sessionId)
  values.write(
    { owner: toId(sessionId), kind: 'session' },
    applySessionChange(session, change.session),
  )
}

function readSession(values: ValueRows, sessionId: string): SessionState | undefined {
  return values.read<SessionState>({ owner: toId(sessionId), kind: 'session' })
}

function readEvents(
  { sql, values }: Rows,
  runId: string,
  afterSeq: number,
  limit: number,
): RunEvent[] {
  const owner = toId(runId)
  // The limit counts events, a large one has several rows: so first the last seq, then the rows up to it.
  const [last] = sql
    .exec(
      `SELECT MAX(item) AS seq FROM (SELECT item FROM threepass_value
       WHERE owner = ? AND kind = 'event' AND round = '' AND item > ? AND part = 0 ORDER BY item LIMIT ?)`,
      owner,
      afterSeq,
      toLimit(limit),
    )
    .toArray()
  if (typeof last?.seq !== 'number') return []
  return values.readItems<RunEvent>({ owner, kind: 'event' }, afterSeq + 1, last.seq)
}
