/**
 * Compare-and-set: what every store checks before it commits.
 * @module
 */
import { DispatchError } from '../errors.ts'
import type { RunChange } from './store.ts'

/** Throws `THREEPASS_STORE_CONFLICT` unless the change was made on `storedVersion` (0: no such run). */
export function checkVersion(runId: string, storedVersion: number, change: RunChange): void {
  if (storedVersion === change.expectedVersion) return
  throw new DispatchError(
    'THREEPASS_STORE_CONFLICT',
    `Run ${JSON.stringify(runId)} is at version ${storedVersion}, the commit was made on ` +
      `${change.expectedVersion}: load the run again`,
  )
}

/** The error of a journal entry for a round that was never opened. */
export function noSuchRound(runId: string, roundId: string): DispatchError {
  return new DispatchError(
    'THREEPASS_STORE_FAILED',
    `Run ${JSON.stringify(runId)} has no round ${JSON.stringify(roundId)}: open it first`,
  )
}
