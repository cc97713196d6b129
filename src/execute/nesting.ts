/**
 * A round that a tool dispatches inside its own call: it shares the places of the round around it, asks
 * people in that round's name, and a stop of it stops both.
 * @module
 */
import type { ApprovalAnswer, Approver } from '../approval/approver.ts'
import type { EventBody } from '../events.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { ExecuteContext } from './execute.ts'

/** In whose name questions are put: the outermost round's, with the way down to the call that asks. */
export interface Asker {
  readonly runId: string
  readonly roundId: string
  /** `''`, or the ids of the calls around, each with a `/` behind it. */
  readonly prefix: string
}

/** A run, and the runs in which rounds go on inside its calls, each with how many. */
export interface Waiting {
  readonly waitsFor: Map<Waiting, number>
}

/** What a call in progress lends to the rounds inside it. */
export interface Nest {
  readonly call: ReadyCall
  readonly context: ExecuteContext
  /** The call has ended: what goes on inside it has no place to come back to. */
  readonly isOver: () => boolean
  /** Rounds under way inside the call. */
  inside: number
  /** The call had a place, or waited for one, when the first of them began. */
  lent: boolean
}

const nestKey: unique symbol = Symbol('threepass.nest')

interface Nested {
  [nestKey]?: Nest
}

/** The tool's context with the call's nest in it, for `dispatch({ within: context })`. */
export function withNest(context: ToolContext & Nested, nest: Nest): ToolContext {
  context[nestKey] = nest
  return context
}

export function nestOf(context: (ToolContext & Nested) | undefined): Nest | undefined {
  return context?.[nestKey]
}

/**
 * A round of `run` inside a call. While one goes on, the call needs no place of its own: its tool waits. A place
 * that it waits for again is left when the next round begins.
 */
export async function inside<T>(
  nest: Nest | undefined,
  run: Waiting,
  round: () => Promise<T>,
): Promise<T> {
  if (!nest) return round()
  const { call, context } = nest
  const { slots } = context
  nest.inside += 1
  if (nest.inside === 1) nest.lent = slots.leave(call)
  count(context.run, run, 1)
  try {
    return await round()
  } finally {
    nest.inside -= 1
    count(context.run, run, -1)
    if (nest.inside === 0 && nest.lent && !nest.isOver()) await slots.take(call)
  }
}

function count({ waitsFor }: Waiting, other: Waiting, change: 1 | -1): void {
  const rounds = (waitsFor.get(other) ?? 0) + change
  if (rounds > 0) waitsFor.set(other, rounds)
  else waitsFor.delete(other)
}

/**
 * True when a round of `run` inside this call would wait for its own end: the run, or one that it waits for, is
 * the call's own.
 */
export function wouldWaitForItself(nest: Nest | undefined, run: Waiting): boolean {
  if (!nest) return false
  const seen = new Set([run])
  // The set grows while it is walked.
  for (const each of seen) {
    if (each === nest.context.run) return true
    for (const next of each.waitsFor.keys()) seen.add(next)
  }
  return false
}

export function askerIn({ call, context }: Nest): Asker {
  return { ...context.asker, prefix: `${context.asker.prefix}${call.id}/` }
}

/** Puts the questions of an inner round in the outermost one's name. */
export function approverIn({ runId, roundId, prefix }: Asker, approver: Approver): Approver {
  const inner = (answer: ApprovalAnswer) => ({
    ...answer,
    callId: answer.callId.slice(prefix.length),
  })
  return async (batch) => {
    const answers = await approver({
      ...batch,
      runId,
      roundId,
      requests: batch.requests.map((each) => ({ ...each, callId: prefix + each.callId })),
      async review(answer) {
        const reviewed = await batch.review(inner(answer))
        return { ...reviewed, settles: reviewed.settles.map((callId) => prefix + callId) }
      },
    })
    return answers.map(inner)
  }
}

/** Questions of an inner round, as the round around it tells of them. */
export function outerEvent({ call }: Nest, body: EventBody): EventBody | undefined {
  const outer = (callId: string) => `${call.id}/${callId}`
  if (body.type === 'approval_answered') return { ...body, callId: outer(body.callId) }
  if (body.type !== 'approval_requested') return undefined
  return {
    ...body,
    questions: body.questions.map((each) => ({ ...each, callId: outer(each.callId) })),
  }
}
