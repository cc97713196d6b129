/**
 * An approver made of a question that goes out and an answer that comes back by call id: for a
 * dialog in a page, or for answers that arrive by HTTP.
 * @module
 */
import { canonicalJson } from '../dedupe/call-key.ts'
import { toPlain } from '../execute/plain.ts'
import type { ApprovalAnswer, ApprovalBatch, ApprovalRequest, Approver } from './approver.ts'

/** A question that waits for its answer. */
export interface PendingApproval extends ApprovalRequest {
  readonly runId: string
  readonly sessionId: string
  readonly roundId: string
}

/**
 * What became of an answer: `taken`; `repeated` (the same answer once more, harmless); `conflict`
 * (another answer was first); `unknown` (not asked, not asked any more, or a wrong token).
 */
export type AnswerReceipt = 'taken' | 'repeated' | 'conflict' | 'unknown'

export interface PromptApprover {
  /** Pass this to `createDispatcher`. */
  readonly approver: Approver
  /** What waits for an answer now, oldest first. */
  readonly pending: () => readonly PendingApproval[]
  /** Gives one answer; the round goes on when its last question is answered. `token` is the request's. */
  readonly answer: (answer: ApprovalAnswer, token: string) => AnswerReceipt
  /** The run that a question belongs or belonged to; `undefined` for a token that was never given. */
  readonly runOf: (token: string) => string | undefined
}

export interface PromptOptions {
  /** Called when questions open or close: draw them anew. */
  readonly onChange?: (pending: readonly PendingApproval[]) => void
  /** Milliseconds after which an unanswered question counts as denied; default: none. */
  readonly timeoutMs?: number
}

interface Open {
  readonly request: PendingApproval
  readonly settle: (answer: ApprovalAnswer) => void
}

/** How many given answers are remembered, to tell a repeat from a conflict. */
const mostRemembered = 1_000

export function promptApprover({ onChange, timeoutMs }: PromptOptions = {}): PromptApprover {
  const open = new Map<string, Open>()
  const given = new Map<string, { readonly said: string; readonly runId: string }>()
  const pending = () => [...open.values()].map((each) => each.request)
  const changed = () => onChange?.(pending())

  const answer = (reply: ApprovalAnswer, token: string): AnswerReceipt => {
    const said = canonicalJson(toPlain(reply))
    const before = given.get(token)
    if (before) return before.said === said ? 'repeated' : 'conflict'
    const question = open.get(token)
    if (!question || question.request.callId !== reply.callId) return 'unknown'
    given.set(token, { said, runId: question.request.runId })
    if (given.size > mostRemembered) given.delete([...given.keys()][0] ?? '')
    open.delete(token)
    question.settle(reply)
    changed()
    return 'taken'
  }

  const approver = ({ requests, signal, ...where }: ApprovalBatch) =>
    new Promise<readonly ApprovalAnswer[]>((resolve) => {
      const answers: ApprovalAnswer[] = []
      const close = () => {
        if (timer !== undefined) clearTimeout(timer)
        signal.removeEventListener('abort', close)
        for (const { token } of requests) open.delete(token)
        resolve(answers)
        changed()
      }
      const settle = (reply: ApprovalAnswer) => {
        answers.push(reply)
        // A stop leaves nothing to decide for the rest of the batch.
        if (answers.length === requests.length || reply.decision === 'stop') close()
      }
      for (const request of requests)
        open.set(request.token, { request: { ...where, ...request }, settle })
      const timer = timeoutMs === undefined ? undefined : setTimeout(close, timeoutMs)
      signal.addEventListener('abort', close)
      changed()
    })

  const runOf = (token: string) => open.get(token)?.request.runId ?? given.get(token)?.runId

  return { approver, pending, answer, runOf }
}
