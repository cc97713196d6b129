/**
 * The Worker: wiring only. Requests of a run go to the object of its session.
 * @module
 */
import { Hono } from 'hono'
import { readBody } from './body.ts'
import { docsPage } from './docs-page.ts'
import type { Env } from './env.ts'
import { openApiDocument } from './openapi.ts'
import { errorResponse, notFound } from './problem.ts'
import { newRunId, sessionOf } from './run-id.ts'
import { authenticate, cors, securityHeaders } from './security.ts'
import { toolsRoute } from './tools-route.ts'

export { SessionObject } from './session-object.ts'

const app = new Hono<{ Bindings: Env }>()

app.use(securityHeaders)
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
app.get('/v1/tools', toolsRoute)

app.post('/v1/runs', async ({ req, env }) => {
  const body = await readBody(req.raw, 'createRun')
  if (body instanceof Response) return body
  const sessionId = typeof body.sessionId === 'string' ? body.sessionId : crypto.randomUUID()
  const { sessionId: _session, ...setup } = body
  const url = new URL(`/v1/runs/${newRunId(sessionId)}`, req.url)
  const init = { method: 'PUT', body: JSON.stringify(setup) }
  return fromObject(session(env, sessionId).fetch(url.href, init))
})

app.all('/v1/runs/:run/*', forward)
app.all('/v1/runs/:run', forward)

async function forward({
  req,
  env,
}: {
  req: { raw: Request; method: string; param(name: 'run'): string }
  env: Env
}) {
  const sessionId = sessionOf(req.param('run'))
  // PUT is how this Worker itself creates a run in the object; no client may.
  if (sessionId === undefined || req.method === 'PUT') return notFound('There is no such run.')
  return fromObject(session(env, sessionId).fetch(req.raw))
}

function session(env: Env, sessionId: string): DurableObjectStub {
  return env.SESSIONS.get(env.SESSIONS.idFromName(sessionId))
}

/** An object's response with headers that can be added to. */
async function fromObject(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  return new Response(response.body, response)
}

export default app
