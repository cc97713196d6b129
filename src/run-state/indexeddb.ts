/**
 * Runs in the browser's IndexedDB, shared by the tabs of an origin.
 *
 * ```ts
 * const dispatcher = createDispatcher({ tools, store: indexedDBRunStore() })
 * ```
 * @module
 */
import type { RunEvent } from '../events.ts'
import { connectDatabase, type Database, requested } from '../idb.ts'
import { positiveInteger } from '../option.ts'
import { storeCall } from '../store-call.ts'
import { checkVersion, noSuchRound } from './commit-check.ts'
import {
  applySessionChange,
  type JournalEntry,
  newSessionState,
  type RoundRecord,
  type RunState,
  type SessionState,
} from './run-state.ts'
import type { RunChange, RunStore } from './store.ts'

export interface IndexedDBRunOptions {
  /** Default `threepass-runs`. Two stores of one name share their runs. */
  readonly databaseName?: string
  /** How long an open may take before a call rejects, in milliseconds. Default 5000, 1 to 60000. */
  readonly openTimeoutMs?: number
}

interface RoundRow {
  readonly runId: string
  readonly index: number
  /** Without its journal, which has rows of its own. */
  readonly record: RoundRecord
}

// Keys: runs runId · sessions sessionId · rounds [runId, roundId] · journal [runId, roundId, n] · events [runId, seq]
const everything = ['runs', 'sessions', 'rounds', 'journal', 'events'] as const

/**
 * A commit is one transaction, so of two tabs that commit on one version exactly one wins. Journal,
 * rounds and commits wait for the disk (`durability: 'strict'`). Without a usable database (private mode,
 * blocked storage, quota) every method rejects with `THREEPASS_STORE_FAILED`, cause kept: a host that wants
 * to go on takes `memoryRunStore`. Throws `THREEPASS_BAD_OPTION` for an option out of range.
 */
export function indexedDBRunStore(options: IndexedDBRunOptions = {}): RunStore {
  const database = connectDatabase({
    name: options.databaseName ?? 'threepass-runs',
    openTimeoutMs: positiveInteger('openTimeoutMs', options.openTimeoutMs ?? 5000, 60_000),
    upgrade: createStores,
  })
  return { ...readingRuns(database), ...readingEvents(database), ...writing(database) }
}

type ReadingRuns = 'load' | 'loadSession' | 'loadRound' | 'listRounds'
type ReadingEvents = 'events' | 'lastSeq'

function readingRuns(database: Database): Pick<RunStore, ReadingRuns> {
  return {
    load: (runId, signal) =>
      storeCall('load', signal, () =>
        database.run(['runs'], 'readonly', (tx) => read<RunState>(tx, 'runs', runId)),
      ),
    loadSession: (id, signal) =>
      storeCall('loadSession', signal, () =>
        database.run(['sessions'], 'readonly', (tx) => read<SessionState>(tx, 'sessions', id)),
      ),
    loadRound: (runId, roundId, signal) =>
      storeCall('loadRound', signal, () =>
        database.run(['rounds', 'journal'], 'readonly', async (tx) => {
          const row = await read<RoundRow>(tx, 'rounds', [runId, roundId])
          return row && withJournal(tx, row)
        }),
      ),
    listRounds: (runId, fromIndex, limit, signal) =>
      storeCall('listRounds', signal, () =>
        database.run(['rounds', 'journal'], 'readonly', async (tx) => {
          const range = IDBKeyRange.bound([runId, fromIndex], [runId, []])
          const rows = await readAll<RoundRow>(
            tx.objectStore('rounds').index('order'),
            range,
            limit,
          )
          return Promise.all(rows.map((row) => withJournal(tx, row)))
        }),
      ),
  }
}

function readingEvents(database: Database): Pick<RunStore, ReadingEvents> {
  return {
    events: (runId, afterSeq, limit, signal) =>
      storeCall('events', signal, () =>
        database.run(['events'], 'readonly', (tx) => {
          const range = IDBKeyRange.bound([runId, afterSeq], [runId, []], true)
          return readAll<RunEvent>(tx.objectStore('events'), range, limit)
        }),
      ),
    lastSeq: (runId) =>
      storeCall('lastSeq', undefined, () =>
        database.run(['events'], 'readonly', (tx) => lastSeq(tx, runId)),
      ),
  }
}

function writing(database: Database): Omit<RunStore, ReadingRuns | ReadingEvents> {
  return {
    commit: (runId, change) =>
      storeCall('commit', undefined, () =>
        database.run(everything, 'strict', (tx) => commit(tx, runId, change)),
      ),
    openRound: (runId, round) =>
      storeCall('openRound', undefined, () =>
        database.run(['rounds', 'journal'], 'strict', async (tx) => {
          const there = await requested(tx.objectStore('rounds').count([runId, round.roundId]))
          if (there === 0) putRound(tx, runId, round)
        }),
      ),
    journal: (runId, roundId, entry) =>
      storeCall('journal', undefined, () =>
        database.run(['rounds', 'journal'], 'strict', async (tx) => {
          const there = await requested(tx.objectStore('rounds').count([runId, roundId]))
          if (there === 0) throw noSuchRound(runId, roundId)
          const journal = tx.objectStore('journal')
          const length = await requested(journal.count(below(runId, roundId)))
          journal.add(entry, [runId, roundId, length])
        }),
      ),
    appendEvents: (runId, events) =>
      storeCall('appendEvents', undefined, () =>
        database.run(['events'], 'readwrite', (tx) => addEvents(tx, runId, events)),
      ),
    delete: (runId) =>
      storeCall('delete', undefined, () =>
        database.run(everything, 'readwrite', (tx) => {
          tx.objectStore('runs').delete(runId)
          for (const name of ['rounds', 'journal', 'events'])
            tx.objectStore(name).delete(below(runId))
        }),
      ),
  }
}

function createStores(database: IDBDatabase): void {
  for (const name of everything) {
    const store = database.createObjectStore(name)
    if (name === 'rounds') store.createIndex('order', ['runId', 'index'])
  }
}

async function commit(tx: IDBTransaction, runId: string, change: RunChange): Promise<void> {
  const stored = await read<RunState>(tx, 'runs', runId)
  checkVersion(runId, stored?.version ?? 0, change)
  tx.objectStore('runs').put(change.state, runId)
  if (change.round !== undefined) putRound(tx, runId, change.round)
  if (change.session === undefined) return
  const { sessionId } = change.state
  const session = await read<SessionState>(tx, 'sessions', sessionId)
  const next = applySessionChange(session ?? newSessionState(sessionId), change.session)
  tx.objectStore('sessions').put(next, sessionId)
}

/** In the place of an earlier round of its id, journal and all. */
function putRound(tx: IDBTransaction, runId: string, round: RoundRecord): void {
  const { roundId, index, journal } = round
  const row: RoundRow = { runId, index, record: { ...round, journal: [] } }
  tx.objectStore('rounds').put(row, [runId, roundId])
  const entries = tx.objectStore('journal')
  entries.delete(below(runId, roundId))
  for (const [position, entry] of journal.entries()) entries.add(entry, [runId, roundId, position])
}

async function withJournal(tx: IDBTransaction, { runId, record }: RoundRow): Promise<RoundRecord> {
  const journal = await requested<JournalEntry[]>(
    tx.objectStore('journal').getAll(below(runId, record.roundId)),
  )
  return { ...record, journal }
}

function addEvents(tx: IDBTransaction, runId: string, events: readonly RunEvent[]): void {
  const store = tx.objectStore('events')
  for (const event of events) {
    const request = store.add(event, [runId, event.seq])
    request.onerror = (failure) => {
      if (request.error?.name !== 'ConstraintError') return
      // This seq is stored already: not a reason to abort the transaction.
      failure.preventDefault()
      failure.stopPropagation()
    }
  }
}

async function lastSeq(tx: IDBTransaction, runId: string): Promise<number> {
  const cursor = await requested(tx.objectStore('events').openKeyCursor(below(runId), 'prev'))
  const key: unknown = cursor?.key
  return Array.isArray(key) ? Number(key[1]) : 0
}

/** All keys that begin with these parts: an array sorts after every string and number. */
function below(...parts: string[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []])
}

function read<T>(tx: IDBTransaction, store: string, key: IDBValidKey): Promise<T | undefined> {
  return requested<T | undefined>(tx.objectStore(store).get(key))
}

function readAll<T>(
  from: IDBObjectStore | IDBIndex,
  range: IDBKeyRange,
  limit: number,
): Promise<T[]> {
  // A count of 0 would mean all, one above 2^32 - 1 a TypeError.
  if (limit < 1) return Promise.resolve([])
  return requested<T[]>(from.getAll(range, Math.min(limit, 2 ** 32 - 1)))
}
