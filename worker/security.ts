/**
 * Who may call: bearer token or loopback, same origin or an allowed one; headers on every answer.
 * @module
 */
import { createMiddleware } from 'hono/factory'
import { type Env, listed } from './env.ts'
import { problemResponse } from './problem.ts'
import { readToken, type Scope } from './run-token.ts'

/** Largest request body, in bytes. */
export const maxBodyBytes = 4_194_304

const headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

/** Scripts and styles of the page come from its own files; nothing is ever evaluated from text. */
export const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** `scope`: what the caller's run token is good for; absent for the API token and on loopback. */
export type Bindings = { Bindings: Env; Variables: { scope?: Scope } }

/** A body that nobody read would break the connection under the client's next request. */
export const dropUnreadBody = createMiddleware<Bindings>(async ({ req }, next) => {
  await next()
  await dropBody(req.raw)
})

/** Reads what nobody has read, as far as a body may go. */
export async function dropBody(request: Request): Promise<void> {
  if (!request.body || request.bodyUsed) return
  let bytes = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes) return
  }
}

export const securityHeaders = createMiddleware<Bindings>(async (context, next) => {
  await next()
  for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value)
  context.res.headers.set('content-security-policy', contentSecurityPolicy)
})

/** CORS is closed: only the Worker's own origin and `ALLOWED_ORIGINS` may call from a page. */
export const cors = createMiddleware<Bindings>(async (context, next) => {
  const origin = context.req.header('origin')
  if (origin === undefined || origin === new URL(context.req.url).origin) return next()
  if (!listed(context.env.ALLOWED_ORIGINS).includes(origin)) {
    return problemResponse({
      status: 403,
      code: 'ORIGIN_REFUSED',
      title: 'Origin refused',
      detail: `Pages of ${origin} may not call this API: add it to ALLOWED_ORIGINS.`,
    })
  }
  const allowed = {
    'access-control-allow-origin': origin,
    'access-control-allow-headers':
      'authorization, content-type, last-event-id, mcp-session-id, mcp-protocol-version',
    'access-control-expose-headers': 'mcp-session-id',
    'access-control-allow-methods': 'GET, POST, DELETE',
    vary: 'origin',
  }
  if (context.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: allowed })
  await next()
  for (const [name, value] of Object.entries(allowed)) context.res.headers.set(name, value)
})

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

export const authenticate = createMiddleware<Bindings>(async (context, next) => {
  const token = context.env.API_TOKEN
  if (!token) {
    // On Cloudflare a request's host is a route of the account, so it is never a loopback name.
    if (loopback.has(new URL(context.req.url).hostname)) return next()
    return unauthorized('API_TOKEN is not set, so only loopback is answered.')
  }
  const given = /^Bearer (.+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
  if (given !== undefined && (await sameText(given, token))) return next()
  const scope = given === undefined ? undefined : await readToken(given, token)
  if (!scope) {
    return unauthorized(
      'Send the API token, or a run token that has not expired: Authorization: Bearer <token>.',
    )
  }
  context.set('scope', scope)
  return next()
})

/** A run token that is not good for what was asked. */
export function outOfScope(): Response {
  return problemResponse({
    status: 403,
    code: 'OUT_OF_SCOPE',
    title: 'Out of scope',
    detail: 'This run token is not good for that: ask the server for one of this run or session.',
  })
}

function unauthorized(detail: string): Response {
  return problemResponse(
    { status: 401, code: 'UNAUTHORIZED', title: 'Unauthorized', detail },
    { 'www-authenticate': 'Bearer' },
  )
}

/** Compares digests, so that the time taken says nothing about how much was right. */
async function sameText(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([a, b].map(digest))
  let difference = 0
  for (let at = 0; at < 32; at += 1) difference |= (left?.[at] ?? 0) ^ (right?.[at] ?? 1)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
