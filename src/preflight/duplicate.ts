/**
 * Gate 4: an equal call of this run or of this round gives its result again instead of running.
 * @module
 */
import { voids, writtenSince } from '../dedupe/resources.ts'
import type { ToolResult } from '../round.ts'
import type { LedgerEntry } from '../run-state/run-state.ts'
import {
  type Answer,
  answer,
  type Call,
  type Gate,
  type PreflightContext,
  pass,
  type ReadyCall,
  type Verdict,
} from './gate.ts'
import { inspect } from './inspect.ts'

export const duplicate: Gate = (call, context) => {
  const inspected = inspect(call, context)
  return inspected ? inspected.then(() => look(call, context)) : look(call, context)
}

/** Looks an inspected call up: in the round before it, then in the ledger. */
export function look(call: Call, context: PreflightContext): Verdict | Promise<Verdict> {
  const { key, registered } = call
  if (key === undefined || !registered) return pass
  const replayed = replay(call, key, context)
  if (replayed) return replayed
  if (registered.tool.dedupe === false) return pass
  const first = lastEqual(key, context)
  if (first) {
    return voidedSince(first.access, first.index, context) ? pass : { kind: 'seat', behind: first }
  }
  const entry = context.ledger.get(key)
  if (!entry || voidedSince(entry.access, -1, context)) return pass
  if (writtenSince(context.session, entry.generation, entry.access)) return pass
  return repeat(call, entry, context)
}

function lastEqual(key: string, { ahead }: PreflightContext): ReadyCall | undefined {
  for (let at = ahead.length - 1; at >= 0; at -= 1) {
    if (ahead[at]?.key === key) return ahead[at]
  }
  return undefined
}

function voidedSince(
  access: ReadyCall['access'],
  index: number,
  { ahead }: PreflightContext,
): boolean {
  return ahead.some((earlier) => earlier.index > index && voids(earlier.access, access))
}

/** One provider id may stand for several calls: what is replayed is this id with these arguments. */
export function settledKey(wireId: string, key: string): string {
  return `${wireId}\n${key}`
}

/** A provider that sends a call of the last round once more (same id, same arguments) must not cause its side effect twice. */
function replay(call: Call, key: string, context: PreflightContext): Promise<Verdict> | undefined {
  const tool = call.registered?.tool
  if (call.wireId === undefined || tool?.readOnly || tool?.dedupe === false) return undefined
  const settled = context.settled.get(settledKey(call.wireId, key))
  if (!settled) return undefined
  return context
    .readResult(settled.roundId, settled.callId)
    .then((earlier) => (earlier ? answer(given(earlier, 'replayed', earlier.content)) : pass))
}

async function repeat(call: Call, entry: LedgerEntry, context: PreflightContext): Promise<Verdict> {
  const earlier = await context.readResult(entry.roundId, entry.callId)
  if (!earlier) return pass
  const times = entry.repeats + 1
  const { repeatLimit } = context.options
  if (times >= repeatLimit) {
    const content = `This exact call to ${call.name} has been made ${times + 1} times in this run and its result has not changed, so it is not given again. Use the earlier result, change the arguments, or take another approach.`
    return answer({ ...given(earlier, 'repeat-limit', content), repeated: entry.key })
  }
  const note =
    times === 1
      ? ''
      : `\n[Note: the same call made ${times + 1} times in this run; this is the earlier result again.]`
  return answer({
    ...given(earlier, 'duplicate', earlier.content + note),
    repeated: entry.key,
  })
}

/** The earlier result under this call's name: a result that was not an answer keeps its outcome. */
function given(earlier: ToolResult, code: string, content: string): Answer {
  const answered = earlier.outcome === 'completed' || earlier.outcome === 'cached'
  return { outcome: answered ? 'duplicate' : earlier.outcome, code, content, earlier }
}
