/**
 * The routes of one run, served inside its session's object.
 * @module
 */
import { Hono } from 'hono'
import { DispatchError } from '../src/errors.ts'
import type {
  ApprovalAnswer,
  Dispatcher,
  Json,
  JsonObject,
  Mode,
  PromptApprover,
  Run,
  RunStore,
  ToolCall,
} from '../src/index.ts'
import { readCalls } from '../src/providers/index.ts'
import { newRunState } from '../src/run-state/run-state.ts'
import { readBody } from './body.ts'
import { modes } from './env.ts'
import { errorResponse, notFound, problemResponse } from './problem.ts'
import { sessionOf } from './run-id.ts'
import { streamEvents, wantsStream } from './sse.ts'

export interface SessionParts {
  readonly store: RunStore
  readonly prompt: PromptApprover
  /** Rounds whose client waits for a person, with how many posts do. */
  readonly asking: Map<string, number>
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly modeOf: (runId: string) => Mode
  readonly keepMode: (runId: string, mode: string) => void
  readonly dispatcherFor: (mode: Mode) => Dispatcher
}

const historyPage = 50

export function runRoutes(parts: SessionParts): Hono {
  const { store } = parts
  const app = new Hono()
  const open = (runId: string): Run => parts.dispatcherFor(parts.modeOf(runId)).run({ runId })
  app.onError((error) => errorResponse(error))

  app.put('/v1/runs/:run', async ({ req }) => {
    const runId = req.param('run')
    const sessionId = sessionOf(runId) ?? ''
    const mode = modes.find((each) => each === req.query('mode'))
    if (mode) parts.keepMode(runId, mode)
    const state = { ...newRunState(runId, sessionId, Date.now()), version: 1 }
    await store.commit(runId, { expectedVersion: 0, state })
    const { tools, turnContext } = open(runId)
    const body = { runId, sessionId, mode: parts.modeOf(runId), tools, turnContext }
    return Response.json(body, { status: 201, headers: { location: `/v1/runs/${runId}` } })
  })

  app.use('/v1/runs/:run/*', async ({ req }, next) => {
    if (await store.load(req.param('run'))) return next()
    return notFound('There is no such run.')
  })

  app.get('/v1/runs/:run', async ({ req }) => {
    const state = await store.load(req.param('run'))
    if (!state) return notFound('There is no such run.')
    const from = Math.max(0, Number.parseInt(req.query('from') ?? '0', 10) || 0)
    const rounds = await store.listRounds(state.runId, from, historyPage)
    const { runId, sessionId, createdAt, stopped, loaded } = state
    return Response.json({
      runId,
      sessionId,
      mode: parts.modeOf(runId),
      createdAt,
      stopped,
      loaded: loaded.map(([name]) => name),
      roundCount: state.rounds,
      rounds: rounds.map(({ roundId, status, results, history }) => ({
        roundId,
        status,
        results,
        history,
      })),
      pendingApprovals: parts.prompt.pending().filter((each) => each.runId === runId),
    })
  })

  app.post('/v1/runs/:run/rounds', async ({ req }) => {
    const body = await readBody(req.raw, 'dispatchRound')
    if (body instanceof Response) return body
    const runId = req.param('run')
    return dispatchRound(parts, open(runId), body, wantsStream(req.raw))
  })

  app.get('/v1/runs/:run/events', async ({ req }) => {
    const after = Number.parseInt(req.header('last-event-id') ?? req.query('after') ?? '0', 10) || 0
    const follow = req.query('follow') !== 'false'
    return streamEvents(open(req.param('run')), { after, follow })
  })

  app.post('/v1/runs/:run/approvals', async ({ req }) => {
    const body = await readBody(req.raw, 'answerApprovals')
    return body instanceof Response ? body : answerApprovals(parts, req.param('run'), body)
  })

  app.delete('/v1/runs/:run', async ({ req }) => {
    const runId = req.param('run')
    if (!(await store.load(runId))) return notFound('There is no such run.')
    await open(runId).cancel()
    return Response.json({ runId, stopped: true })
  })

  app.notFound(({ req }) => notFound(`There is no ${req.method} ${req.path}; see /docs.`))
  return app
}

async function dispatchRound(
  { store, asking, waitUntil }: SessionParts,
  run: Run,
  body: JsonObject,
  stream: boolean,
): Promise<Response> {
  const read = callsOf(body)
  const roundId = typeof body.roundId === 'string' ? body.roundId : crypto.randomUUID()
  const finishReason = typeof body.finishReason === 'string' ? body.finishReason : read.finishReason
  const asks = (body.approvals ?? (stream ? 'ask' : 'deny')) === 'ask'
  const key = roundKey(run.runId, roundId)
  if (asks) asking.set(key, (asking.get(key) ?? 0) + 1)
  const answered = () => {
    const left = (asking.get(key) ?? 1) - 1
    if (left > 0) asking.set(key, left)
    else asking.delete(key)
  }
  const after = stream ? await store.lastSeq(run.runId) : 0
  const done = run
    .dispatch(read.calls, { roundId, ...(finishReason !== undefined && { finishReason }) })
    .finally(() => asks && answered())
  // A client that goes away ends its stream, not the round.
  waitUntil(done.catch(() => {}))
  if (stream) return streamEvents(run, { after, roundId, done })
  return Response.json(await done)
}

/** Round ids are the client's, so they are unique in a run only. */
export function roundKey(runId: string, roundId: string): string {
  return `${runId}\n${roundId}`
}

function callsOf(body: JsonObject): {
  calls: readonly ToolCall[]
  finishReason?: string | undefined
} {
  if (body.calls !== undefined && body.message !== undefined) {
    throw new DispatchError('THREEPASS_BAD_ROUND', 'Send calls or a message, not both.')
  }
  if (body.calls !== undefined) {
    return { calls: body.calls as unknown as ToolCall[] }
  }
  // Throws THREEPASS_BAD_ROUND, a 400, with the forms that are accepted.
  return readCalls(body.message ?? null)
}

function answerApprovals({ prompt }: SessionParts, runId: string, body: JsonObject): Response {
  const receipts = (body.answers as Json[]).map((each) => {
    const { token, ...answer } = each as JsonObject & { token: string; callId: string }
    // A token of another run is as good as none.
    const isOurs = prompt.runOf(token) === runId
    const receipt = isOurs ? prompt.answer(answer as unknown as ApprovalAnswer, token) : 'unknown'
    return { callId: answer.callId, receipt }
  })
  const worst = receipts.some(({ receipt }) => receipt === 'conflict')
    ? 409
    : receipts.some(({ receipt }) => receipt === 'unknown')
      ? 404
      : 200
  if (worst === 200) return Response.json({ answers: receipts })
  return problemResponse({
    status: worst,
    code: worst === 409 ? 'ALREADY_ANSWERED' : 'NOT_ASKED',
    title: worst === 409 ? 'Already answered otherwise' : 'Not asked',
    detail: receipts.map(({ callId, receipt }) => `${callId}: ${receipt}`).join('; '),
  })
}
