/**
 * PORT Approver: puts calls before a person and brings the answers.
 * @module
 */
import type { JsonObject } from '../round.ts'

/** One call that needs a person. Its arguments have passed validation. */
export interface ApprovalRequest {
  readonly callId: string
  /**
   * Unguessable and used once: an answer that comes from outside must bring it. Bound to the run, the
   * round, the call, its arguments and the tool as it is defined now; the same when the question is put
   * again after a crash.
   */
  readonly token: string
  readonly name: string
  readonly description: string
  /** What will run if this is approved: the answer is bound to exactly these arguments. */
  readonly arguments: JsonObject
  /** What the tool's maker says of this call, in one line: where it goes. Never a model's words alone. */
  readonly tells?: string
  /** Set when an answer's edited arguments were refused: the question is put again. */
  readonly problem?: string
}

/** What an answer would do. */
export interface AnswerReview {
  /** Why its edited arguments cannot run: the question stays open. */
  readonly problem?: string
  /** The calls it decides: its own, and those that its allow rule covers. */
  readonly settles: readonly string[]
}

/** All the calls of a round that need a person, in call order. */
export interface ApprovalBatch {
  readonly runId: string
  readonly sessionId: string
  readonly roundId: string
  readonly requests: readonly ApprovalRequest[]
  /** Looks at an answer before it counts, so that whoever gives it hears at once what is wrong. */
  readonly review: (answer: ApprovalAnswer) => Promise<AnswerReview>
  /** Aborts when the round or the run does: nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What a person said about one call. */
export type ApprovalAnswer =
  /** Run it once; `arguments` replaces the model's and is validated again. */
  | { readonly callId: string; readonly decision: 'approve'; readonly arguments?: JsonObject }
  /** Run it, and do not ask about this tool again in this run. */
  | { readonly callId: string; readonly decision: 'approve-for-run' }
  /** Run it and keep an allow rule in the session: this tool, with arguments that match `pattern` (absent: any). */
  | {
      readonly callId: string
      readonly decision: 'approve-and-remember'
      readonly pattern?: JsonObject
    }
  /** Do not run it; the model reads `reason`. */
  | { readonly callId: string; readonly decision: 'deny'; readonly reason?: string }
  /** Do not run it, nor anything else of this run. */
  | { readonly callId: string; readonly decision: 'stop'; readonly reason?: string }

/**
 * Resolves with one answer a request, in any order. A call without an answer is denied, unless an
 * answer of the same batch allows its tool; a rejection denies them all (fail closed). An answer to a
 * call that was not asked about is ignored and reported as a `warning`.
 */
export type Approver = (
  batch: ApprovalBatch,
) => Promise<readonly ApprovalAnswer[]> | readonly ApprovalAnswer[]
