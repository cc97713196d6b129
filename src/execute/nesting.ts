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

/** What a call in progress lends to the rounds inside it. */
export interface Nest {
  readonly call: ReadyCall
  readonly context: ExecuteContext
  /** The call has ended: what goes on inside it has no place to come back to. */
  readonly isOver: () => boolean
  /** Rounds under way inside the call. */
  inside: number
  gavePlace: boolean
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

/** While a round goes on inside it, a call needs no place of its own: its tool waits. */
export async function inside<T>(nest: Nest | undefined, round: () => Promise<T>): Promise<T> {
  if (!nest) return round()
  const { call, context } = nest
  nest.inside += 1
  if (nest.inside === 1) nest.gavePlace = context.slots.give(call)
  try {
    return await round()
  } finally {
    nest.inside -= 1
    if (nest.inside === 0 && nest.gavePlace) {
      await context.slots.take(call)
      if (nest.isOver()) context.slots.give(call)
    }
  }
}

/** True for a run of which a round is under way around this call: another round of it would wait for its own end. */
export function isAround(nest: Nest | undefined, runId: string): boolean {
  for (let at = nest; at; at = at.context.within) if (at.context.runId === runId) return true
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
