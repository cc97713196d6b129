/**
 * Runs in this process, for tests and for hosts that need none after a restart.
 *
 * ```ts
 * const dispatcher = createDispatcher({ tools, store: memoryRunStore({ maxRuns: 200 }) })
 * ```
 * @module
 */
import type { RunEvent } from '../events.ts'
import { positiveInteger } from '../option.ts'
import { storeCall } from '../store-call.ts'
import { checkVersion, noSuchRound } from './commit-check.ts'
import { createMemoryRuns, type MemoryRuns } from './memory-eviction.ts'
import { firstAfter, putRound } from './memory-run.ts'
import { createMemorySessions, type MemorySessions } from './memory-session.ts'
import type { RunStore } from './store.ts'

export interface MemoryRunOptions {
  /** Most runs kept, and most sessions; the least recently used goes first. Default 1000, from 1. */
  readonly maxRuns?: number
}

/**
 * Values are kept and handed out by reference: a commit costs what it changes, not what the run weighs.
 * A run that was evicted in the middle of its work is made again by its next commit; its older rounds
 * and events are gone. Throws `THREEPASS_BAD_OPTION` for a limit out of range.
 */
export function memoryRunStore(options: MemoryRunOptions = {}): RunStore {
  const maxRuns = positiveInteger('maxRuns', options.maxRuns ?? 1000)
  const sessions = createMemorySessions(maxRuns)
  const runs = createMemoryRuns(maxRuns)

  return { ...reading(runs, sessions), ...writing(runs, sessions) }
}

type Reading = 'load' | 'loadSession' | 'loadRound' | 'listRounds' | 'events' | 'lastSeq'

function reading(runs: MemoryRuns, sessions: MemorySessions): Pick<RunStore, Reading> {
  return {
    load: (runId, signal) => storeCall('load', signal, () => runs.find(runId)?.state),
    loadSession: (id, signal) => storeCall('loadSession', signal, () => sessions.find(id)),
    loadRound: (runId, roundId, signal) =>
      storeCall('loadRound', signal, () => runs.find(runId)?.rounds.get(roundId)?.read()),
    listRounds: (runId, fromIndex, limit, signal) =>
      storeCall('listRounds', signal, () => {
        const order = runs.find(runId)?.order ?? []
        const start = firstAfter(order, fromIndex - 1, (round) => round.index)
        return order.slice(start, start + limit).map((round) => round.read())
      }),
    events: (runId, afterSeq, limit, signal) =>
      storeCall('events', signal, () => {
        const events = runs.find(runId)?.events ?? []
        const start = firstAfter(events, afterSeq, (event) => event.seq)
        return events.slice(start, start + limit)
      }),
    lastSeq: (runId) =>
      storeCall('lastSeq', undefined, () => runs.find(runId)?.events.at(-1)?.seq ?? 0),
  }
}

function writing(runs: MemoryRuns, sessions: MemorySessions): Omit<RunStore, Reading> {
  return {
    commit: (runId, change) =>
      storeCall('commit', undefined, () => {
        checkVersion(runId, runs.version(runId, change.expectedVersion), change)
        const run = runs.touch(runId)
        run.state = change.state
        if (change.round !== undefined) putRound(run, change.round)
        if (change.session !== undefined) sessions.apply(change.state.sessionId, change.session)
      }),
    openRound: (runId, round) =>
      storeCall('openRound', undefined, () => {
        const run = runs.touch(runId)
        if (!run.rounds.has(round.roundId)) putRound(run, round)
      }),
    journal: (runId, roundId, entry) =>
      storeCall('journal', undefined, () => {
        const round = runs.find(runId)?.rounds.get(roundId)
        if (round !== undefined) round.journal.push(entry)
        // An evicted round has nothing to append to; the run goes on, its commit brings it back.
        else if (!runs.wasEvicted(runId)) throw noSuchRound(runId, roundId)
      }),
    appendEvents: (runId, events) =>
      storeCall('appendEvents', undefined, () => {
        if (events.length > 0) addEvents(runs.touch(runId).events, events)
      }),
    delete: (runId) => storeCall('delete', undefined, () => runs.forget(runId)),
  }
}

/** Inserts by `seq`; events come in order but for a rare straggler, so this is a push. */
function addEvents(stored: RunEvent[], events: readonly RunEvent[]): void {
  for (const event of events) {
    const at = firstAfter(stored, event.seq, (other) => other.seq)
    if (stored[at - 1]?.seq !== event.seq) stored.splice(at, 0, event)
  }
}
