/**
 * A run: everything from one user message to the final answer. Its rounds go one after another.
 * @module
 */
import { canonicalJson, sha256 } from './dedupe/call-key.ts'
import { dispatchRound, type PendingRound, resultOf } from './dispatch-round.ts'
import type { Engine } from './engine.ts'
import { DispatchError } from './errors.ts'
import type { EventListener } from './events.ts'
import { type Abortable, abortable } from './execute/deadline.ts'
import { toPlain } from './execute/plain.ts'
import { createStragglers, type Stragglers } from './execute/stragglers.ts'
import type { RoundResult, ToolCall, ToolResult } from './round.ts'
import { createEventLog, type EventLog } from './run-state/event-log.ts'
import {
  newRunState,
  newSessionState,
  type RoundRecord,
  type RunState,
} from './run-state/run-state.ts'

/** Options of one dispatch. */
export interface DispatchOptions {
  /** Given by the client, 1 to 512 characters: posting the same round again gives the same results. Default: fresh. */
  readonly roundId?: string
  /** The provider's finish reason: after `length` the last call may be cut off and is not trusted. */
  readonly finishReason?: string
  readonly signal?: AbortSignal
}

/** A run in this process: what its rounds share beside the stored state. */
export interface OpenRun {
  readonly runId: string
  readonly sessionId: string
  readonly log: EventLog
  readonly stragglers: Stragglers
  /** Background calls live under the run, not under their round. */
  readonly background: Abortable
  readonly readResult: (roundId: string, callId: string) => Promise<ToolResult | undefined>
  readonly dispatch: (
    calls: readonly ToolCall[],
    options: DispatchOptions,
    signal: AbortSignal | undefined,
  ) => Promise<RoundResult>
  /** Aborts what is under way and stops the run for good; resolves when that is recorded. */
  readonly cancel: (reason?: unknown) => Promise<void>
  /** Rounds under way or waiting. */
  readonly busy: () => boolean
}

/** Rounds whose records stay at hand, so that a repeat in the next round needs no look into the store. */
const mostRecentRounds = 32

export async function openRun(
  runId: string,
  wantedSession: string | undefined,
  engine: Engine,
  listeners: readonly EventListener[],
): Promise<OpenRun> {
  const { store, clock } = engine
  const stored = await store.load(runId)
  if (stored && wantedSession !== undefined && stored.sessionId !== wantedSession) {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      `Run "${runId}" belongs to another session: open it with its own sessionId or without one.`,
    )
  }
  const sessionId = stored?.sessionId ?? wantedSession ?? crypto.randomUUID()
  const log = createEventLog(runId, store, clock, await store.lastSeq(runId), listeners)
  const controller = new AbortController()
  const active = new Map<string, { digest: string; result: Promise<RoundResult> }>()
  const recent = new Map<string, RoundRecord>()
  let last: RunState | undefined = stored
  let queue: Promise<unknown> = Promise.resolve()

  const run: OpenRun = {
    runId,
    sessionId,
    log,
    stragglers: createStragglers(engine.options.graceMs),
    background: abortable(controller.signal),
    async readResult(roundId, callId) {
      const record = recent.get(roundId) ?? (await store.loadRound(runId, roundId))
      return record?.results.find((result) => result.callId === callId)
    },
    async dispatch(calls, options, signal) {
      checkCalls(calls)
      const digest = options.roundId === undefined ? '' : await digestOf(calls)
      const roundId = options.roundId ?? crypto.randomUUID()
      const under = active.get(roundId)
      if (under) {
        if (under.digest !== digest) throw mismatch(roundId)
        return under.result
      }
      const joined = joinSignals(controller.signal, signal, options.signal)
      const result = queue.then(() => once(calls, roundId, digest, options.finishReason, joined))
      queue = result.catch(() => {})
      active.set(roundId, { digest, result })
      return result.finally(() => active.delete(roundId))
    },
    cancel(reason) {
      controller.abort(reason ?? new DOMException('The run was cancelled.', 'AbortError'))
      const stopped = queue.then(stopForGood)
      queue = stopped.catch(() => {})
      return stopped
    },
    busy: () => active.size > 0,
  }

  /** After the rounds under way have been committed, so that nothing is lost. */
  async function stopForGood(): Promise<void> {
    const state = (await store.load(runId)) ?? newRunState(runId, sessionId, clock())
    if (state.stopped) return
    last = { ...state, version: state.version + 1, stopped: true }
    await store.commit(runId, { expectedVersion: state.version, state: last })
  }

  async function once(
    calls: readonly ToolCall[],
    roundId: string,
    digest: string,
    finishReason: string | undefined,
    signal: AbortSignal,
  ): Promise<RoundResult> {
    const broken =
      digest === '' ? undefined : (recent.get(roundId) ?? (await store.loadRound(runId, roundId)))
    if (broken && broken.digest !== digest) throw mismatch(roundId)
    if (broken?.status === 'done') return resultOf(broken)
    const state = (await store.load(runId)) ?? last ?? newRunState(runId, sessionId, clock())
    const session = (await store.loadSession(sessionId)) ?? newSessionState(sessionId)
    await store.openRound(runId, opening(roundId, digest, state))
    const round: PendingRound = {
      roundId,
      digest,
      calls,
      signal,
      state,
      session,
      ...(finishReason !== undefined && { finishReason }),
      ...(broken && { broken }),
    }
    const done = await dispatchRound(round, run, engine)
    last = done.state
    remember(recent, done.record)
    await log.flush()
    return done.result
  }

  return run
}

function opening(roundId: string, digest: string, state: RunState): RoundRecord {
  return {
    roundId,
    index: state.rounds,
    digest,
    status: 'running',
    journal: [],
    results: [],
    history: [],
    stopped: false,
  }
}

function remember(recent: Map<string, RoundRecord>, record: RoundRecord): void {
  recent.set(record.roundId, record)
  if (recent.size <= mostRecentRounds) return
  const [oldest] = recent.keys()
  if (oldest !== undefined) recent.delete(oldest)
}

function checkCalls(calls: readonly ToolCall[]): void {
  if (Array.isArray(calls)) return
  throw new DispatchError(
    'THREEPASS_BAD_ROUND',
    'dispatch takes an array of calls: [{ id, name, arguments }]. Use readCalls of threepass/providers for a whole assistant message.',
  )
}

function digestOf(calls: readonly ToolCall[]): Promise<string> {
  return sha256(canonicalJson(toPlain(calls)))
}

function mismatch(roundId: string): DispatchError {
  return new DispatchError(
    'THREEPASS_ROUND_MISMATCH',
    `Round "${roundId}" was dispatched before with other calls: give a new round an id of its own.`,
  )
}

function joinSignals(own: AbortSignal, ...others: (AbortSignal | undefined)[]): AbortSignal {
  const given = others.filter((each) => each !== undefined)
  return given.length === 0 ? own : AbortSignal.any([own, ...given])
}
