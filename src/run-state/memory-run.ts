/**
 * One run in memory: its state, its rounds by id and in order, its events.
 * @module
 */
import type { RunEvent } from '../events.ts'
import type { JournalEntry, RoundRecord, RunState } from './run-state.ts'

export interface MemoryRound {
  readonly index: number
  /** Grows; never handed out. */
  readonly journal: JournalEntry[]
  read(): RoundRecord
}

export interface MemoryRun {
  state: RunState | undefined
  readonly rounds: Map<string, MemoryRound>
  /** The same rounds by index; those of one index in the order they came. */
  readonly order: MemoryRound[]
  /** By `seq`. */
  readonly events: RunEvent[]
}

export function createMemoryRun(): MemoryRun {
  return { state: undefined, rounds: new Map(), order: [], events: [] }
}

/** Puts the round in the place of an earlier one of its id. */
export function putRound(run: MemoryRun, record: RoundRecord): void {
  const journal = [...record.journal]
  const round: MemoryRound = {
    index: record.index,
    journal,
    read: () => ({ ...record, journal: [...journal] }),
  }
  const earlier = run.rounds.get(record.roundId)
  if (earlier !== undefined) run.order.splice(run.order.lastIndexOf(earlier), 1)
  run.rounds.set(record.roundId, round)
  run.order.splice(
    firstAfter(run.order, record.index, (other) => other.index),
    0,
    round,
  )
}

/** Position of the first item whose number is above `value`; items are sorted by it. */
export function firstAfter<T>(
  items: readonly T[],
  value: number,
  numberOf: (item: T) => number,
): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && numberOf(item) > value) high = middle
    else low = middle + 1
  }
  return low
}
