/**
 * Answers to questions, by token.
 * @module
 */
import type { Hono } from 'hono'
import type { AnswerOutcome, ApprovalAnswer, Json, JsonObject } from '../src/index.ts'
import { readBody } from './body.ts'
import { problemResponse } from './problem.ts'
import type { SessionParts } from './run-routes.ts'

type Given = AnswerOutcome & { readonly callId: string }

export function approvalRoutes(app: Hono, { prompt }: SessionParts): void {
  app.post('/v1/runs/:run/approvals', async ({ req }) => {
    const body = await readBody(req.raw, 'answerApprovals')
    if (body instanceof Response) return body
    const given: Given[] = []
    for (const each of body.answers as Json[]) {
      const { token, ...answer } = each as JsonObject & { token: string; callId: string }
      const outcome = await prompt.answer(
        answer as unknown as ApprovalAnswer,
        token,
        req.param('run'),
      )
      given.push({ callId: answer.callId, ...outcome })
    }
    return answered(given)
  })
}

/** Worst first: one status speaks for all, and `answers` says what became of each. */
const problems = [
  ['conflict', 409, 'ALREADY_ANSWERED', 'Already answered otherwise'],
  ['refused', 422, 'BAD_ARGUMENTS', 'The edited arguments do not fit'],
  ['over', 410, 'QUESTION_OVER', 'Nobody waits for this answer any more'],
  ['unknown', 404, 'NOT_ASKED', 'Not asked'],
] as const

function answered(answers: readonly Given[]): Response {
  const worst = problems.find(([receipt]) => answers.some((each) => each.receipt === receipt))
  if (!worst) return Response.json({ answers })
  const [, status, code, title] = worst
  const detail = answers
    .map(({ callId, receipt, problem }) => `${callId}: ${problem ?? receipt}`)
    .join('; ')
  return problemResponse({ status, code, title, detail, answers })
}
