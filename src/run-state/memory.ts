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
import { createMemoryRun, firstAfter, type MemoryRun, putRound } from './memory-run.ts'
import { createMemorySessions } from './memory-session.ts'
import type { RunChange, RunStore } from './store.ts'

export interface MemoryRunOptions {
  /** Most runs kept, and most sessions; the least recently used goes first. Default 1000, from 1. */
  readonly maxRuns?: number
}

/** Versions of evicted runs that are remembered, for each run that is kept. */
const evictedPerRun = 10

/**
 * Values are kept and handed out by reference: a commit costs what it changes, not what the run weighs.
 * A run that was evicted in the middle of its work is made again by its next commit; its older rounds
 * and events are gone. Throws `THREEPASS_BAD_OPTION` for a limit out of range.
 */
export function memoryRunStore(options: MemoryRunOptions = {}): RunStore {
  const maxRuns = positiveInteger('maxRuns', options.maxRuns ?? 1000)
  const sessions = createMemorySessions(maxRuns)
  const runs = createMemoryRuns(maxRuns)

  const commit = (runId: string, change: RunChange): void => {
    checkVersion(runId, runs.version(runId, change.expectedVersion), change)
    const run = runs.touch(runId)
    run.state = change.state
    if (change.round !== undefined) putRound(run, change.round)
    if (change.session !== undefined) sessions.apply(change.state.sessionId, change.session)
  }

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
    commit: (runId, change) => storeCall('commit', undefined, () => commit(runId, change)),
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
    events: (runId, afterSeq, limit, signal) =>
      storeCall('events', signal, () => {
        const events = runs.find(runId)?.events ?? []
        const start = firstAfter(events, afterSeq, (event) => event.seq)
        return events.slice(start, start + limit)
      }),
    lastSeq: (runId) =>
      storeCall('lastSeq', undefined, () => runs.find(runId)?.events.at(-1)?.seq ?? 0),
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

interface MemoryRuns {
  /** The run, now the most recently used one. */
  find(runId: string): MemoryRun | undefined
  /** The same, made when it is missing. */
  touch(runId: string): MemoryRun
  /** The version that a commit made on `expected` is checked against. */
  version(runId: string, expected: number): number
  wasEvicted(runId: string): boolean
  forget(runId: string): void
}

function createMemoryRuns(maxRuns: number): MemoryRuns {
  // Maps keep insertion order: re-inserting on use makes the first key the least recently used.
  const runs = new Map<string, MemoryRun>()
  const evicted = new Map<string, number>()
  let overflowed = false

  const shrink = (): void => {
    for (const [runId, run] of runs) {
      if (runs.size <= maxRuns) break
      runs.delete(runId)
      evicted.set(runId, run.state?.version ?? evicted.get(runId) ?? 0)
    }
    for (const runId of evicted.keys()) {
      if (evicted.size <= maxRuns * evictedPerRun) break
      evicted.delete(runId)
      overflowed = true
    }
  }
  const find = (runId: string): MemoryRun | undefined => {
    const run = runs.get(runId)
    if (run === undefined) return undefined
    runs.delete(runId)
    runs.set(runId, run)
    return run
  }

  return {
    find,
    touch(runId) {
      const found = find(runId)
      if (found !== undefined) return found
      const run = createMemoryRun()
      runs.set(runId, run)
      shrink()
      return run
    },
    version(runId, expected) {
      const state = runs.get(runId)?.state
      // Once versions had to be forgotten, an unknown run may be one of those: it gets the benefit of doubt.
      return state?.version ?? evicted.get(runId) ?? (overflowed ? expected : 0)
    },
    wasEvicted: (runId) => evicted.has(runId) || overflowed,
    forget(runId) {
      runs.delete(runId)
      evicted.delete(runId)
    },
  }
}
