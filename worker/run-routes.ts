/**
 * The routes of one run, served inside its session's object.
 * @module
 */
import { Hono } from 'hono'
import { DispatchError } from '../src/errors.ts'
import { inTime } from '../src/execute/copy.ts'
import type {
  ClientCalls,
  JsonObject,
  PromptApprover,
  Run,
  RunStore,
  ToolCall,
  ToolSource,
} from '../src/index.ts'
import { readCalls } from '../src/providers/index.ts'
import { newRunState } from '../src/run-state/run-state.ts'
import { approvalRoutes } from './approval-routes.ts'
import { readBody } from './body.ts'
import { callRoutes } from './call-routes.ts'
import type { LiveRounds } from './live-rounds.ts'
import { errorResponse, notFound } from './problem.ts'
import { sessionOf } from './run-id.ts'
import type { RunSetup, SessionDispatchers } from './session-dispatchers.ts'
import { streamEvents, wantsStream } from './sse.ts'
import { toolsOf } from './tools-of.ts'

export interface SessionParts {
  readonly store: RunStore
  readonly prompt: PromptApprover
  readonly calls: ClientCalls
  readonly live: LiveRounds
  readonly dispatchers: SessionDispatchers
  readonly sources: readonly ToolSource[]
}

const historyPage = 50

export function runRoutes(parts: SessionParts): Hono {
  const { store, dispatchers } = parts
  const { open } = dispatchers
  const app = new Hono()
  app.onError((error) => errorResponse(error))

  app.put('/v1/runs/:run', async ({ req }) => {
    return createRun(parts, req.param('run'), (await req.json()) as Partial<RunSetup>)
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
      mode: dispatchers.setupOf(runId).mode,
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
      // Read first: what happens meanwhile is seen twice rather than never.
      lastSeq: await store.lastSeq(runId),
      ...pendingOf(parts, runId),
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

  app.get('/v1/runs/:run/tools', ({ req }) =>
    toolsOf(dispatchers.dispatcherOf(req.param('run')), req.query('query')),
  )
  app.get('/v1/tools', ({ req }) => toolsOf(dispatchers.dispatcherOf(''), req.query('query')))

  approvalRoutes(app, parts)
  callRoutes(app, parts)

  app.delete('/v1/runs/:run', async ({ req }) => {
    const runId = req.param('run')
    if (!(await store.load(runId))) return notFound('There is no such run.')
    await open(runId).cancel()
    return Response.json({ runId, stopped: true })
  })

  app.notFound(({ req }) => notFound(`There is no ${req.method} ${req.path}; see /docs.`))
  return app
}

/** A run shows its model the tools that are known when it is opened: sources that answer at once are. */
const mostWaitMs = 500

async function readAnew(sources: readonly ToolSource[]): Promise<void> {
  const loads = Promise.allSettled(sources.map(async (source) => source.load?.()))
  await inTime<unknown>(loads, mostWaitMs, () => undefined)
}

/** Keeps what the run is opened with, and records it. */
export async function beginRun(
  { store, dispatchers, sources }: Pick<SessionParts, 'store' | 'dispatchers' | 'sources'>,
  runId: string,
  setup: Partial<RunSetup>,
): Promise<void> {
  dispatchers.keep(runId, setup)
  await readAnew(sources)
  const state = { ...newRunState(runId, sessionOf(runId) ?? '', Date.now()), version: 1 }
  await store.commit(runId, { expectedVersion: 0, state })
}

async function createRun(
  parts: SessionParts,
  runId: string,
  setup: Partial<RunSetup>,
): Promise<Response> {
  const { dispatchers } = parts
  const sessionId = sessionOf(runId) ?? ''
  await beginRun(parts, runId, setup)
  const { tools, turnContext } = dispatchers.open(runId)
  const { mode } = dispatchers.setupOf(runId)
  const refusedTools = dispatchers.refusedOf(runId)
  const body = { runId, sessionId, mode, tools, turnContext, refusedTools }
  return Response.json(body, { status: 201, headers: { location: `/v1/runs/${runId}` } })
}

/** What the run waits for. */
function pendingOf({ prompt, calls }: SessionParts, runId: string) {
  return {
    pendingApprovals: prompt.pending().filter((each) => each.runId === runId),
    pendingCalls: calls.pending().filter((each) => each.runId === runId),
  }
}

async function dispatchRound(
  parts: SessionParts,
  run: Run,
  body: JsonObject,
  stream: boolean,
): Promise<Response> {
  const { store, live } = parts
  const { runId } = run
  const read = callsOf(body)
  const roundId = typeof body.roundId === 'string' ? body.roundId : crypto.randomUUID()
  const finishReason = typeof body.finishReason === 'string' ? body.finishReason : read.finishReason
  const asks = (body.approvals ?? (stream ? 'ask' : 'deny')) === 'ask'
  const lastSeq = await store.lastSeq(runId)
  // A client that goes away ends its stream, not the round.
  const done = live.start(run, {
    roundId,
    calls: read.calls,
    asks,
    ...(finishReason !== undefined && { finishReason }),
  })
  if (stream) return streamEvents(run, { after: lastSeq, roundId, done })
  const result = await (asks ? Promise.race([done, live.suspended(runId)]) : done)
  if (result) return Response.json(result)
  // Nobody holds a connection open for a person: the same round, posted again, joins.
  const waiting = { roundId, status: 'waiting', ...pendingOf(parts, runId), lastSeq }
  return Response.json(waiting, { status: 202 })
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
