/**
 * Pass 1: every call of the round through the gates, serially, in the model's order.
 * @module
 */
import { type AskEnvironment, type Asked, askPeople, type Decisions } from '../approval/ask.ts'
import type { EventBody } from '../events.ts'
import { copyJson } from '../execute/copy.ts'
import type { ToolCall } from '../round.ts'
import { formatIssues } from '../schema/issues.ts'
import { readArguments } from './arguments.ts'
import { whatBegan } from './begun.ts'
import { confirm, denied } from './confirm.ts'
import { duplicate, look } from './duplicate.ts'
import { exists } from './exists.ts'
import {
  type Answer,
  answer,
  type Call,
  type Gate,
  newCall,
  type PreflightContext,
  pass,
  type ReadyCall,
  type Verdict,
} from './gate.ts'
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
  | { readonly kind: 'seat'; readonly call: Readonly<Call>; readonly behind: string }
  | { readonly kind: 'answered'; readonly call: Readonly<Call>; readonly answer: Answer }

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
    const call = newCall(index, raw)
    const given = throughGates(call, context)
    const verdict = orBegun(call, given instanceof Promise ? await given : given, context)
    report(call, verdict, context)
    if (verdict.kind === 'answer') checked.push({ kind: 'answered', call, answer: verdict.answer })
    else if (verdict.kind === 'seat') {
      checked.push({ kind: 'seat', call, behind: verdict.behind.id })
    } else {
      const ready = await asApproved(call as ReadyCall, context)
      ahead.push(ready)
      checked.push({ kind: 'ready', call: ready })
      if (verdict.kind === 'ask') asked.push({ call: ready, always: verdict.always })
    }
  }
  if (asked.length === 0 || !ask) return { checked, decisions: undecided }
  const decisions = await askPeople(asked, { ...ask, inspect: inspectEdited(context) })
  const settled = checked.map((each) => settle(each, decisions, context))
  const isEdited = settled.some((each) => each.kind === 'ready' && each.call.edited)
  return { checked: isEdited ? await lookAgain(settled, context) : settled, decisions }
}

/** A call that had begun before a crash goes on with the arguments that a person gave it then. */
async function asApproved(call: ReadyCall, context: PreflightContext): Promise<ReadyCall> {
  const args = context.begun.get(call.id)?.edited
  if (!args) return call
  const edited = await inspectEdited(context)(call, args)
  return 'problem' in edited ? call : edited
}

/** No gate may say of a call that has begun that it did not run. */
function orBegun(call: Call, verdict: Verdict, { begun }: PreflightContext): Verdict {
  const entry = verdict.kind === 'answer' ? begun.get(call.id) : undefined
  return entry ? answer(whatBegan(call, entry)) : verdict
}

/** Without a promise where no gate needs one: a round of many calls would pay for each of them. */
function throughGates(
  call: Call,
  context: PreflightContext,
  first = 0,
): Verdict | Promise<Verdict> {
  for (let at = first; at < gates.length; at += 1) {
    const verdict = gates[at]?.(call, context) ?? pass
    if (verdict instanceof Promise) {
      return verdict.then((late) =>
        late.kind === 'pass' ? throughGates(call, context, at + 1) : late,
      )
    }
    if (verdict.kind !== 'pass') return verdict
  }
  return pass
}

type SeenEvent = { -readonly [K in keyof ToolCallSeen]: ToolCallSeen[K] }
type ToolCallSeen = Extract<EventBody, { type: 'tool_call' }>

function report(call: Readonly<Call>, verdict: Verdict, { emit }: PreflightContext): void {
  const { id, name, args, sent, repaired, checked } = call
  const seen: SeenEvent = { type: 'tool_call', callId: id, name, arguments: copyJson(args) }
  if (sent.raw !== undefined) seen.raw = sent.raw
  if (repaired.length > 0) seen.repaired = repaired
  if (checked?.ok && checked.coerced.length > 0) seen.coerced = checked.coerced
  if (verdict.kind === 'answer') seen.decided = verdict.answer.outcome
  emit(seen)
  if (verdict.kind === 'answer' && verdict.answer.outcome === 'denied') {
    emit({ type: 'tool_skipped', callId: id, reason: verdict.answer.content })
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

/**
 * A person's edit may have changed what an earlier call writes: a read that was to share an older
 * result is looked up once more, and runs when that result may have been changed.
 */
async function lookAgain(
  settled: readonly Checked[],
  context: PreflightContext,
): Promise<Checked[]> {
  const ahead: ReadyCall[] = []
  const again: Checked[] = []
  for (const each of settled) {
    const shares = each.kind === 'seat' || (each.kind === 'answered' && each.answer.earlier)
    const isRead = each.call.registered?.tool.readOnly === true && each.call.key !== undefined
    const verdict =
      shares && isRead ? await look(each.call as Call, { ...context, ahead }) : undefined
    const now: Checked =
      verdict?.kind === 'pass' ? { kind: 'ready', call: each.call as ReadyCall } : each
    if (now.kind === 'ready') ahead.push(now.call)
    again.push(now)
  }
  return again
}

/** The answer for a call that the round ended before. */
export function notRun(call: Readonly<Call>, stopped: boolean): Answer {
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
    const edited: Call = {
      ...call,
      args: read.args,
      inexact: read.inexact,
      input: undefined,
      edited: true,
    }
    await inspect(edited, context)
    if (edited.checked?.ok) return edited as ReadyCall
    return { problem: formatIssues(call.name, edited.checked?.issues ?? []) }
  }
}
