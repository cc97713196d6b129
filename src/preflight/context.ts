/**
 * What pass 1 is given for one round.
 * @module
 */
import type { PendingRound } from '../dispatch-round.ts'
import type { Engine } from '../engine.ts'
import type { EventBody } from '../events.ts'
import type { OpenRun } from '../run.ts'
import { begunCalls } from './begun.ts'
import { settledKey } from './duplicate.ts'
import type { PreflightContext, ReadyCall } from './gate.ts'

export function preflightContext(
  round: PendingRound,
  run: OpenRun,
  engine: Engine,
  ahead: readonly ReadyCall[],
  emit: (body: EventBody) => void,
): PreflightContext {
  const { state, session, calls, broken } = round
  const { options } = engine
  return {
    registry: engine.registry,
    exposure: engine.exposure,
    state,
    session,
    allowRules: [...session.allowRules, ...state.allowedForRun],
    ledger: byKey(state.ledger, (entry) => entry.key),
    settled: byKey(state.settled, (each) => settledKey(each.wireId, each.key)),
    loaded: new Map(state.loaded),
    ahead,
    ids: new Map(),
    roundIndex: broken?.index ?? state.rounds,
    begun: begunCalls(broken?.journal ?? []),
    options: { ...options, hasApprover: options.approver !== undefined },
    cutIndex: wasCut(round.finishReason) ? calls.length - 1 : -1,
    readResult: run.readResult,
    emit,
  }
}

/** Filled one by one: thousands of entries a round, and a list of pairs would double the cost. */
function byKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T> {
  const map = new Map<string, T>()
  for (const item of items) map.set(keyOf(item), item)
  return map
}

/** Every provider's word for "the output ended because it was too long". */
const cutReasons = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
  'incomplete',
])

function wasCut(finishReason: string | undefined): boolean {
  return finishReason !== undefined && cutReasons.has(finishReason.toLowerCase())
}
