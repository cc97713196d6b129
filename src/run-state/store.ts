/**
 * PORT RunStore: where a run's state, rounds and events live.
 * @module
 */
import type { RunEvent } from '../events.ts'
import type {
  JournalEntry,
  RoundRecord,
  RunState,
  SessionChange,
  SessionState,
} from './run-state.ts'

/** One commit: all of it or nothing. */
export interface RunChange {
  /** The version the change was made on; 0 for a run that does not exist yet. */
  readonly expectedVersion: number
  /** `state.version` is `expectedVersion + 1`. */
  readonly state: RunState
  readonly round?: RoundRecord
  readonly session?: SessionChange
}

/**
 * All values are plain JSON; a store never hands out an object that it or another caller will
 * change, and never keeps one that the caller may change (values are treated as immutable on both sides).
 * Every method may reject with a `DispatchError` and with nothing else: `THREEPASS_STORE_FAILED` (cause
 * kept) or, from `commit`, `THREEPASS_STORE_CONFLICT`.
 */
export interface RunStore {
  load(runId: string, signal?: AbortSignal): Promise<RunState | undefined>
  loadSession(sessionId: string, signal?: AbortSignal): Promise<SessionState | undefined>
  /** A round with its journal, as far as it got. */
  loadRound(runId: string, roundId: string, signal?: AbortSignal): Promise<RoundRecord | undefined>
  /** Rounds of a run in order, from `fromIndex`, at most `limit`. */
  listRounds(
    runId: string,
    fromIndex: number,
    limit: number,
    signal?: AbortSignal,
  ): Promise<RoundRecord[]>
  /**
   * Writes state, round and session in one transaction.
   * Rejects with `THREEPASS_STORE_CONFLICT` when the stored version is not `expectedVersion`: of two
   * commits on one version exactly one wins. A committed round replaces the running one and its journal.
   */
  commit(runId: string, change: RunChange): Promise<void>
  /** Notes that a round has begun, before anything of it runs. Quiet when it is there already. */
  openRound(runId: string, round: RoundRecord): Promise<void>
  /** Appends to an opened round's journal (else `THREEPASS_STORE_FAILED`); durable once it resolves. */
  journal(runId: string, roundId: string, entry: JournalEntry): Promise<void>
  /** Appends events; an event whose `seq` is already stored is ignored. */
  appendEvents(runId: string, events: readonly RunEvent[]): Promise<void>
  /** Events with `seq > afterSeq`, in order, at most `limit`. */
  events(runId: string, afterSeq: number, limit: number, signal?: AbortSignal): Promise<RunEvent[]>
  /** The highest stored `seq`, 0 when there is none. */
  lastSeq(runId: string): Promise<number>
  /** Forgets a run with all its rounds and events; quiet when it is missing. The session stays. */
  delete(runId: string): Promise<void>
}
