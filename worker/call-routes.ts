/**
 * Client tools over HTTP: a page takes a call under a lease and gives its result.
 * @module
 */
import type { Hono } from 'hono'
import type { ClientAnswer, JsonObject } from '../src/index.ts'
import { readBody } from './body.ts'
import { problemResponse } from './problem.ts'
import type { SessionParts } from './run-routes.ts'

export function callRoutes(app: Hono, { calls }: SessionParts): void {
  app.post('/v1/runs/:run/calls/:call/lease', async ({ req }) => {
    const body = await readBody(req.raw, 'leaseCall')
    if (body instanceof Response) return body
    const { key, owner, release } = body as { key: string; owner: string; release?: boolean }
    if (!isKeyOf(key, req.param('run'), req.param('call'))) return refuse('unknown')
    const outcome = await (release ? calls.release(key, owner) : calls.lease(key, owner))
    return outcome.receipt === 'taken' ? Response.json(outcome.lease) : refuse(outcome.receipt)
  })

  app.post('/v1/runs/:run/calls/:call/result', async ({ req }) => {
    const body = await readBody(req.raw, 'answerCall')
    if (body instanceof Response) return body
    const { key, owner } = body as { key: string; owner?: string }
    if (!isKeyOf(key, req.param('run'), req.param('call'))) return refuse('unknown')
    const receipt = await calls.answer(key, answerOf(body), owner)
    if (receipt === 'taken' || receipt === 'repeated') return Response.json({ receipt })
    return refuse(receipt)
  })
}

/** A key names its run and its call: one of another run is as good as none. */
function isKeyOf(key: string, runId: string, callId: string): boolean {
  return key.startsWith(`${runId}:`) && key.endsWith(`:${callId}`)
}

function answerOf(body: JsonObject): ClientAnswer {
  return typeof body.error === 'string' ? { error: body.error } : { result: body.result ?? null }
}

const refusals = {
  held: [409, 'CALL_TAKEN', 'Another page has this call.'],
  conflict: [409, 'ALREADY_ANSWERED', 'Another page has this call, or another answer was first.'],
  over: [409, 'CALL_OVER', 'The call has its result: nobody waits for this answer any more.'],
  unknown: [404, 'NOT_CALLED', 'There is no such call in this run.'],
} as const

function refuse(receipt: keyof typeof refusals): Response {
  const [status, code, detail] = refusals[receipt]
  return problemResponse({ status, code, title: 'Not taken', detail })
}
