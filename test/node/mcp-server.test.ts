/** A dispatcher's tools for MCP clients, as the official client sees them. */
import {
  Client,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  defineTool,
  type ToolContext,
  type ToolSource,
} from '../../src/index.ts'
import { type McpHandlerOptions, mcpHandler } from '../../src/mcp-server/index.ts'
import { gatedTool } from '../support/gated-tool.ts'
import { openSource } from '../support/mcp-client.ts'
import { type FetchServer, serveFetch } from '../support/mcp-serve.ts'

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

type Served = FetchServer & { readonly toolsChanged: () => Promise<void> }

const n = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

/** Tools that say what became of them. */
function shop() {
  const paid: unknown[] = []
  const tools: AnyTool[] = [
    defineTool({
      name: 'look',
      description: 'Looks.',
      readOnly: true,
      concurrent: true,
      dedupe: false,
      execute: () => 'seen',
    }),
    defineTool<{ n: number }>({
      name: 'pay',
      description: 'Pays.',
      inputSchema: n,
      execute: ({ n }) => {
        paid.push(n)
        return { paid: n }
      },
    }),
  ]
  return { tools, paid }
}

async function serve(
  dispatcher: Partial<DispatcherOptions> & { tools: readonly AnyTool[] },
  options: Partial<McpHandlerOptions> = {},
): Promise<Served> {
  const handler = mcpHandler({
    dispatcher: (approver) => createDispatcher({ mode: 'full', approver, ...dispatcher }),
    ...options,
  })
  const http = await serveFetch(handler)
  endings.push(http.stop, handler.close)
  return { ...http, url: `${http.url}/mcp`, toolsChanged: handler.toolsChanged }
}

type Ask = (message: string, schema: unknown) => ElicitResult | Promise<ElicitResult>

async function connect(url: string, era: 'legacy' | 'modern', ask?: Ask): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: ask ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  if (ask) {
    client.setRequestHandler('elicitation/create', ({ params }) =>
      ask(params.message, 'requestedSchema' in params ? params.requestedSchema : undefined),
    )
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  endings.push(() => client.close())
  return client
}

const approve: Ask = () => ({ action: 'accept', content: { decision: 'approve' } })

async function call(client: Client, name: string, args = {}, options = {}) {
  const result = await client.callTool({ name, arguments: args }, options)
  const [first] = result.content
  return {
    text: first?.type === 'text' ? first.text : '',
    outcome: result._meta?.['threepass/outcome'],
    isError: result.isError === true,
    result,
  }
}

describe.each(['legacy', 'modern'] as const)('a client of the %s versions', (era) => {
  it('is shown the tools, and whether they only read', async () => {
    const { tools } = shop()
    const { url } = await serve({ tools }, { name: 'shop', version: '7', instructions: 'Be kind.' })
    const client = await connect(url, era)
    expect((await client.listTools()).tools).toEqual([
      {
        name: 'look',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: {} },
        annotations: { readOnlyHint: true },
      },
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: n,
        annotations: { readOnlyHint: false },
      },
    ])
    expect(client.getServerVersion()).toEqual({ name: 'shop', version: '7' })
    expect(client.getInstructions()).toBe('Be kind.')
  })

  it('has its calls pass all three passes', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    const client = await connect(url, era, approve)
    expect(await call(client, 'look')).toMatchObject({ text: 'seen', outcome: 'completed' })
    expect(await call(client, 'pay', { n: '5' })).toMatchObject({
      text: '{"paid":5}',
      result: { structuredContent: { paid: 5 } },
    })
    expect(await call(client, 'pay', { n: 'five' })).toMatchObject({
      isError: true,
      outcome: 'invalid',
      text: expect.stringContaining('/n'),
    })
    expect(await call(client, 'steal')).toMatchObject({
      isError: true,
      text: 'There is no tool named "steal".',
    })
    expect(paid).toEqual([5])
  })

  it('is asked before anything is changed, with what would run', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    const asked: { message: string; schema: unknown }[] = []
    const answers: ElicitResult[] = [
      { action: 'accept', content: { decision: 'approve' } },
      { action: 'accept', content: { decision: 'deny', reason: 'Too much.' } },
      { action: 'accept', content: { decision: 'perhaps' } },
      { action: 'decline', content: { decision: 'approve' } },
      { action: 'cancel' },
    ]
    const client = await connect(url, era, (message, schema) => {
      asked.push({ message, schema })
      return answers[asked.length - 1] ?? { action: 'cancel' }
    })
    const said: unknown[] = []
    for (let at = 1; at <= 5; at += 1) said.push(await call(client, 'pay', { n: at }))
    expect(said.map((each) => Object(each).outcome)).toEqual([
      'completed',
      'denied',
      'denied',
      'denied',
      'denied',
    ])
    expect(Object(said[1]).text).toContain('Too much.')
    expect(paid).toEqual([1])
    expect(asked).toHaveLength(5)
    expect(asked[0]?.message).toBe('May pay run with these arguments?\n\n{\n "n": 1\n}')
    expect(asked[0]?.schema).toMatchObject({ required: ['decision'] })
  })

  it('that cannot be asked is denied, with the reason', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    const client = await connect(url, era)
    expect(await call(client, 'pay', { n: 1 })).toMatchObject({
      isError: true,
      outcome: 'denied',
      text: expect.stringContaining('the client offers no way to ask its user (elicitation)'),
    })
    expect(paid).toEqual([])
  })

  it('that fails to ask has not said yes', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    const client = await connect(url, era, () => {
      throw new Error('the dialog is broken')
    })
    const denied = await call(client, 'pay', { n: 1 }).catch((error: Error) => error.message)
    if (era === 'legacy') expect(denied).toMatchObject({ outcome: 'denied' })
    else expect(denied).toContain('the dialog is broken')
    expect(paid).toEqual([])
  })

  it('is asked about its own calls alone', async () => {
    const { tools, paid } = shop()
    let own: Dispatcher | undefined
    const { url } = await serve(
      { tools: [] },
      {
        dispatcher(approver) {
          own = createDispatcher({ tools, mode: 'full', approver })
          return own
        },
      },
    )
    await connect(url, era, approve)
    const { results } = await (own as Dispatcher)
      .run()
      .dispatch([{ id: '1', name: 'pay', arguments: { n: 1 } }])
    expect(results[0]?.outcome).toBe('denied')
    expect(paid).toEqual([])
  })

  it('is not asked when the dispatcher has an approver of its own', async () => {
    const { tools, paid } = shop()
    const approver: DispatcherOptions['approver'] = ({ requests }) =>
      requests.map(({ callId }) => ({ callId, decision: 'approve' }))
    const dispatcher = createDispatcher({ tools, mode: 'full', approver })
    const { url } = await serve({ tools: [] }, { dispatcher })
    const client = await connect(url, era)
    expect((await call(client, 'pay', { n: 1 })).outcome).toBe('completed')
    expect(paid).toEqual([1])
  })

  it('hears how far a call is', async () => {
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      readOnly: true,
      execute: (_: object, { progress, text }: ToolContext) => {
        progress('begun')
        progress({ progress: 1, total: 3, message: 'one of three' })
        progress({ other: true })
        progress(2)
        text('a piece')
        return 'done'
      },
    })
    const { url } = await serve({ tools: [work] })
    const client = await connect(url, era)
    const news: { progress: number; total?: number; message?: string }[] = []
    await call(client, 'work', {}, { onprogress: (each: (typeof news)[0]) => news.push(each) })
    expect(news.map(({ total, message }) => ({ total, message }))).toEqual([
      { message: 'begun' },
      { total: 3, message: 'one of three' },
      { message: '{"other":true}' },
      {},
      { message: 'a piece' },
    ])
    const counts = news.map(({ progress }) => progress)
    expect([...counts].sort((a, b) => a - b)).toEqual(counts)
    expect(new Set(counts).size).toBe(5)
  })

  it('ends a call by giving it up', async () => {
    const slow = gatedTool('slow', { readOnly: true })
    const { url } = await serve({ tools: [slow.tool] })
    const client = await connect(url, era)
    const stop = new AbortController()
    const result = client.callTool({ name: 'slow', arguments: { n: 'a' } }, { signal: stop.signal })
    result.catch(() => {})
    await slow.whenStarted(1)
    const { signal } = slow.contexts.get('a') as ToolContext
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    stop.abort()
    await aborted
    await expect(result).rejects.toThrow()
    slow.finish('a')
  })

  it('is given images, audio and files', async () => {
    const show = defineTool({
      name: 'show',
      description: 'Shows.',
      readOnly: true,
      execute: () => ({
        content: [
          { type: 'text', text: 'Here.' },
          { type: 'image', data: 'aW1n', mimeType: 'image/png' },
          { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
          {
            type: 'resource',
            resource: { uri: 'file:///a.pdf', blob: 'cGRm', mimeType: 'application/pdf' },
          },
        ],
      }),
    })
    const { url } = await serve({ tools: [show] })
    const { result } = await call(await connect(url, era), 'show')
    expect(result.content.slice(1)).toEqual([
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
      {
        type: 'resource',
        resource: { uri: 'file:///a.pdf', blob: 'cGRm', mimeType: 'application/pdf' },
      },
    ])
  })

  it('finds a thousand tools behind two', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) =>
      defineTool<{ n: number }>({
        name: `tool_${at}`,
        description: at === 7 ? 'Waters the plants.' : `Does the thing number ${at}.`,
        inputSchema: n,
        readOnly: true,
        execute: ({ n }) => `${at}: ${n}`,
      }),
    )
    const { url } = await serve({ tools: many }, { expose: 'deferred' })
    const client = await connect(url, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'run_tool'])
    const found = await call(client, 'find_tools', { query: 'water the plants' })
    expect(found.text).toContain('tool_7')
    expect((await call(client, 'run_tool', { name: 'tool_7', args: { n: 3 } })).text).toBe('7: 3')
    expect(await call(client, 'tool_7', { n: 3 })).toMatchObject({
      isError: true,
      text: 'There is no tool named "tool_7".',
    })
  })

  it.each(['all', 'deferred'] as const)(
    'cannot reach a tool that is not offered (%s)',
    async (expose) => {
      const ran: string[] = []
      const hidden = (name: string, traits: Partial<AnyTool>): AnyTool => ({
        name,
        description: name,
        readOnly: true,
        execute: () => {
          ran.push(name)
          return 'ran'
        },
        ...traits,
      })
      const tools = [
        hidden('ask', { interactive: true }),
        hidden('page', { origin: 'client' }),
        hidden('secret', {}),
        hidden('open', {}),
      ]
      const { url } = await serve(
        { tools },
        {
          expose,
          offers: ({ name, interactive, origin }) =>
            name !== 'secret' && !interactive && origin !== 'client',
        },
      )
      const client = await connect(url, era)
      const { tools: shown } = await client.listTools()
      if (expose === 'all') expect(shown.map(({ name }) => name)).toEqual(['open'])
      for (const name of ['ask', 'page', 'secret', 'functions.secret', 'secret<|x', ' secret']) {
        await call(client, name)
        await call(client, 'run_tool', { name, args: {} })
        await call(client, 'run_tool', { name: ['secret'], args: {} })
      }
      expect(ran).toEqual([])
      if (expose === 'all') await call(client, 'open')
      else await call(client, 'run_tool', { name: 'open', args: {} })
      expect(ran).toEqual(['open'])
    },
  )

  it('is told when the tools change', async () => {
    let tools: readonly AnyTool[] = [{ ...shop().tools[0], name: 'api_one' } as AnyTool]
    const source: ToolSource = {
      name: 'api',
      prefix: 'api_',
      tools: () => tools,
      health: () => ({ status: 'ready', problems: [] }),
    }
    const { url, toolsChanged } = await serve({ tools: shop().tools, sources: [source] })
    const client = await connect(url, era)
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    if (era === 'modern') await client.listen({ toolsListChanged: true })
    else await streamOpen(client)
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    expect(await names()).toEqual(['api_one', 'look', 'pay'])
    tools = [...tools, { ...tools[0], name: 'api_two' } as AnyTool]
    await toolsChanged()
    await changed
    expect(await names()).toEqual(['api_one', 'api_two', 'look', 'pay'])
    expect((await call(client, 'api_two')).text).toBe('seen')
  })

  it('may be a threepass itself', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    const { source, call: own } = openSource(url, {
      elicit: () => ({ action: 'accept', content: { decision: 'approve' } }),
      trustHints: true,
    })
    endings.push(source.close)
    await source.load()
    expect(source.health()).toMatchObject({ status: 'ready', problems: [] })
    expect((await own('look')).content).toBe('seen')
    expect(await own('pay', { n: 4 })).toMatchObject({ outcome: 'completed', value: { paid: 4 } })
    expect(paid).toEqual([4])
  })
})

/** Until the server can speak unasked. */
async function streamOpen(client: Client): Promise<void> {
  // The stream is asked for after the handshake; a request that is answered later has come after it.
  for (let time = 0; time < 5; time += 1) await client.ping()
}

describe('the calls of a session', () => {
  it('share a run: what was done is not done again, until the run is over', async () => {
    const { tools, paid } = shop()
    let now = 0
    const { url } = await serve({ tools }, { clock: () => now, runIdleMs: 1_000 })
    const client = await connect(url, 'legacy', approve)
    expect((await call(client, 'pay', { n: 1 })).outcome).toBe('completed')
    now += 1_000
    expect((await call(client, 'pay', { n: 1 })).outcome).toBe('duplicate')
    now += 1_001
    expect((await call(client, 'pay', { n: 1 })).outcome).toBe('completed')
    expect(paid).toEqual([1, 1])
  })

  it('are approved together when the person says so', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    let asked = 0
    const client = await connect(url, 'legacy', () => {
      asked += 1
      return { action: 'accept', content: { decision: 'approve-for-run' } }
    })
    for (const at of [1, 2, 3]) await call(client, 'pay', { n: at })
    expect(paid).toEqual([1, 2, 3])
    expect(asked).toBe(1)
    const other = await connect(url, 'legacy', () => {
      asked += 1
      return { action: 'decline' }
    })
    expect((await call(other, 'pay', { n: 4 })).outcome).toBe('denied')
    expect(asked).toBe(2)
  })

  it('that only look run beside one that waits, the others after it', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    let answer: (result: ElicitResult) => void = () => {}
    const held = new Promise<ElicitResult>((resolve) => {
      answer = resolve
    })
    let asked = 0
    let reached = () => {}
    const waits = new Promise<void>((resolve) => {
      reached = resolve
    })
    const client = await connect(url, 'legacy', () => {
      asked += 1
      reached()
      return asked === 1 ? held : { action: 'accept', content: { decision: 'approve' } }
    })
    const first = call(client, 'pay', { n: 1 })
    const second = call(client, 'pay', { n: 2 })
    await waits
    expect((await call(client, 'look')).text).toBe('seen')
    expect(asked).toBe(1)
    answer({ action: 'accept', content: { decision: 'approve' } })
    expect((await first).outcome).toBe('completed')
    expect((await second).outcome).toBe('completed')
    expect(paid).toEqual([1, 2])
  })

  it('that only look run side by side', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true })
    const { url } = await serve({ tools: [slow.tool] })
    const client = await connect(url, 'legacy')
    const calls = ['a', 'b', 'c'].map((label) => call(client, 'slow', { n: label }))
    await slow.whenStarted(3)
    for (const label of ['a', 'b', 'c']) slow.finish(label)
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual([
      'done a',
      'done b',
      'done c',
    ])
  })

  it('have runs and sessions as the host opens them', async () => {
    const { tools } = shop()
    const dispatcher = createDispatcher({ tools, mode: 'full' })
    const opened: object[] = []
    const { url } = await serve(
      { tools: [] },
      {
        dispatcher,
        newSessionId: (request) => `session-of-${request.headers.get('x-user')}`,
        async openRun({ request, ...given }) {
          opened.push({ ...given, user: request.headers.get('x-user') })
          return dispatcher.run(given)
        },
      },
    )
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { 'x-user': 'ada' } }
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
    await client.connect(transport)
    endings.push(() => client.close())
    expect((await call(client, 'look')).text).toBe('seen')
    expect(transport.sessionId).toBe('session-of-ada')
    expect(opened).toEqual([
      {
        sessionId: 'session-of-ada',
        runId: 'session-of-ada.1',
        user: 'ada',
        onEvent: expect.any(Function),
      },
    ])
  })

  it('end with it', async () => {
    const slow = gatedTool('slow', { readOnly: true })
    const { url } = await serve({ tools: [slow.tool] })
    const client = await connect(url, 'legacy')
    const result = call(client, 'slow', { n: 'a' })
    result.catch(() => {})
    await slow.whenStarted(1)
    const { signal } = slow.contexts.get('a') as ToolContext
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    const transport = client.transport as StreamableHTTPClientTransport
    const id = transport.sessionId
    await transport.terminateSession()
    await aborted
    const again = await fetch(url, {
      method: 'POST',
      headers: { 'mcp-session-id': String(id), 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(again.status).toBe(404)
    slow.finish('a')
  })

  it('end with the session that was not used for longest, when there are too many', async () => {
    const { tools } = shop()
    const { url } = await serve({ tools }, { maxSessions: 2 })
    const [a, b] = [await connect(url, 'legacy'), await connect(url, 'legacy')]
    await call(a, 'look')
    await connect(url, 'legacy')
    expect((await call(a, 'look')).text).toBe('seen')
    await expect(call(b, 'look')).rejects.toThrow(/Session not found/)
  })
})

describe('without sessions', () => {
  it('every call is a run of its own, and nobody can be asked', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools }, { sessions: false })
    const client = await connect(url, 'legacy', approve)
    expect((client.transport as StreamableHTTPClientTransport).sessionId).toBeUndefined()
    expect((await client.listTools()).tools).toHaveLength(2)
    expect((await call(client, 'look')).text).toBe('seen')
    expect(await call(client, 'pay', { n: 1 })).toMatchObject({
      outcome: 'denied',
      text: expect.stringContaining('this server has no session in which it could ask'),
    })
    expect(paid).toEqual([])
    const modern = await connect(url, 'modern', approve)
    expect((await call(modern, 'pay', { n: 1 })).outcome).toBe('completed')
    expect((await call(modern, 'pay', { n: 1 })).outcome).toBe('completed')
    expect(paid).toEqual([1, 1])
  })
})

describe('a question that goes out with an answer', () => {
  /** A call by hand, as a client of the newer versions makes it. */
  async function post(url: string, params: object): Promise<Record<string, unknown>> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'hand', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'pay',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'pay', arguments: { n: 1 }, ...params, _meta: meta },
      }),
    })
    return ((await response.json()) as { result: Record<string, unknown> }).result
  }
  const yes = { call_0: { action: 'accept', content: { decision: 'approve' } } }

  it('is answered once: a second answer finds it over', async () => {
    const slow = gatedTool('pay', { confirm: true })
    const { url } = await serve({ tools: [slow.tool] })
    const { resultType, requestState, inputRequests } = await post(url, {})
    expect(resultType).toBe('input_required')
    expect(Object.keys(inputRequests as object)).toEqual(['call_0'])
    const answer = { requestState, inputResponses: yes }
    const first = post(url, answer)
    await slow.whenStarted(1)
    expect(Object((await post(url, answer)).content)[0].text).toBe(
      'This question is over: it was answered, or nobody answered in time.',
    )
    slow.finish('1')
    expect(Object((await first).content)[0].text).toBe('done 1')
    expect(slow.started).toEqual(['1'])
  })

  it('is no answer to another call, nor is a made-up one', async () => {
    const { tools, paid } = shop()
    const { url } = await serve({ tools })
    await post(url, {})
    for (const requestState of ['made-up', '', crypto.randomUUID()]) {
      const { content } = await post(url, { requestState, inputResponses: yes })
      expect(Object(content)[0].text).toMatch(/^This question is over/)
    }
    const { requestState } = await post(url, {})
    const { isError } = await post(url, { requestState, inputResponses: { other: yes.call_0 } })
    expect(isError).toBe(true)
    expect(paid).toEqual([])
  })

  it('counts as denied when nobody answers in time', async () => {
    const { tools, paid } = shop()
    let tell: (outcome: string) => void = () => {}
    const denied = new Promise<string>((resolve) => {
      tell = resolve
    })
    const onEvent: DispatcherOptions['onEvent'] = (event) => {
      if (event.type === 'tool_result') tell(event.result.outcome)
    }
    const { url } = await serve({ tools, onEvent }, { answerTimeoutMs: 20 })
    const { requestState } = await post(url, {})
    expect(await denied).toBe('denied')
    const { content } = await post(url, { requestState, inputResponses: yes })
    expect(Object(content)[0].text).toMatch(/^This question is over/)
    expect(paid).toEqual([])
  })
})

describe('a request that is none', () => {
  const post = (url: string, body: string, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    })
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

  it('is answered with an error and no more', async () => {
    const { tools } = shop()
    const { url } = await serve({ tools }, { maxRequestBytes: 1_000 })
    expect((await post(url, 'nonsense')).status).toBe(400)
    expect((await post(url, '')).status).toBe(400)
    expect((await post(url, list)).status).toBe(400)
    expect((await post(url, `[${list}]`)).status).toBe(400)
    expect((await post(url, 'x'.repeat(2_000))).status).toBe(413)
    expect((await post(url, list, { 'mcp-session-id': 'gone' })).status).toBe(404)
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400)
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBeGreaterThanOrEqual(400)
  })

  it('comes from a page elsewhere: it is refused', async () => {
    const { tools } = shop()
    const { url } = await serve({ tools }, { allowedOrigins: ['https://mine.example'] })
    const from = async (origin: string) => (await post(url, list, { origin })).status
    expect(await from('https://evil.example')).toBe(403)
    expect(await from('null')).toBe(403)
    expect(await from('https://mine.example')).toBe(400)
    expect(await from(new URL(url).origin)).toBe(400)
  })
})

it('bad options are refused early', () => {
  const tools = shop().tools
  const dispatcher = createDispatcher({ tools, mode: 'full' })
  for (const bad of [
    { dispatcher: createDispatcher({ tools }) },
    { dispatcher: () => createDispatcher({ tools, mode: 'stub' }) },
    { dispatcher: undefined as never },
    { dispatcher: (() => undefined) as never },
    { dispatcher, expose: 'some' as never },
    { dispatcher, runIdleMs: 0 },
    { dispatcher, maxSessions: 1.5 },
    { dispatcher, answerTimeoutMs: -1 },
  ]) {
    expect(() => mcpHandler(bad as McpHandlerOptions)).toThrow(
      expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }),
    )
  }
})
