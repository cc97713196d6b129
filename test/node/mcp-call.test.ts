/** Calls of an MCP server's tools: what comes back, and what becomes of a call whose answer does not. */

import type { ServerContext } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createDispatcher, type RunEvent } from '../../src/index.ts'
import { listed, openSource } from '../support/mcp-client.ts'
import { type OddServer, type OddServerOptions, oddServer } from '../support/mcp-odd-server.ts'

const servers: OddServer[] = []
const sources: { close: () => Promise<void> }[] = []

const serve = async (options: OddServerOptions = {}) => {
  const server = await oddServer({ tools: [listed('a')], ...options })
  servers.push(server)
  return server
}

const open = (...given: Parameters<typeof openSource>) => {
  const opened = openSource(...given)
  sources.push(opened.source)
  return opened
}

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()))
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

/** A promise and its end. */
function gate<T = void>() {
  let open: (value: T) => void = () => {}
  const passed = new Promise<T>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

/** News of the call that goes on: the answer has begun. */
async function progress({ mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken as number
  const params = { progressToken, progress: 1 }
  await mcpReq.notify({ method: 'notifications/progress', params })
}

/** Until the client has heard of it. */
async function untilProgress(events: RunEvent[]): Promise<void> {
  const isLast = () => events.at(-1)?.type === 'tool_call_progress'
  while (!isLast()) await new Promise((resolve) => setImmediate(resolve))
}

const readOnly = listed('look', { annotations: { readOnlyHint: true } })
const idempotent = listed('put', { annotations: { idempotentHint: true } })

describe('the tools of a server', () => {
  it('ask a person, and run in turn: a server’s word about itself counts only when it is trusted', async () => {
    const server = await serve({ tools: [readOnly, idempotent, listed('a')] })
    const wary = open(server.url, { server: 'wary' }, { approver: () => [] })
    await wary.source.load()
    for (const name of ['look', 'put', 'a']) expect((await wary.call(name)).outcome).toBe('denied')
    expect(server.ran).toEqual([])
    expect(wary.source.tools().map(({ timeout, trust }) => [timeout, trust])).toEqual(
      Array(3).fill([60_000, 'external']),
    )

    const trusting = open(
      server.url,
      { trustHints: true, timeoutMs: 5_000 },
      { approver: () => [] },
    )
    await trusting.source.load()
    expect((await trusting.call('look')).outcome).toBe('completed')
    expect((await trusting.call('put')).outcome).toBe('denied')
    expect(
      trusting.source.tools().map(({ readOnly, concurrent, idempotent, timeout }) => ({
        readOnly,
        concurrent,
        idempotent,
        timeout,
      })),
    ).toEqual([
      { readOnly: true, concurrent: true, timeout: 5_000 },
      { idempotent: true, timeout: 5_000 },
      { timeout: 5_000 },
    ])
  })

  it('run one after another in the model’s order, trusted readers side by side', async () => {
    const server = await serve({ tools: [readOnly, listed('a'), listed('b')] })
    const { source, run } = open(server.url, { trustHints: true })
    await source.load()
    const both = gate()
    let looking = 0
    server.does.look = async () => {
      looking += 1
      if (looking === 2) both.open()
      await both.passed
      return 'seen'
    }
    const call = (id: string, name: string) => ({
      id,
      name: `mcp__odd__${name}`,
      arguments: { id },
    })
    const { results } = await run.dispatch([
      call('1', 'look'),
      call('2', 'look'),
      call('3', 'b'),
      call('4', 'a'),
    ])
    expect(results.map(({ content }) => content)).toEqual(['seen', 'seen', 'b ran', 'a ran'])
    expect(server.ran).toEqual(['look', 'look', 'b', 'a'])
  })

  it('of two servers have names of their own, and the bare name is none', async () => {
    const one = await serve({ tools: [listed('send')] })
    const other = await serve({ tools: [listed('send')] })
    const { source: a } = open(one.url, { server: 'a' })
    const { source: b } = open(other.url, { server: 'b' })
    const run = createDispatcher({
      tools: [],
      sources: [a, b],
      mode: 'full',
      unattended: 'allow',
    }).run()
    const names = ['mcp__a__send', 'mcp__b__send', 'send']
    const { results } = await run.dispatch(names.map((name) => ({ id: name, name, arguments: {} })))
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'unknown'])
    expect([one.ran, other.ran]).toEqual([['send'], ['send']])
    expect(results[2]?.content).toMatch(/mcp__a__send.*mcp__b__send/)
  })
})

describe.each(['legacy', 'modern'] as const)('what a %s server gives', (era) => {
  it('comes whole: text, images, audio, links, resources and the structured answer', async () => {
    const server = await serve({
      era,
      does: {
        a: () => ({
          content: [
            { type: 'text', text: 'Hello.' },
            { type: 'image', data: 'aW1n', mimeType: 'image/png' },
            { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
            {
              type: 'resource_link',
              uri: 'file:///plan.md',
              name: 'plan.md',
              title: 'The plan',
              description: 'What comes next.',
              mimeType: 'text/markdown',
            },
            { type: 'resource', resource: { uri: 'note://1', text: 'A note.' } },
            {
              type: 'resource',
              resource: { uri: 'file:///a.pdf', blob: 'cGRm', mimeType: 'application/pdf' },
            },
            { type: 'resource', resource: { uri: 'x://i', blob: 'aW1n', mimeType: 'image/gif' } },
          ],
          structuredContent: { sum: 3, list: [1, 'two'] },
        }),
      },
    })
    const { call } = open(server.url)
    const { outcome, content, value, media } = await call('a')
    expect(outcome).toBe('completed')
    expect(content).toBe(
      [
        'Hello.',
        '[image: image/png]',
        '[audio: audio/wav]',
        '[link: file:///plan.md The plan (text/markdown) What comes next.]',
        'A note.',
        '[resource: file:///a.pdf]',
        '[resource: x://i]',
      ].join('\n'),
    )
    expect(value).toEqual({ sum: 3, list: [1, 'two'] })
    expect(media).toEqual([
      { type: 'image', mimeType: 'image/png', data: 'aW1n' },
      { type: 'audio', mimeType: 'audio/wav', data: 'c25k' },
      { type: 'file', mimeType: 'application/pdf', data: 'cGRm', name: 'file:///a.pdf' },
      { type: 'image', mimeType: 'image/gif', data: 'aW1n', name: 'x://i' },
    ])
  })

  it('is a failure with its text when the server says so, and is not remembered as an answer', async () => {
    const server = await serve({
      era,
      does: { a: () => ({ content: [{ type: 'text', text: 'No such file.' }], isError: true }) },
    })
    const { call } = open(server.url)
    for (let time = 0; time < 2; time += 1) {
      expect(await call('a')).toMatchObject({
        outcome: 'failed',
        content: 'mcp__odd__a failed: No such file.',
      })
    }
    expect(server.ran).toHaveLength(2)
    server.does.a = () => ({
      content: [],
      isError: true,
      error: { message: 'net::ERR_EMPTY_RESPONSE' },
    })
    expect((await call('a', { n: 1 })).content).toBe('mcp__odd__a failed: net::ERR_EMPTY_RESPONSE')
  })

  it('is kept though a part of it is odd: the tool has run', async () => {
    const server = await serve({ era })
    const { source, call } = open(server.url)
    await source.load()
    const given = async (n: number, result: object) => {
      server.instead = ({ rpc, id }) =>
        rpc === 'tools/call'
          ? Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
          : undefined
      const { outcome, content, value } = await call('a', { n })
      return { outcome, content, value }
    }
    expect(
      await given(1, {
        content: [{ type: 'hologram', at: [1, 2] }, { type: 'text', text: 'Done.' }, 'bare'],
        structuredContent: [1, 2],
      }),
    ).toEqual({
      outcome: 'completed',
      content: '{"type":"hologram","at":[1,2]}\nDone.\nbare',
      value: [1, 2],
    })
    expect(await given(2, { content: 'all of it', structuredContent: null })).toEqual({
      outcome: 'completed',
      content: 'all of it',
      value: undefined,
    })
    expect(await given(3, { content: [{ type: 'image', data: 5 }] })).toMatchObject({
      content: '{"type":"image","data":5}',
    })
    expect(await given(4, { content: [], isError: 'perhaps' })).toMatchObject({
      outcome: 'interrupted',
    })
  })

  it('is checked against its output schema; what does not fit is left out, and the model is told', async () => {
    const outputSchema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
    }
    const server = await serve({ era, tools: [listed('a', { outputSchema })] })
    const { call } = open(server.url)
    const given = async (n: number, structuredContent: unknown) => {
      server.does.a = () => ({ content: [{ type: 'text', text: 'Done.' }], structuredContent })
      const { outcome, content, value } = await call('a', { n })
      return { outcome, content, value }
    }
    expect(await given(1, { n: 1 })).toEqual({
      outcome: 'completed',
      content: 'Done.',
      value: { n: 1 },
    })
    const wrong = await given(2, { n: 'one' })
    expect(wrong).toMatchObject({ outcome: 'completed', value: undefined })
    expect(wrong.content).toMatch(
      /^Done\.\n\[The structured answer does not fit the tool's output schema and was left out: \/n .*integer/,
    )
    expect(await given(3, undefined)).toMatchObject({ outcome: 'completed', content: 'Done.' })
    expect(server.ran).toHaveLength(3)
  })

  it('is news while the call goes on', async () => {
    const server = await serve({ era })
    const { call, events } = open(server.url)
    server.does.a = async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken as number
      for (const progress of [1, 2]) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        })
      }
      return 'done'
    }
    expect((await call('a')).content).toBe('done')
    expect(
      events.flatMap((event) => (event.type === 'tool_call_progress' ? [event.value] : [])),
    ).toEqual([
      { progress: 1, total: 2, message: 'step 1' },
      { progress: 2, total: 2, message: 'step 2' },
    ])
  })

  it('is waited for no longer when the call is aborted, and the server hears of it', async () => {
    const server = await serve({ era })
    const { call } = open(server.url)
    const started = gate()
    const aborted = gate()
    server.does.a = (_, { mcpReq: { signal } }: ServerContext) => {
      signal.addEventListener('abort', () => aborted.open())
      started.open()
      return new Promise(() => {})
    }
    const stop = new AbortController()
    const result = call('a', {}, stop.signal)
    await started.passed
    stop.abort()
    expect((await result).outcome).toBe('cancelled')
    await aborted.passed
    expect(server.count('tools/call')).toBe(1)
  })

  it('is an error of the protocol: the call has failed, and is not sent again', async () => {
    const server = await serve({ era })
    server.does.a = () => {
      throw Object.assign(new Error('Out of paper.'), { code: -32_603 })
    }
    const { outcome, content } = await open(server.url, { trustHints: true }).call('a')
    expect({ outcome, content }).toEqual({
      outcome: 'failed',
      content: 'mcp__odd__a failed: Out of paper.',
    })
    expect(server.ran).toHaveLength(1)
  })

  it('is no answer to one of another: calls at once get their own', async () => {
    const server = await serve({ era, tools: [readOnly] })
    const { source, run } = open(server.url, { trustHints: true })
    await source.load()
    server.does.look = ({ n }) => `look ${n}`
    const calls = Array.from({ length: 20 }, (_, n) => ({
      id: `${n}`,
      name: 'mcp__odd__look',
      arguments: { n },
    }))
    const { results } = await run.dispatch(calls)
    expect(results.map(({ content }) => content)).toEqual(calls.map((_, n) => `look ${n}`))
  })

  /** A call in which the connection breaks before or after the answer has begun. */
  const cutIn = (server: OddServer, events: RunEvent[], when: string) => async () => {
    if (when === 'after') await untilProgress(events)
    server.cutCalls()
    return 'done'
  }

  it.each(['before', 'after'])(
    'is a connection that breaks %s its answer began: the call is interrupted, and not sent again',
    async (when) => {
      const server = await serve({ era, tools: [listed('a'), readOnly, idempotent] })
      const { call, events } = open(server.url)
      for (const name of ['a', 'look', 'put']) {
        server.ran.length = 0
        server.does[name] = async (_, context) => {
          await progress(context)
          return cutIn(server, events, when)()
        }
        const { outcome, content } = await call(name)
        expect(outcome).toBe('interrupted')
        expect(content).toMatch(
          /^No answer came: .* The tool may have run: check before you repeat/,
        )
        expect(server.ran).toEqual([name])
        server.does[name] = () => 'done'
        expect((await call(name)).content).toBe('done')
      }
    },
  )

  it.each(['before', 'after'])(
    'is a connection that breaks %s its answer began: what may be repeated, on the server’s trusted word, is',
    async (when) => {
      const server = await serve({ era, tools: [readOnly, idempotent] })
      const { call, events } = open(server.url, { trustHints: true })
      for (const name of ['look', 'put']) {
        server.ran.length = 0
        let cuts = 1
        server.does[name] = async (_, context) => {
          await progress(context)
          cuts -= 1
          return cuts < 0 ? 'done' : cutIn(server, events, when)()
        }
        expect((await call(name)).content).toBe('done')
        expect(server.ran).toEqual([name, name])
        cuts = 2
        expect((await call(name, { again: true })).outcome).toBe('failed')
        expect(server.ran).toEqual([name, name, name, name])
      }
    },
  )

  it.each([
    [502, 'interrupted'],
    [500, 'interrupted'],
    [429, 'failed'],
    [413, 'failed'],
  ])('is HTTP %i: the call is %s', async (status, outcome) => {
    const server = await serve({ era })
    const { source, call } = open(server.url)
    await source.load()
    server.instead = ({ rpc }) =>
      rpc === 'tools/call' ? new Response('Try later.', { status }) : undefined
    expect(await call('a')).toMatchObject({
      outcome,
      content: expect.stringContaining(`the server answered ${status}: Try later.`),
    })
    expect(server.count('tools/call')).toBe(1)
  })

  it('is more than the bound: it is not read', async () => {
    const server = await serve({ era, does: { a: () => 'x'.repeat(200_000) } })
    const { call } = open(server.url, { maxResponseBytes: 100_000 })
    expect((await call('a')).outcome).toBe('interrupted')
    server.does.a = async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken as number
      for (let progress = 1; progress <= 5; progress += 1) {
        const params = { progressToken, progress, message: 'x'.repeat(50_000) }
        await mcpReq.notify({ method: 'notifications/progress', params })
      }
      return 'x'.repeat(90_000)
    }
    expect((await call('a', { n: 1 })).outcome).toBe('completed')
  })
})

describe('a session that the server has forgotten', () => {
  it('is begun anew, and the call is sent again: it has not run', async () => {
    const server = await serve()
    const { call } = open(server.url)
    expect((await call('a', { n: 1 })).outcome).toBe('completed')
    server.forgetSessions()
    expect((await call('a', { n: 2 })).outcome).toBe('completed')
    expect(server.ran).toEqual(['a', 'a'])
    expect(server.count('initialize')).toBe(2)
  })

  it('also when the server says so by 400', async () => {
    const server = await serve()
    const { call } = open(server.url)
    await call('a', { n: 1 })
    let refusals = 1
    server.instead = ({ rpc }) => {
      if (rpc !== 'tools/call' || refusals-- < 1) return undefined
      const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' }
      return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
    }
    expect((await call('a', { n: 2 })).outcome).toBe('completed')
    expect(server.ran).toEqual(['a', 'a'])
    expect(server.count('initialize')).toBe(2)
  })

  it('once for all calls that are under way', async () => {
    const server = await serve({ tools: [readOnly] })
    const { source, run } = open(server.url, { trustHints: true })
    await source.load()
    server.forgetSessions()
    const calls = Array.from({ length: 5 }, (_, n) => ({
      id: `${n}`,
      name: 'mcp__odd__look',
      arguments: { n },
    }))
    const { results } = await run.dispatch(calls)
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(5).fill('completed'))
    expect(server.count('initialize')).toBe(2)
    expect(server.ran).toHaveLength(5)
  })

  it('without ending a call that is under way in it', async () => {
    const server = await serve({ tools: [listed('slow'), readOnly] })
    const { source, call } = open(server.url, { trustHints: true })
    await source.load()
    const started = gate()
    const finish = gate()
    server.does.slow = async () => {
      started.open()
      await finish.passed
      return 'slow ran'
    }
    const slowly = call('slow')
    await started.passed
    server.forgetSessions()
    const tool = source.tools().find(({ name }) => name === 'mcp__odd__look')
    const context = { signal: new AbortController().signal, progress() {} }
    await tool?.execute({}, context as never)
    const ends = () => server.requests.filter(({ method }) => method === 'DELETE').length
    expect(ends()).toBe(0)
    finish.open()
    expect((await slowly).content).toBe('slow ran')
    while (ends() === 0) await new Promise((resolve) => setImmediate(resolve))
  })

  it('again and again is a failure', async () => {
    const server = await serve()
    const { source, call } = open(server.url)
    await source.load()
    server.instead = ({ rpc }) =>
      rpc === 'tools/call' ? new Response(null, { status: 404 }) : undefined
    expect(await call('a')).toMatchObject({
      outcome: 'failed',
      content: 'mcp__odd__a failed: the server answered 404',
    })
    expect(server.ran).toEqual([])
    expect(server.count('tools/call')).toBe(2)
  })

  it('has the list read again: the server may be a new one', async () => {
    const server = await serve()
    const { source, call, names } = open(server.url, { listen: false })
    await call('a')
    server.forgetSessions()
    server.pages = [[listed('a'), listed('b')]]
    await call('a', { n: 2 })
    await source.load()
    expect(names()).toEqual(['mcp__odd__a', 'mcp__odd__b'])
  })
})

describe('a connection', () => {
  it('that could not be made has sent nothing: the call goes to the server that is there now', async () => {
    const server = await serve()
    const port = Number(new URL(server.url).port)
    const { source, call } = open(server.url)
    await source.load()
    await server.stop()
    const again = await serve({ port })
    expect((await call('a')).content).toBe('a ran')
    expect(again.ran).toEqual(['a'])
    expect(again.count('initialize')).toBe(1)
  })

  it('that breaks is taken up again where the server can: nothing runs twice', async () => {
    const server = await serve({ resumable: true })
    const { call, events } = open(server.url)
    server.does.a = async (_, context) => {
      await progress(context)
      await untilProgress(events)
      server.cutCalls()
      return 'done'
    }
    expect((await call('a')).content).toBe('done')
    expect(server.ran).toEqual(['a'])
  })

  it('may answer with JSON alone', async () => {
    const server = await serve({ json: true })
    const { call } = open(server.url)
    expect((await call('a')).content).toBe('a ran')
    server.does.a = () => {
      server.cutCalls()
      return 'done'
    }
    expect((await call('a', { n: 2 })).outcome).toBe('interrupted')
    expect(server.ran).toEqual(['a', 'a'])
  })
})

describe('questions of the server in the middle of a call', () => {
  const ask = async (_: unknown, { mcpReq }: ServerContext) => {
    try {
      const answer = await mcpReq.elicitInput({
        message: 'Which branch?',
        requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } },
      })
      return JSON.stringify(answer)
    } catch (error) {
      return `not asked: ${(error as Error).message}`
    }
  }

  it('are declined when nobody answers them: the client says that it cannot be asked', async () => {
    const server = await serve({ does: { a: ask } })
    expect((await open(server.url).call('a')).content).toMatch(/^not asked: /)
  })

  it('are answered by the host', async () => {
    const server = await serve({ does: { a: ask } })
    const questions: unknown[] = []
    const { call } = open(server.url, {
      elicit(question) {
        questions.push(question)
        return questions.length === 1
          ? { action: 'accept', content: { branch: 'main' } }
          : { action: 'decline' }
      },
    })
    expect((await call('a')).content).toBe('{"action":"accept","content":{"branch":"main"}}')
    expect((await call('a', { n: 2 })).content).toBe('{"action":"decline"}')
    expect(questions[0]).toEqual({
      server: 'odd',
      message: 'Which branch?',
      schema: { type: 'object', properties: { branch: { type: 'string' } } },
      signal: expect.any(AbortSignal),
    })
  })

  it('of other kinds are refused', async () => {
    const server = await serve({
      does: {
        async a(_, { mcpReq }) {
          const params = { messages: [], maxTokens: 10 }
          return mcpReq.requestSampling(params).then(
            () => 'sampled',
            (error: Error) => `refused: ${error.message}`,
          )
        },
      },
    })
    expect((await open(server.url).call('a')).content).toMatch(/^refused: /)
  })
})
