/**
 * The run's state after a round: pure, the old state and what the round did in, the new state out.
 * @module
 */
import type { Decisions } from '../approval/ask.ts'
import { type LandedCall, ledgerAfter } from '../dedupe/ledger.ts'
import { mayWrite } from '../dedupe/resources.ts'
import type { Ran } from '../execute/run-tool-call.ts'
import type { Checked } from '../preflight/preflight.ts'
import type { ToolResult } from '../round.ts'
import type { HistoryEntry, RunState, SessionChange, SettledCall } from '../run-state/run-state.ts'

/** What a round did, as the commit needs it. */
export interface RoundFacts {
  readonly roundId: string
  readonly checked: readonly Checked[]
  readonly ran: readonly Ran[]
  readonly results: readonly ToolResult[]
  readonly decisions: Omit<Decisions, 'byCall'>
  /** Tools whose schema this round showed, with its fingerprint. */
  readonly shown: readonly (readonly [name: string, fingerprint: string])[]
}

/** `generation`: the session's, once the round's own writes are counted. */
export function nextState(state: RunState, facts: RoundFacts, generation: number): RunState {
  const { decisions } = facts
  const repeated = new Set(
    facts.checked.flatMap((each) =>
      each.kind === 'answered' && each.answer.repeated ? [each.answer.repeated] : [],
    ),
  )
  const ledger = ledgerAfter(
    state.ledger,
    facts.ran.map((ran) => landedCall(ran, facts.roundId, generation)),
  )
  return {
    ...state,
    version: state.version + 1,
    rounds: state.rounds + 1,
    stopped: state.stopped || decisions.stopped,
    ledger:
      repeated.size === 0
        ? ledger
        : ledger.map((entry) =>
            repeated.has(entry.key) ? { ...entry, repeats: entry.repeats + 1 } : entry,
          ),
    loaded: facts.shown.length > 0 ? [...new Map([...state.loaded, ...facts.shown])] : state.loaded,
    settled: settledAfter(facts),
    denials: [...state.denials, ...decisions.denials],
    allowedForRun: [...state.allowedForRun, ...decisions.runRules],
  }
}

function landedCall(ran: Ran, roundId: string, generation: number): LandedCall {
  const { call, startTick, endTick } = ran
  const remembered =
    (ran.outcome === 'completed' || ran.outcome === 'cached') &&
    call.registered.tool.dedupe !== false
  const { access, key, id: callId } = call
  if (!remembered) return { access, ran: ran.ran, startTick, endTick }
  const entry = { key, roundId, callId, access, generation, repeats: 0 }
  return { access, ran: ran.ran, startTick, endTick, entry }
}

/**
 * Calls of this round whose side effect may have happened, by the provider's own id: a continuation
 * replays the round before it. A plain failure may be tried again.
 */
function settledAfter({ ran, roundId }: RoundFacts): SettledCall[] {
  const settled: SettledCall[] = []
  for (const { call, outcome, ran: didRun } of ran) {
    if (!didRun || outcome === 'failed' || call.registered.tool.readOnly) continue
    if (call.wireId === undefined) continue
    settled.push({ wireId: call.wireId, key: call.key, roundId, callId: call.id })
  }
  return settled
}

/** What the round changed for the session's other runs. */
export function sessionChange({ ran, decisions }: RoundFacts): SessionChange | undefined {
  const wrote = new Set<string>()
  for (const { ran: didRun, call } of ran) {
    if (!didRun || !mayWrite(call.access)) continue
    if (call.access.opaque) wrote.add('*')
    for (const resource of call.access.writes) wrote.add(resource)
  }
  const addRules = decisions.sessionRules
  return wrote.size > 0 || addRules.length > 0 ? { addRules, wrote: [...wrote] } : undefined
}

/** What the model sees of the round in its history: arguments are always valid JSON. */
export function historyOf(
  checked: readonly Checked[],
  results: readonly ToolResult[],
): HistoryEntry[] {
  return checked.map(({ call: { id, sent } }, index) => {
    const content = results[index]?.content ?? ''
    const entry = { callId: id, name: sent.name, arguments: sent.args, content }
    return sent.raw === undefined ? entry : { ...entry, raw: sent.raw }
  })
}
