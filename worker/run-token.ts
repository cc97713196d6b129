/**
 * Run tokens: what a page holds in the place of the API token. A JWT (RFC 7519, HS256 by Web Crypto) that
 * names one run or one session, and ends.
 * @module
 */
import { sign, verify } from 'hono/jwt'
import { sessionOf } from './run-id.ts'

/** What a token is good for. */
export type Scope =
  | { readonly runId: string }
  /** The session's runs, its chat, and opening runs in it. */
  | { readonly sessionId: string }

export interface RunToken {
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const issuer = 'threepass'

/** Signs with a key made from the API token: a new API token ends all run tokens. */
export async function signToken(
  scope: Scope,
  expiresInSeconds: number,
  apiToken: string,
): Promise<RunToken> {
  const issuedAt = Math.floor(Date.now() / 1000)
  const expires = issuedAt + expiresInSeconds
  const sub = 'runId' in scope ? `run:${scope.runId}` : `session:${scope.sessionId}`
  const payload = { iss: issuer, sub, iat: issuedAt, exp: expires }
  return { token: await sign(payload, keyOf(apiToken), 'HS256'), expiresAt: expires * 1000 }
}

/** The scope of a token that is ours and has not expired; `undefined` for any other text. */
export async function readToken(token: string, apiToken: string): Promise<Scope | undefined> {
  try {
    const { sub, exp } = await verify(token, keyOf(apiToken), { alg: 'HS256', iss: issuer })
    const [, kind, id = ''] = /^(run|session):(.+)$/.exec(String(sub)) ?? []
    if (typeof exp !== 'number' || !kind) return undefined
    return kind === 'run' ? { runId: id } : { sessionId: id }
  } catch {
    return undefined
  }
}

/** May a token of this scope touch the run? */
export function coversRun(scope: Scope, runId: string): boolean {
  return 'runId' in scope ? scope.runId === runId : sessionOf(runId) === scope.sessionId
}

/** May it open runs in the session, or chat in it? */
export function coversSession(scope: Scope, sessionId: string): boolean {
  return 'sessionId' in scope && scope.sessionId === sessionId
}

function keyOf(apiToken: string): string {
  return `threepass run token ${apiToken}`
}
