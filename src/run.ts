/**
 * A run: everything from one user message to the final answer. Its rounds go one after another.
 * @module
 */
import { canonicalJson, sha256 } from './dedupe/call-key.ts'
import { voids } from './dedupe/resources.ts'
import { dispatchRound, type PendingRound, resultOf } from './dispatch-round.ts'
import { engineFor, type Shared } from './engine.ts'
import { DispatchError } from './errors.ts'
import type { EventListener } from './events.ts'
import { type Abortable, abortable } from './execute/deadline.ts'
import { inside, nestOf, type Waiting, wouldWaitForItself } from './execute/nesting.ts'
import { toPlain } from './execute/plain.ts'
import { createStragglers, type Stragglers } from './execute/stragglers.ts'
import type { Exposure } from './preflight/gate.ts'
import type { Json, RoundResult, ToolCall, ToolResult } from './round.ts'
import { createEventLog, type EventLog } from './run-state/event-log.ts'
import type { Access } from './run-state/run-state.ts'
import {
  newRunState,
  newSessionState,
  type RoundRecord,
  type RoundRequest,
  type RunState,
} from './run-state/run-state.ts'
import type { RunStore } from './run-state/store.ts'
import type { ToolContext } from './tools/tool.ts'

/** Options of one dispatch. */
export interface DispatchOptions {
  /** Given by the client, 1 to 512 characters: posting the same round again gives the same results. Default: fresh. */
  readonly roundId?: string
  /** The provider's finish reason: after `length` the last call may be cut off and is not trusted. */
  readonly finishReason?: string
  readonly signal?: AbortSignal
  /**
   * The context of the tool that dispatches this round inside its own call. The round then shares the
   * places of the round around it, so that no more than `maxConcurrent` calls run in all. Its run must be
   * another one, and none that waits for the call's own (`THREEPASS_BAD_ROUND`). Its questions are put in
   * that round's name, under `<call>/<inner call>`; a stop stops both runs.
   */
  readonly within?: ToolContext
}

/** A run in this process: what its rounds share beside the stored state. */
export interface OpenRun extends Waiting {
  readonly runId: string
  readonly sessionId: string
  readonly log: EventLog
  readonly stragglers: Stragglers
  /** Voids what a write that ended after its round may have changed. */
  readonly lateWrite: (access: Access) => void
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
  /** Rounds are under way or waiting, or somebody follows the events. */
  readonly busy: () => boolean
  /** Rounds that a crash broke off and that may be dispatched again, in order. */
  readonly unfinished: () => Promise<readonly UnfinishedRound[]>
}

/** A round that was begun and has no results: dispatch it again as it stands. */
export interface UnfinishedRound {
  readonly roundId: string
  readonly calls: readonly ToolCall[]
  readonly finishReason?: string
}

/** Rounds whose records stay at hand, so that a repeat in the next round needs no look into the store. */
const mostRecentRounds = 32

/** What the rounds of an open run share in this process. */
interface Rounds {
  readonly engine: Shared
  /** The mode in which the run's model is shown its tools. */
  readonly exposure: Exposure
  readonly run: OpenRun
  readonly controller: AbortController
  /** Rounds under way or waiting, by id: the same round posted again joins. */
  readonly active: Map<string, { readonly digest: string; readonly result: Promise<RoundResult> }>
  readonly recent: Map<string, RoundRecord>
  /** The state as last committed here: stands in when the store has forgotten the run. */
  last: RunState | undefined
  /** Writes that no commit has counted yet: of a round that was not recorded, or that a crash broke off. */
  uncounted: Access[]
  /** The end of the last round: rounds go one after another. */
  queue: Promise<unknown>
}

/** Opens a run, or the one that the store has. Rejects with `THREEPASS_BAD_OPTION` when that is another session's. */
export async function openRun(
  runId: string,
  wantedSession: string | undefined,
  engine: Shared,
  exposure: Exposure,
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
  const controller = new AbortController()
  const active: Rounds['active'] = new Map()
  const recent: Rounds['recent'] = new Map()
  const run: OpenRun = {
    runId,
    sessionId: stored?.sessionId ?? wantedSession ?? crypto.randomUUID(),
    waitsFor: new Map(),
    log: createEventLog(runId, store, clock, await store.lastSeq(runId), listeners),
    stragglers: createStragglers(engine.options.graceMs),
    background: abortable(controller.signal),
    lateWrite: (access) => {
      rounds.uncounted.push(access)
      engine.waitUntil(inTurn(rounds, () => countWrites(rounds)).catch(() => {}))
    },
    async readResult(roundId, callId) {
      const record = recent.get(roundId) ?? (await store.loadRound(runId, roundId))
      return record?.results.find((result) => result.callId === callId)
    },
    dispatch: (calls, options, signal) => enqueue(rounds, calls, options, signal),
    cancel(reason) {
      controller.abort(reason ?? new DOMException('The run was cancelled.', 'AbortError'))
      return inTurn(rounds, () => stopForGood(rounds))
    },
    busy: () => active.size > 0 || run.log.isFollowed(),
    unfinished: () => findUnfinished(rounds),
  }
  const rounds: Rounds = {
    engine,
    exposure,
    run,
    controller,
    active,
    recent,
    last: stored,
    uncounted: stored ? await brokenOff(stored, store) : [],
    queue: Promise.resolve(),
  }
  return run
}

/** Starts the work when all before it has ended, however it ended. */
function inTurn<T>(rounds: Rounds, work: () => Promise<T>): Promise<T> {
  const result = rounds.queue.then(work)
  rounds.queue = result.catch(() => {})
  return result
}

async function enqueue(
  rounds: Rounds,
  calls: readonly ToolCall[],
  options: DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<RoundResult> {
  const { active, controller, run } = rounds
  const within = nestOf(options.within)
  if (wouldWaitForItself(within, run)) {
    throw new DispatchError(
      'THREEPASS_BAD_ROUND',
      'A round cannot go on inside a call of its own run, or of one that waits for it: open another run for it.',
    )
  }
  const { roundId = crypto.randomUUID(), finishReason } = options
  const request = options.roundId === undefined ? undefined : requestOf(calls, finishReason)
  const digest = request ? await sha256(canonicalJson(request.calls as unknown as Json)) : ''
  const under = active.get(roundId)
  if (under && under.digest !== digest) throw mismatch(roundId)
  if (under) return under.result
  // A round inside a call ends with that call.
  const joined = joinSignals(controller.signal, signal, options.signal, options.within?.signal)
  const asked = {
    roundId,
    digest,
    calls,
    signal: joined,
    finishReason,
    request,
    ...(within && { within }),
  }
  const result = inside(within, run, () => inTurn(rounds, () => dispatchOnce(rounds, asked)))
  active.set(roundId, { digest, result })
  return result.finally(() => active.delete(roundId))
}

type AskedRound = Omit<PendingRound, 'state' | 'session' | 'broken' | 'finishReason' | 'secret'> & {
  readonly finishReason: string | undefined
  readonly request: RoundRequest | undefined
}

/** Answers a round that is recorded; dispatches it otherwise, from where a crash broke it off. */
async function dispatchOnce(rounds: Rounds, asked: AskedRound): Promise<RoundResult> {
  const { engine, run, recent } = rounds
  const { store, clock } = engine
  const { runId, sessionId } = run
  const { roundId, digest, finishReason, request, ...rest } = asked
  const earlier =
    digest === '' ? undefined : (recent.get(roundId) ?? (await store.loadRound(runId, roundId)))
  if (earlier && earlier.digest !== digest) throw mismatch(roundId)
  if (earlier?.status === 'done') return resultOf(earlier)
  await countWrites(rounds)
  const state = (await store.load(runId)) ?? rounds.last ?? newRunState(runId, sessionId, clock())
  const session = (await store.loadSession(sessionId)) ?? newSessionState(sessionId)
  await store.openRound(runId, opening(roundId, digest, state, request))
  const round: PendingRound = {
    ...rest,
    roundId,
    digest,
    state,
    session,
    secret: (earlier ?? { request }).request?.secret ?? crypto.randomUUID(),
    ...(finishReason !== undefined && { finishReason }),
    ...(earlier && { broken: earlier }),
  }
  const now = await engineFor(engine, rounds.exposure, asked.calls, asked.signal)
  const done = await dispatchRound(round, run, now)
  rounds.last = done.state
  rounds.uncounted.push(...done.unsaved)
  remember(recent, done.record)
  await run.log.flush()
  return done.result
}

/**
 * Counts writes that no commit has counted: memories that they may have changed go, here and in the
 * session. When the store still fails they stay uncounted, and the memories are gone in this process.
 */
async function countWrites(rounds: Rounds): Promise<void> {
  if (rounds.uncounted.length === 0) return
  const { store } = rounds.engine
  const { runId } = rounds.run
  const writes = rounds.uncounted
  const state = (await store.load(runId)) ?? rounds.last
  if (!state) return
  const kept = state.ledger.filter((entry) => !writes.some((write) => voids(write, entry.access)))
  rounds.last = { ...state, version: state.version + 1, ledger: kept }
  const wrote = writes.flatMap((write) => (write.opaque ? ['*'] : write.writes))
  const session = { addRules: [], wrote: [...new Set(wrote)] }
  await store.commit(runId, { expectedVersion: state.version, state: rounds.last, session })
  rounds.uncounted = rounds.uncounted.filter((write) => !writes.includes(write))
}

const anything: Access = { reads: [], writes: [], opaque: true, unknownReads: true }
const mostBrokenOff = 10

/** A round that a crash broke off may have written anything, until it is dispatched again. */
async function brokenOff(state: RunState, store: RunStore): Promise<Access[]> {
  const open = await store.listRounds(state.runId, state.rounds, mostBrokenOff)
  return open.some((round) => round.status === 'running' && round.journal.length > 0)
    ? [anything]
    : []
}

/** After the rounds under way have been committed, so that nothing is lost. */
async function stopForGood(rounds: Rounds): Promise<void> {
  const { store, clock } = rounds.engine
  const { runId, sessionId } = rounds.run
  const state = (await store.load(runId)) ?? newRunState(runId, sessionId, clock())
  if (state.stopped) return
  rounds.last = { ...state, version: state.version + 1, stopped: true }
  await store.commit(runId, { expectedVersion: state.version, state: rounds.last })
}

async function findUnfinished({ engine, run, active }: Rounds): Promise<UnfinishedRound[]> {
  const state = await engine.store.load(run.runId)
  const open = await engine.store.listRounds(run.runId, state?.rounds ?? 0, mostBrokenOff)
  return open.flatMap(({ roundId, status, request }) => {
    if (status === 'done' || !request || active.has(roundId)) return []
    const { secret: _secret, ...asked } = request
    return [{ roundId, ...asked }]
  })
}

function requestOf(calls: readonly ToolCall[], finishReason: string | undefined): RoundRequest {
  return {
    // As a store gives it back: -0 comes back as 0, and the digest must not see a difference.
    calls: JSON.parse(JSON.stringify(toPlain(calls))),
    ...(finishReason !== undefined && { finishReason }),
    secret: crypto.randomUUID(),
  }
}

function opening(
  roundId: string,
  digest: string,
  state: RunState,
  request: RoundRequest | undefined,
): RoundRecord {
  return {
    roundId,
    index: state.rounds,
    digest,
    status: 'running',
    ...(request && { request }),
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

/**
 * The calls as they are now: the caller may go on with its own. Throws `THREEPASS_BAD_ROUND` when they are
 * no list.
 */
export function copyCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  if (Array.isArray(calls)) return Array.from(calls, copyOf)
  throw new DispatchError(
    'THREEPASS_BAD_ROUND',
    'dispatch takes an array of calls: [{ id, name, arguments }]. Use readCalls of threepass/providers for a whole assistant message.',
  )
}

/** One that cannot be read is no call. */
function copyOf(call: ToolCall): ToolCall {
  try {
    return { id: call?.id, name: call?.name, arguments: call?.arguments }
  } catch {
    return { name: '' }
  }
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
