/**
 * Which runs are kept in memory: the most recently used.
 * @module
 */
import { createMemoryRun, type MemoryRun } from './memory-run.ts'

export interface MemoryRuns {
  /** The run, now the most recently used one. */
  find(runId: string): MemoryRun | undefined
  /** The same, made when it is missing. */
  touch(runId: string): MemoryRun
  /** The version that a commit made on `expected` is checked against. */
  version(runId: string, expected: number): number
  wasEvicted(runId: string): boolean
  forget(runId: string): void
}

interface Kept {
  readonly maxRuns: number
  /** Maps keep insertion order: re-inserting on use makes the first key the least recently used. */
  readonly runs: Map<string, MemoryRun>
  /** Versions of evicted runs, so that a commit on one is still compared. */
  readonly evicted: Map<string, number>
  /** Some of those had to be forgotten. */
  overflowed: boolean
}

/** Versions of evicted runs that are remembered, for each run that is kept. */
const evictedPerRun = 10

export function createMemoryRuns(maxRuns: number): MemoryRuns {
  const kept: Kept = { maxRuns, runs: new Map(), evicted: new Map(), overflowed: false }
  const { runs, evicted } = kept
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
      const run = find(runId) ?? createMemoryRun()
      runs.set(runId, run)
      shrink(kept)
      return run
    },
    version(runId, expected) {
      const state = runs.get(runId)?.state
      // Once versions had to be forgotten, an unknown run may be one of those: the benefit of doubt.
      return state?.version ?? evicted.get(runId) ?? (kept.overflowed ? expected : 0)
    },
    wasEvicted: (runId) => evicted.has(runId) || kept.overflowed,
    forget(runId) {
      runs.delete(runId)
      evicted.delete(runId)
    },
  }
}

function shrink(kept: Kept): void {
  const { maxRuns, runs, evicted } = kept
  for (const [runId, run] of runs) {
    if (runs.size <= maxRuns) break
    runs.delete(runId)
    evicted.set(runId, run.state?.version ?? evicted.get(runId) ?? 0)
  }
  for (const runId of evicted.keys()) {
    if (evicted.size <= maxRuns * evictedPerRun) break
    evicted.delete(runId)
    kept.overflowed = true
  }
}
