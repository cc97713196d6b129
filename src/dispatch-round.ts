/**
 * One round through the three passes.
 * @module
 */
import { commit } from './commit/commit.ts'
import type { RoundFacts } from './commit/next-state.ts'
import { land } from './commit/record.ts'
import { mayWrite } from './dedupe/resources.ts'
import type { Engine } from './engine.ts'
import type { EventBody } from './events.ts'
import { executeContext } from './execute/context.ts'
import { abortable } from './execute/deadline.ts'
import { execute } from './execute/execute.ts'
import { approverIn, askerIn, type Nest, outerEvent } from './execute/nesting.ts'
import type { Ran } from './execute/run-tool-call.ts'
import { preflightContext } from './preflight/context.ts'
import type { ReadyCall } from './preflight/gate.ts'
import { type Checked, notRun, preflight } from './preflight/preflight.ts'
import type { RoundResult, ToolCall } from './round.ts'
import type { OpenRun } from './run.ts'
import type { Access, RoundRecord, RunState, SessionState } from './run-state/run-state.ts'

/** A round as it is about to be dispatched. */
export interface PendingRound {
  readonly roundId: string
  readonly digest: string
  readonly calls: readonly ToolCall[]
  readonly finishReason?: string
  readonly signal: AbortSignal
  readonly state: RunState
  readonly session: SessionState
  /** The tokens of its questions are made from it: the same after a crash. */
  readonly secret: string
  /** The broken-off record of an earlier attempt, if there is one. */
  readonly broken?: RoundRecord
  /** The call that this round goes on in. */
  readonly within?: Nest
}

/** Runs the three passes and resolves with one result a call, in call order. */
export async function dispatchRound(
  round: PendingRound,
  run: OpenRun,
  engine: Engine,
): Promise<{ result: RoundResult; state: RunState; record: RoundRecord; unsaved: Access[] }> {
  const { within } = round
  const emit = (body: EventBody) => {
    run.log.emit(round.roundId, body)
    const outer = within && outerEvent(within, body)
    if (outer) within.context.emit(outer)
  }
  emit({ type: 'round_start', calls: round.calls.length })

  // Pass 1: serial.
  const ahead: ReadyCall[] = []
  const gateContext = preflightContext(round, run, engine, ahead, emit)
  const { approver } = engine.options
  const asking =
    approver && !round.state.stopped
      ? {
          approver: within ? approverIn(askerIn(within), approver) : approver,
          runId: run.runId,
          sessionId: run.sessionId,
          roundId: round.roundId,
          secret: round.secret,
          signal: round.signal,
          emit,
        }
      : undefined
  const { checked: judged, decisions: decided } = await preflight(
    round.calls,
    gateContext,
    ahead,
    asking,
  )
  const checked = round.state.stopped ? judged.map(stop) : judged

  // Pass 2: the only one that fans out.
  const ready = checked.flatMap((each) => (each.kind === 'ready' ? [each.call] : []))
  const signals = abortable(round.signal)
  const leads = new Map<string, () => void>()
  let stopped = decided.stopped
  const onStop = () => {
    stopped = true
    within?.context.onStop()
  }
  if (stopped) within?.context.onStop()
  try {
    const context = executeContext(round, run, engine, signals, leads, emit, onStop)
    const ran = await execute(ready, context)
    const decisions = { ...decided, stopped }

    // Pass 3: serial, in call order.
    const results = land(checked, byId(ran), engine.bounds)
    const shown = await schemasShown(checked, ran, engine)
    const facts: RoundFacts = { roundId: round.roundId, checked, ran, results, decisions, shown }
    const { state, record, saved } = await commit(facts, {
      ...engine,
      runId: run.runId,
      state: round.state,
      session: round.session,
      digest: round.digest,
      emit,
    })
    return { result: resultOf(record), state, record, unsaved: saved ? [] : writesOf(ran) }
  } finally {
    signals.release()
    for (const close of leads.values()) close()
  }
}

/** What `dispatch` resolves to, from a round's record. */
export function resultOf({ roundId, results, stopped }: RoundRecord): RoundResult {
  return { roundId, results, stopped }
}

function stop(each: Checked): Checked {
  return each.kind === 'ready'
    ? { kind: 'answered', call: each.call, answer: notRun(each.call, true) }
    : each
}

/** What a round that could not be recorded has written. */
function writesOf(ran: readonly Ran[]): Access[] {
  return ran
    .filter((each) => each.ran && mayWrite(each.call.access))
    .map((each) => each.call.access)
}

function byId(ran: readonly Ran[]): Map<string, Ran> {
  return new Map(ran.map((each) => [each.call.id, each]))
}

/** Tools whose schema the model has been shown in this round: by gate 5, or by find_tools. */
async function schemasShown(
  checked: readonly Checked[],
  ran: readonly Ran[],
  { registry, exposure }: Engine,
): Promise<[string, string][]> {
  if (exposure === 'full') return []
  const names = checked.flatMap((each) =>
    each.kind === 'answered' ? (each.answer.shows ?? []) : [],
  )
  for (const { call, outcome, value } of ran) {
    if (outcome === 'completed') names.push(...(call.registered.shows?.(value) ?? []))
  }
  const shown: [string, string][] = []
  for (const name of new Set(names)) {
    const registered = registry.get(name)
    if (registered) shown.push([name, await registered.fingerprint()])
  }
  return shown
}
