/** An authorization server as OAuth 2.1 and the protocol want it: metadata, registration, PKCE, refreshing. */
import { type FetchServer, serveFetch } from './mcp-serve.ts'

export interface AuthorizationServer {
  readonly url: string
  /** Tokens that the resource takes now. */
  readonly valid: Set<string>
  /** Answers 401 to a request without a token that is valid. */
  readonly guard: (headers: Headers) => Response | undefined
  /** What a person's browser does with the address: it is sent back to the client, and this is the query. */
  readonly consent: (address: URL) => Promise<URLSearchParams>
  readonly stop: () => Promise<void>
}

/** Guards the resource of this address. Ids and tokens are `<kind>-secret-<number>`. */
export async function authorizationServer(resource: string): Promise<AuthorizationServer> {
  const valid = new Set<string>()
  const challenges = new Map<string, string>()
  const refreshes = new Set<string>()
  let made = 0
  const make = (kind: string) => {
    made += 1
    return `${kind}-secret-${made}`
  }

  const grant = (): Response => {
    const [access_token, refresh_token] = [make('access'), make('refresh')]
    valid.add(access_token)
    refreshes.add(refresh_token)
    return Response.json({ access_token, refresh_token, token_type: 'Bearer', expires_in: 3_600 })
  }

  const token = async (form: URLSearchParams): Promise<Response> => {
    const refused = Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (form.get('grant_type') === 'refresh_token') {
      return refreshes.delete(form.get('refresh_token') ?? '') ? grant() : refused
    }
    const challenge = challenges.get(form.get('code') ?? '')
    challenges.delete(form.get('code') ?? '')
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const digest = await crypto.subtle.digest('SHA-256', verifier)
    const proof = Buffer.from(digest).toString('base64url')
    return challenge === proof ? grant() : refused
  }

  const authorize = ({ searchParams: query, origin }: URL): Response => {
    const code = make('code')
    challenges.set(code, query.get('code_challenge') ?? '')
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('iss', origin)
    const state = query.get('state')
    if (state) back.searchParams.set('state', state)
    return Response.redirect(back, 302)
  }

  const http: FetchServer = await serveFetch(async (request) => {
    const url = new URL(request.url)
    switch (url.pathname) {
      case '/resource':
        return Response.json({ resource, authorization_servers: [url.origin] })
      case '/.well-known/oauth-authorization-server':
        return Response.json({
          issuer: url.origin,
          authorization_endpoint: `${url.origin}/authorize`,
          token_endpoint: `${url.origin}/token`,
          registration_endpoint: `${url.origin}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/register':
        return Response.json(
          { ...((await request.json()) as object), client_id: make('client') },
          { status: 201 },
        )
      case '/authorize':
        return authorize(url)
      case '/token':
        return token(new URLSearchParams(await request.text()))
      default:
        return new Response(null, { status: 404 })
    }
  })

  return {
    url: http.url,
    valid,
    guard(headers) {
      const given = headers.get('authorization')?.replace('Bearer ', '') ?? ''
      if (valid.has(given)) return undefined
      const challenge = `Bearer resource_metadata="${http.url}/resource"`
      const body = { error: 'invalid_token', given }
      return Response.json(body, { status: 401, headers: { 'www-authenticate': challenge } })
    },
    async consent(address) {
      const { headers } = await fetch(address, { redirect: 'manual' })
      return new URL(headers.get('location') ?? '').searchParams
    },
    stop: http.stop,
  }
}
