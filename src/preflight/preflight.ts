/**
 * Pass 1: every call of the round through the gates, serially, in the model's order.
 * @module
 */
import { type AskEnvironment, type Asked, askPeople, type Decisions } from '../approval/ask.ts'
import type { ToolCall } from '../round.ts'
import { formatIssues } from '../schema/issues.ts'
import { readArguments } from './arguments.ts'
import { confirm, denied } from './confirm.ts'
import { duplicate } from './duplicate.ts'
import { exists } from './exists.ts'
import type { Answer, Call, Gate, PreflightContext, ReadyCall, Verdict } from './gate.ts'
import { inspect } from './inspect.ts'
import { loaded } from './loaded.ts'
import { maxArgumentDepth, normalise } from './normalise.ts'
import { schemaFirst } from './schema-first.ts'
import { unwrap } from './unwrap.ts'
import { validate } from './validate.ts'

/** The gates in the specification's order; the first that decides ends the pass for the call. */
export const gates: readonly Gate[] = [
  normalise,
  unwrap,
  loaded,
  duplicate,
  schemaFirst,
  exists,
  confirm,
  validate,
]

/** What pass 1 made of a call. */
export type Checked =
  | { readonly kind: 'ready'; readonly call: ReadyCall }
  | { readonly kind: 'seat'; readonly call: Call; readonly behind: string }
  | { readonly kind: 'answered'; readonly call: Call; readonly answer: Answer }

export interface PreflightResult {
  /** One a call, in call order. */
  readonly checked: readonly Checked[]
  readonly decisions: Omit<Decisions, 'byCall'>
}

const undecided: PreflightResult['decisions'] = {
  runRules: [],
  sessionRules: [],
  denials: [],
  stopped: false,
}

/** Runs pass 1. `ahead` is `context.ahead`: this is the one place that fills it. */
export async function preflight(
  calls: readonly ToolCall[],
  context: PreflightContext,
  ahead: ReadyCall[],
  ask: Omit<AskEnvironment, 'inspect'> | undefined,
): Promise<PreflightResult> {
  const checked: Checked[] = []
  const asked: Asked[] = []
  for (const [index, raw] of calls.entries()) {
    const verdict = await throughGates(newCall(index, raw), context)
    report(verdict, context)
    const { call } = verdict
    if (verdict.kind === 'answer') checked.push({ kind: 'answered', call, answer: verdict.answer })
    else if (verdict.kind === 'seat')
      checked.push({ kind: 'seat', call, behind: verdict.behind.id })
    else {
      const ready = call as ReadyCall
      ahead.push(ready)
      checked.push({ kind: 'ready', call: ready })
      if (verdict.kind === 'ask') asked.push({ call: ready, always: verdict.always })
    }
  }
  if (asked.length === 0 || !ask) return { checked, decisions: undecided }
  const decisions = await askPeople(asked, { ...ask, inspect: inspectEdited(context) })
  return { checked: checked.map((each) => settle(each, decisions, context)), decisions }
}

async function throughGates(start: Call, context: PreflightContext): Promise<Verdict> {
  let call = start
  for (const gate of gates) {
    const given = gate(call, context)
    const verdict = given instanceof Promise ? await given : given
    if (verdict.kind !== 'pass') return verdict
    call = verdict.call
  }
  return { kind: 'pass', call }
}

const none: ReadonlySet<string> = new Set()

function newCall(index: number, raw: ToolCall): Call {
  return {
    index,
    raw,
    id: '',
    name: '',
    args: {},
    sent: { name: '', args: {} },
    repaired: [],
    inexact: none,
    wrapped: false,
  }
}

function report(verdict: Verdict, { emit }: PreflightContext): void {
  const { call } = verdict
  emit({
    type: 'tool_call',
    callId: call.id,
    name: call.name,
    arguments: call.args,
    ...(call.sent.raw !== undefined && { raw: call.sent.raw }),
    ...(call.repaired.length > 0 && { repaired: call.repaired }),
    ...(call.checked?.ok && call.checked.coerced.length > 0 && { coerced: call.checked.coerced }),
    ...(verdict.kind === 'answer' && { decided: verdict.answer.outcome }),
  })
  if (verdict.kind === 'answer' && verdict.answer.outcome === 'denied') {
    emit({ type: 'tool_skipped', callId: call.id, reason: verdict.answer.content })
  }
}

/** Applies a person's word. After a stop nothing of the round runs. */
function settle(each: Checked, { byCall, stopped }: Decisions, context: PreflightContext): Checked {
  if (each.kind !== 'ready') return each
  const { call } = each
  const decision = byCall.get(call.id)
  if (decision?.kind === 'denied') {
    const answer = denied(call, decision.code, decision.reason)
    context.emit({ type: 'tool_skipped', callId: call.id, reason: answer.content })
    return { kind: 'answered', call, answer }
  }
  if (decision?.kind === 'aborted' || stopped) {
    return { kind: 'answered', call, answer: notRun(call, stopped) }
  }
  return decision?.kind === 'approved' ? { kind: 'ready', call: decision.call } : each
}

/** The answer for a call that the round ended before. */
export function notRun(call: Call, stopped: boolean): Answer {
  return {
    outcome: 'cancelled',
    code: stopped ? 'run-stopped' : 'cancelled-before-start',
    content: stopped
      ? `The user stopped the run before ${call.name} started. It did not run.`
      : `${call.name} was cancelled before it started. It did not run.`,
  }
}

/** Edited arguments go through the same reading, validation and key as the model's own. */
function inspectEdited(context: PreflightContext): AskEnvironment['inspect'] {
  return async (call, args) => {
    const read = await readArguments(args, {
      cut: false,
      maxBytes: context.options.maxArgumentBytes,
      maxDepth: maxArgumentDepth,
    })
    if (read.kind === 'unreadable') return { problem: read.message }
    const { input: _input, ...rest } = call
    const found = await inspect(
      { ...rest, args: read.args, inexact: read.inexact, edited: true },
      context,
    )
    if (found.checked?.ok) return found as ReadyCall
    return { problem: formatIssues(call.name, found.checked?.issues ?? []) }
  }
}
