/**
 * What this run remembers of its calls: an equal call gets the earlier result instead of running.
 * @module
 */
import type { Access, LedgerEntry } from '../run-state/run-state.ts'
import { voids } from './resources.ts'

/** Most calls a run remembers; the oldest are forgotten, which only costs a second run. */
export const maxLedgerEntries = 2_000

/** What a committed call did, in the order of pass 2. */
export interface LandedCall {
  readonly access: Access
  /** It ran, or may have: its writes count whatever became of it. */
  readonly ran: boolean
  /** Positions on the round's own clock; a memory must not outlive a write that overlapped it. */
  readonly startTick: number
  readonly endTick: number
  /** Present when the call may be remembered. */
  readonly entry?: LedgerEntry
}

/**
 * The ledger after a round: entries that a write may have voided are gone, the round's own completed
 * calls are in. A write voids also when it failed (it may have half happened), and a call that began
 * before such a write had ended is not remembered (it may have read the old state).
 */
export function ledgerAfter(
  ledger: readonly LedgerEntry[],
  landed: readonly LandedCall[],
): readonly LedgerEntry[] {
  const writes = landed.filter(
    (call) => call.ran && (call.access.opaque || call.access.writes.length > 0),
  )
  const added = new Map<string, LedgerEntry>()
  for (const call of landed) {
    if (call.entry && !writes.some((write) => write !== call && outdates(write, call))) {
      added.delete(call.entry.key)
      added.set(call.entry.key, call.entry)
    }
  }
  const kept = ledger.filter(
    (entry) =>
      !added.has(entry.key) &&
      !writes.some((write) => write.entry?.key !== entry.key && voids(write.access, entry.access)),
  )
  const entries = [...kept, ...added.values()]
  return entries.length > maxLedgerEntries ? entries.slice(-maxLedgerEntries) : entries
}

function outdates(write: LandedCall, call: LandedCall): boolean {
  return call.startTick < write.endTick && voids(write.access, call.access)
}
