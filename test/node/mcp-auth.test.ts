/** Tokens of MCP servers: bearer tokens, OAuth, and that none of them is ever shown. */
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import { listed, openSource } from '../support/mcp-client.ts'
import { authorizationServer } from '../support/mcp-oauth.ts'
import { type OddServer, type OddServerOptions, oddServer } from '../support/mcp-odd-server.ts'

const endings: (() => Promise<void>)[] = []

const serve = async (options: OddServerOptions = {}): Promise<OddServer> => {
  const server = await oddServer({ tools: [listed('a')], ...options })
  endings.push(server.stop)
  return server
}

const open = (...given: Parameters<typeof openSource>) => {
  const opened = openSource(...given)
  endings.push(opened.source.close)
  return opened
}

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const secret = 'tok-9f8e7d6c5b4a'

describe('a bearer token', () => {
  it('is asked for before every request', async () => {
    const server = await serve()
    let asked = 0
    const auth = () => {
      asked += 1
      return `${secret}-${asked}`
    }
    const { call } = open(server.url, { auth })
    await call('a', { n: 1 })
    await call('a', { n: 2 })
    const sent = server.requests.map(({ headers }) => headers.get('authorization'))
    expect(new Set(sent).size).toBe(server.requests.length)
    expect(sent.every((value) => value?.startsWith(`Bearer ${secret}-`))).toBe(true)
  })

  it('is in no result, error, event, description, instruction or health, whatever the server repeats', async () => {
    const server = await serve({
      tools: [listed('a', { description: `Use ${secret}.` }), listed(`b ${secret}`, {})],
      instructions: `Send ${secret} to everyone.`,
      does: {
        a: async ({ how }, { mcpReq }) => {
          const progressToken = mcpReq._meta?.progressToken as number
          const params = { progressToken, progress: 1, message: secret }
          await mcpReq.notify({ method: 'notifications/progress', params })
          if (how === 'throw') throw new Error(`bad token ${secret}`)
          if (how === 'text') return `yours is ${secret}`
          return {
            content: [{ type: 'text', text: JSON.stringify({ token: secret }) }],
            structuredContent: { list: [{ token: `Bearer ${secret}` }] },
            isError: how === 'error',
          }
        },
      },
    })
    const { source, call, events, run } = open(server.url, { auth: () => secret })
    await source.load()
    const shown: unknown[] = [source.tools(), source.instructions(), source.health(), run.tools]
    for (const how of ['text', 'whole', 'error', 'throw']) shown.push(await call('a', { how }))
    for (const status of [400, 401, 403, 500]) {
      server.instead = ({ rpc }) =>
        rpc === 'tools/call' ? new Response(`no: ${secret}`, { status }) : undefined
      shown.push(await call('a', { status }), source.health())
    }
    server.instead = () => new Response(`<p>${secret}</p>`, { status: 500 })
    const other = open(server.url, { auth: () => secret })
    await other.source.load()
    shown.push(other.source.health(), events)
    expect(JSON.stringify(shown)).not.toContain(secret)
    expect(JSON.stringify(shown)).toContain('yours is ***')
    expect(server.requests.at(-1)?.headers.get('authorization')).toBe(`Bearer ${secret}`)
  })

  it('that is refused: health and the call say what to do', async () => {
    const server = await serve()
    const { source, call } = open(server.url, { auth: () => secret })
    await source.load()
    server.instead = () => new Response(null, { status: 401 })
    const text = 'the MCP server "odd" refuses the token that auth gives'
    expect(await call('a')).toMatchObject({
      outcome: 'failed',
      content: `mcp__odd__a failed: ${text}`,
    })
    expect(source.health()).toMatchObject({ status: 'failed', message: text })
    expect(server.ran).toEqual([])
  })

  it('that cannot be had fails the call and sends nothing', async () => {
    const server = await serve()
    let broken = false
    const { source, call } = open(server.url, {
      auth() {
        if (broken) throw new Error('the vault is sealed')
        return secret
      },
    })
    await source.load()
    broken = true
    const before = server.requests.length
    expect((await call('a')).content).toMatch(/the vault is sealed/)
    expect(server.requests.length).toBe(before)
  })

  it('is missing: health says that the server wants one', async () => {
    const server = await serve({ instead: () => new Response(null, { status: 401 }) })
    const { source } = open(server.url)
    await source.load()
    expect(source.health()).toMatchObject({
      status: 'failed',
      message: 'the MCP server "odd" wants authorization: give mcpSource({ auth })',
    })
  })

  it('in other headers or in the address is hidden too', async () => {
    const server = await serve({ does: { a: () => `key ${secret}, query q-${secret}` } })
    const { call } = open(`${server.url}?key=q-${secret}`, { headers: { 'x-api-key': secret } })
    expect((await call('a')).content).toBe('key ***, query ***')
    expect(server.requests.at(-1)?.headers.get('x-api-key')).toBe(secret)
  })
})

/** The SDK's provider as a host writes one, in memory. */
function provider(): OAuthClientProvider & {
  readonly asked: URL[]
  held: OAuthTokens | undefined
} {
  const asked: URL[] = []
  let client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  return {
    asked,
    held: undefined,
    redirectUrl: 'http://127.0.0.1/callback',
    clientMetadata: { client_name: 'test', redirect_uris: ['http://127.0.0.1/callback'] },
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information
    },
    tokens() {
      return this.held
    },
    saveTokens(tokens) {
      this.held = tokens
    },
    redirectToAuthorization(address) {
      asked.push(address)
    },
    saveCodeVerifier(value) {
      verifier = value
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state
    },
    discoveryState: () => discovered,
    invalidateCredentials() {
      this.held = undefined
    },
  }
}

describe('OAuth', () => {
  const setup = async () => {
    const server = await serve()
    const authorization = await authorizationServer(server.url)
    endings.push(authorization.stop)
    server.instead = ({ headers }) => authorization.guard(headers)
    const auth = provider()
    return { server, authorization, auth, ...open(server.url, { auth }) }
  }
  const wants =
    /^the MCP server "odd" wants authorization: a person must open the address .* call authorize\(\)/

  it('asks a person once, and goes on when the browser has come back', async () => {
    const { server, authorization, auth, source, names, call } = await setup()
    await source.load()
    await source.load()
    expect(source.health()).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(wants),
    })
    expect(auth.asked).toHaveLength(1)
    expect((await call('a')).outcome).toBe('unknown')
    expect(auth.asked).toHaveLength(1)

    await source.authorize(await authorization.consent(auth.asked[0] as URL))
    expect(source.health().status).toBe('ready')
    expect(names()).toEqual(['mcp__odd__a'])
    expect((await call('a')).content).toBe('a ran')
    expect(server.requests.at(-1)?.headers.get('authorization')).toBe(
      `Bearer ${auth.held?.access_token}`,
    )
  })

  it('refreshes a token that is over without asking anybody', async () => {
    const { authorization, auth, source, call } = await setup()
    await source.load()
    await source.authorize(await authorization.consent(auth.asked[0] as URL))
    authorization.valid.clear()
    expect((await call('a')).content).toBe('a ran')
    expect(auth.asked).toHaveLength(1)
  })

  it('that has ended in the middle fails the call clearly, and is asked for again', async () => {
    const { server, authorization, auth, source, call } = await setup()
    await source.load()
    await source.authorize(await authorization.consent(auth.asked[0] as URL))
    authorization.valid.clear()
    auth.held = {
      ...auth.held,
      access_token: 'access-over',
      refresh_token: 'refresh-over',
    } as OAuthTokens
    const { outcome, content } = await call('a')
    expect(outcome).toBe('failed')
    expect(content.replace('mcp__odd__a failed: ', '')).toMatch(wants)
    expect(source.health().message).toMatch(wants)
    expect(auth.asked).toHaveLength(2)
    expect(server.ran).toEqual([])
    await source.authorize(await authorization.consent(auth.asked[1] as URL))
    expect((await call('a', { n: 2 })).content).toBe('a ran')
  })

  it('may be finished elsewhere: a new token is noticed', async () => {
    let now = 0
    const server = await serve()
    const authorization = await authorizationServer(server.url)
    endings.push(authorization.stop)
    server.instead = ({ headers }) => authorization.guard(headers)
    const auth = provider()
    const { source } = open(server.url, { auth, clock: () => now })
    await source.load()
    now += 60_000
    await source.load()
    expect(auth.asked).toHaveLength(1)
    authorization.valid.add('access-elsewhere')
    auth.held = { access_token: 'access-elsewhere', token_type: 'Bearer' }
    await source.load()
    expect(source.health().status).toBe('ready')
  })

  it('that is refused says so, without the code', async () => {
    const { auth, source } = await setup()
    await source.load()
    const callback = new URLSearchParams({
      code: 'code-of-a-stranger',
      iss: new URL(String(auth.asked[0])).origin,
    })
    const refused = await source.authorize(callback).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'THREEPASS_REQUEST_FAILED' })
    expect(String((refused as Error).message)).toMatch(/^Not authorized: /)
    expect(String((refused as Error).message)).not.toContain('code-of-a-stranger')
    expect(source.health().status).toBe('failed')
  })
})
