/**
 * The Worker: wiring only. Requests of a run go to the object of its session.
 * @module
 */
import { type Context, Hono } from 'hono'
import { readBody, readText, tooLarge } from './body.ts'
import { docsPage } from './docs-page.ts'
import { freshMcpSession, mcpRequest, mcpSessionOf } from './mcp-routes.ts'
import { openApiDocument } from './openapi.ts'
import { errorResponse, notFound, problemResponse } from './problem.ts'
import { isSessionId, newRunId, sessionOf } from './run-id.ts'
import { coversRun, coversSession, type Scope, signToken } from './run-token.ts'
import {
  authenticate,
  type Bindings,
  cors,
  dropUnreadBody,
  outOfScope,
  securityHeaders,
} from './security.ts'

export { SessionObject } from './session-object.ts'

const app = new Hono<Bindings>()

app.use(securityHeaders)
app.use(dropUnreadBody)
app.use('/v1/*', cors)
app.onError((error) => errorResponse(error))
app.notFound(({ req }) => notFound(`There is no ${req.method} ${req.path}; see /docs.`))

app.get('/healthz', (context) => context.json({ ok: true }))
app.get('/openapi.json', (context) =>
  context.json(openApiDocument(new URL(context.req.url).origin)),
)
app.get('/docs', (context) =>
  context.html(docsPage(openApiDocument(new URL(context.req.url).origin))),
)

app.use('/v1/*', authenticate)

/**
 * The tools of a token's session; else those of a session that is yet to come: an object of its own, whose
 * name no session can have.
 */
app.get('/v1/tools', ({ req, env, var: { scope } }) => {
  if (scope && !('sessionId' in scope)) return outOfScope()
  return fromObject(session(env, scope?.sessionId ?? '(tools)').fetch(req.raw))
})

app.use('/mcp', cors)
app.use('/mcp', authenticate)
app.all('/mcp', async ({ req, env, var: { scope } }) => {
  const text = req.method === 'POST' ? await readText(req.raw) : ''
  if (text === undefined) return tooLarge()
  const own = scope && 'sessionId' in scope ? scope.sessionId : freshMcpSession(text)
  const id = mcpSessionOf(req.raw) ?? own
  if (!isSessionId(id)) return notFound('There is no such session.')
  if (scope && !coversSession(scope, id)) return outOfScope()
  return fromObject(session(env, id).fetch(mcpRequest(req.raw, id, text)))
})

app.post('/v1/tokens', async ({ req, env, var: { scope } }) => {
  if (scope) return outOfScope()
  if (!env.API_TOKEN) return noApiToken()
  const body = await readBody(req.raw, 'createToken')
  if (body instanceof Response) return body
  const { runId, sessionId, expiresInSeconds = 3_600 } = body
  const wanted: Scope =
    typeof runId === 'string' ? { runId } : { sessionId: String(sessionId ?? '') }
  return Response.json(await signToken(wanted, Number(expiresInSeconds), env.API_TOKEN), {
    status: 201,
  })
})

app.post('/v1/runs', async ({ req, env, var: { scope } }) => {
  const body = await readBody(req.raw, 'createRun')
  if (body instanceof Response) return body
  const own = scope && 'sessionId' in scope ? scope.sessionId : crypto.randomUUID()
  const sessionId = typeof body.sessionId === 'string' ? body.sessionId : own
  if (scope && !coversSession(scope, sessionId)) return outOfScope()
  const { sessionId: _session, ...setup } = body
  const url = new URL(`/v1/runs/${newRunId(sessionId)}`, req.url)
  const init = { method: 'PUT', body: JSON.stringify(setup) }
  return fromObject(session(env, sessionId).fetch(url.href, init))
})

app.post('/v1/chat', async ({ req, env, var: { scope } }) => {
  const body = await readBody(req.raw, 'chat')
  if (body instanceof Response) return body
  const id = String(body.id)
  if (scope && !coversSession(scope, id)) return outOfScope()
  const init = { method: 'POST', body: JSON.stringify(body), signal: req.raw.signal }
  return fromObject(session(env, id).fetch(req.url, init))
})

app.all('/v1/chat/:chat/*', forwardChat)
app.all('/v1/chat/:chat', forwardChat)

async function forwardChat({ req, env, var: { scope } }: Context<Bindings, '/v1/chat/:chat/*'>) {
  const id = req.param('chat')
  if (!isSessionId(id)) return notFound('There is no such chat.')
  if (scope && !coversSession(scope, id)) return outOfScope()
  return fromObject(session(env, id).fetch(req.raw))
}

app.all('/v1/runs/:run/*', forward)
app.all('/v1/runs/:run', forward)

async function forward({ req, env, var: { scope } }: Context<Bindings, '/v1/runs/:run/*'>) {
  const runId = req.param('run')
  const sessionId = sessionOf(runId)
  // PUT is how this Worker itself creates a run in the object; no client may.
  if (sessionId === undefined || req.method === 'PUT') return notFound('There is no such run.')
  if (scope && !coversRun(scope, runId)) return outOfScope()
  return fromObject(session(env, sessionId).fetch(req.raw))
}

function noApiToken(): Response {
  return problemResponse({
    status: 409,
    code: 'NO_API_TOKEN',
    title: 'No API token',
    detail: 'API_TOKEN is not set, so there is nothing to sign with; loopback needs no token.',
  })
}

function session(env: Bindings['Bindings'], sessionId: string): DurableObjectStub {
  return env.SESSIONS.get(env.SESSIONS.idFromName(sessionId))
}

/** An object's response with headers that can be added to. */
async function fromObject(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  return new Response(response.body, response)
}

export default app
