/**
 * An approver made of a question that goes out and an answer that comes back by token: for a dialog in a
 * page, or for answers that arrive by HTTP, also after a restart when it is given a durable store.
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import { canonicalJson } from '../dedupe/call-key.ts'
import { toPlain } from '../execute/plain.ts'
import { memoryRecords, type RecordStore } from '../run-state/records.ts'
import { createTurns } from '../turns.ts'
import type { ApprovalAnswer, ApprovalBatch, ApprovalRequest, Approver } from './approver.ts'

/** A question that waits for its answer. */
export interface PendingApproval extends ApprovalRequest {
  readonly runId: string
  readonly sessionId: string
  readonly roundId: string
  /** Milliseconds since the epoch at which it counts as denied; absent: it waits for ever. */
  readonly expiresAt?: number
}

/**
 * What became of an answer: `taken`; `repeated` (the same answer once more, harmless); `conflict`
 * (another answer was first); `refused` (its edited arguments do not fit: the question stays open);
 * `over` (asked, but nobody waits for the answer any more); `unknown` (never asked, or a wrong token).
 */
export type AnswerReceipt = 'taken' | 'repeated' | 'conflict' | 'refused' | 'over' | 'unknown'

/** The receipt, and why the answer was refused. */
export interface AnswerOutcome {
  readonly receipt: AnswerReceipt
  readonly problem?: string
}

/** What is kept of a question. */
export interface QuestionRecord {
  readonly runId: string
  readonly callId: string
  readonly expiresAt: number | null
  /** The first answer. */
  readonly answer?: ApprovalAnswer
}

export interface PromptApprover {
  /** Pass this to `createDispatcher`. */
  readonly approver: Approver
  /** What waits for an answer now, oldest first. */
  readonly pending: () => readonly PendingApproval[]
  /**
   * Gives one answer; it is stored before anything runs, and the round goes on when its last question is
   * answered. `token` is the request's. With `runId` a token of another run is unknown.
   */
  readonly answer: (answer: ApprovalAnswer, token: string, runId?: string) => Promise<AnswerOutcome>
}

export interface PromptOptions {
  /** Called when questions open or close: draw them anew. */
  readonly onChange?: (pending: readonly PendingApproval[]) => void
  /** Milliseconds after which an unanswered question counts as denied; default: none. */
  readonly timeoutMs?: number
  /** Where questions and answers outlive the process; default: in memory. */
  readonly store?: RecordStore<QuestionRecord>
  readonly clock?: Clock
}

interface Open {
  readonly request: PendingApproval
  readonly record: QuestionRecord
  readonly batch: ApprovalBatch
  /** Takes the answer, and the calls that it settles out of the batch. */
  readonly settle: (answer: ApprovalAnswer, settles: readonly string[]) => void
}

/** How long an answer is remembered after its question is over, to tell a repeat from a conflict. */
const rememberMs = 86_400_000

/** Timers hold no more milliseconds than this; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

export function promptApprover(options: PromptOptions = {}): PromptApprover {
  const { onChange, timeoutMs, store = memoryRecords(), clock = systemClock } = options
  const open = new Map<string, Open>()
  const inTurn = createTurns()
  const pending = () => [...open.values()].map((each) => each.request)
  const changed = () => onChange?.(pending())
  const save = (token: string, record: QuestionRecord) => {
    const now = clock()
    return store.save(token, record, { now, forgetAt: (record.expiresAt ?? now) + rememberMs })
  }

  // Of two answers at once the second sees what became of the first.
  const answer: PromptApprover['answer'] = (reply, token, runId) =>
    inTurn(token, () => take(reply, token, runId))

  const take = async (
    reply: ApprovalAnswer,
    token: string,
    runId: string | undefined,
  ): Promise<AnswerOutcome> => {
    const record = open.get(token)?.record ?? (await store.load(token))
    if (!record || record.callId !== reply.callId || (runId ?? record.runId) !== record.runId) {
      return { receipt: 'unknown' }
    }
    if (record.answer) {
      return { receipt: isSame(record.answer, reply) ? 'repeated' : 'conflict' }
    }
    const question = open.get(token)
    if (!question || clock() >= (record.expiresAt ?? Number.POSITIVE_INFINITY)) {
      return { receipt: 'over' }
    }
    const { problem, settles } = await question.batch.review(reply)
    if (problem !== undefined) return { receipt: 'refused', problem }
    await save(token, { ...record, answer: reply })
    if (!open.delete(token)) return { receipt: 'over' }
    question.settle(reply, settles)
    changed()
    return { receipt: 'taken' }
  }

  const approver = async (batch: ApprovalBatch): Promise<readonly ApprovalAnswer[]> => {
    const { requests, review: _review, signal, ...where } = batch
    const records = await Promise.all(requests.map(({ token, callId }) => recall(token, callId)))
    return new Promise((resolve) => {
      const answers: ApprovalAnswer[] = []
      const waiting = new Set(requests.map(({ callId }) => callId))
      const close = () => {
        if (timer !== undefined) clearTimeout(timer)
        signal.removeEventListener('abort', close)
        for (const { token } of requests) open.delete(token)
        resolve(answers)
        changed()
      }
      const settle = (reply: ApprovalAnswer, settles: readonly string[]) => {
        answers.push(reply)
        for (const callId of settles) waiting.delete(callId)
        for (const { token, callId } of requests) if (!waiting.has(callId)) open.delete(token)
        // A stop leaves nothing to decide for the rest of the batch.
        if (waiting.size === 0 || reply.decision === 'stop') close()
      }
      for (const [index, request] of requests.entries()) {
        const record = records[index] as QuestionRecord
        const expiry = record.expiresAt === null ? {} : { expiresAt: record.expiresAt }
        open.set(request.token, {
          request: { ...where, ...request, ...expiry },
          record,
          batch,
          settle,
        })
      }
      const expiries = records.flatMap(({ expiresAt }) => expiresAt ?? [])
      const timer =
        expiries.length > 0
          ? setTimeout(close, Math.min(Math.max(0, Math.min(...expiries) - clock()), longestTimer))
          : undefined
      signal.addEventListener('abort', close)
      if (signal.aborted) close()
      else void replay(requests, records, batch, settle).then(changed)
    })

    /** The question as it was put first: its time does not begin anew. */
    async function recall(token: string, callId: string): Promise<QuestionRecord> {
      const known = await store.load(token)
      if (known) return known
      const expiresAt = timeoutMs === undefined ? null : clock() + timeoutMs
      const record = { runId: batch.runId, callId, expiresAt }
      await save(token, record)
      return record
    }
  }

  /** Answers that were given before a crash count now. */
  const replay = async (
    requests: readonly ApprovalRequest[],
    records: readonly QuestionRecord[],
    batch: ApprovalBatch,
    settle: Open['settle'],
  ): Promise<void> => {
    for (const [index, { token, callId }] of requests.entries()) {
      const reply = records[index]?.answer
      if (!reply || !open.has(token)) continue
      const { settles } = await batch.review(reply)
      open.delete(token)
      settle(reply, settles.length > 0 ? settles : [callId])
    }
  }

  return { approver, pending, answer }
}

function isSame(one: ApprovalAnswer, other: ApprovalAnswer): boolean {
  return canonicalJson(toPlain(one)) === canonicalJson(toPlain(other))
}
