import { describe, expect, it } from 'vitest'
import { askUserTool, httpRequestTool, type UserReply } from '../../../src/builtin/index.ts'
import {
  type AnyTool,
  type ApprovalBatch,
  clientCalls,
  createDispatcher,
  type Json,
  type JsonObject,
  type RunEvent,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'
import { call } from './call.ts'

const answering = (reply: UserReply | Json) =>
  askUserTool({ ask: async () => reply as Json, secrets: memoryRecords() })
const questions = [
  { question: 'Which colour?', options: ['red', 'blue'] },
  { question: 'Which days?', options: ['Mon', 'Tue', 'Wed'], multi_select: true },
]

describe('ask_user', () => {
  it('gives the model one answer a question, options or words of their own', async () => {
    const reply = { answers: ['a green one', ['Mon', 'Wed']] }
    const { outcome, value } = await call(answering(reply), { questions })
    expect(outcome).toBe('completed')
    expect(value).toEqual({
      answers: [
        { question: 'Which colour?', answer: 'a green one' },
        { question: 'Which days?', answer: ['Mon', 'Wed'] },
      ],
    })
  })

  it.each([
    [{ declined: 'not now' }, 'ask_user failed: the person declined to answer: not now'],
    [{ declined: '' }, 'ask_user failed: the person declined to answer'],
    [{ answers: ['red'] }, 'does not hold one answer for each question'],
    [{ answers: [['red'], []] }, 'the answer to question 1 that came back is no text'],
    [{ answers: ['red', [{ a: 1 }]] }, 'the answer to question 2 that came back is no text'],
    [null, 'does not hold one answer for each question'],
  ])('%j fails and says why', async (reply, message) => {
    const { outcome, content } = await call(answering(reply), { questions })
    expect(outcome).toBe('failed')
    expect(content).toContain(message)
  })

  it('the other calls of the round go on while it waits; two questions come one after the other', async () => {
    const quick = gatedTool('quick', { readOnly: true, concurrent: true })
    const asked: string[] = []
    const answers: ((reply: Json) => void)[] = []
    const ask = askUserTool({
      ask: ({ questions: [first] }) => {
        asked.push(first?.question ?? '')
        return new Promise((resolve) => answers.push(resolve))
      },
    })
    const run = createDispatcher({ tools: [ask, quick.tool], mode: 'full' }).run()
    const done = run.dispatch([
      callOf('1', 'ask_user', { questions: [{ question: 'one' }] }),
      callOf('2', 'ask_user', { questions: [{ question: 'two' }] }),
      callOf('3', 'quick', { n: 'q' }),
    ])
    await quick.whenStarted(1)
    quick.finish('q')
    await settled()
    expect(asked).toEqual(['one'])
    answers[0]?.({ answers: ['1'] })
    await settled()
    expect(asked).toEqual(['one', 'two'])
    answers[1]?.({ answers: ['2'] })
    expect((await done).results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('completed'))
  })

  it('a person is not asked the same twice in a run', async () => {
    let asked = 0
    const tool = askUserTool({
      ask: async () => {
        asked += 1
        return { answers: ['yes'] }
      },
    })
    const run = createDispatcher({ tools: [tool], mode: 'full' }).run()
    const round = [callOf('1', 'ask_user', { questions: [{ question: 'Sure?' }] })]
    await run.dispatch(round)
    const { results } = await run.dispatch([{ ...round[0], id: '2', name: 'ask_user' }])
    expect([results[0]?.outcome, asked]).toEqual(['duplicate', 1])
  })

  it('answered outside, it waits again after a restart for what is left of its time', async () => {
    const store = memoryRunStore()
    const records = memoryRecords<never>()
    const open = () => {
      const calls = clientCalls({ store: records as never })
      const tool = askUserTool({
        ask: (args, context) =>
          calls.ask({ name: 'ask_user', readOnly: true }, args as unknown as JsonObject, context),
        remote: true,
        timeoutMs: 60_000,
      })
      const events: RunEvent[] = []
      const onEvent = (event: RunEvent) => events.push(event)
      const run = createDispatcher({ tools: [tool], mode: 'full', store, onEvent }).run({
        runId: 'r',
      })
      return { calls, run, events }
    }
    const round = [callOf('q', 'ask_user', { questions: [{ question: 'Still there?' }] })]
    const first = open()
    void first.run.dispatch(round, { roundId: 'one' })
    while (first.calls.pending().length === 0) await settled()
    const second = open()
    const done = second.run.dispatch(round, { roundId: 'one' })
    while (second.calls.pending().length === 0) await settled()
    const [pending] = second.calls.pending()
    expect(pending).toMatchObject({ name: 'ask_user', callId: 'q', runId: 'r' })
    expect(second.events.some(({ type }) => type === 'client_tool_call')).toBe(true)
    const key = pending?.key ?? ''
    expect(await second.calls.answer(key, { result: { answers: ['yes'] } })).toBe('taken')
    expect(await second.calls.answer(key, { result: { answers: ['no'] } })).toBe('conflict')
    expect((await done).results[0]?.content).toContain('"answer":"yes"')
  })
})

describe('secrets', () => {
  const secretQuestion = { questions: [{ question: 'Your key?', secret: true, name: 'api_key' }] }

  it('a secret is in no result and no event; a request has it in its header, a person is asked first, and what comes back hides it', async () => {
    const secrets = memoryRecords<string>()
    const events: RunEvent[] = []
    const sent: Headers[] = []
    const asked: ApprovalBatch[] = []
    const fetch = (async (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers))
      const echo = `{"you sent":"${new Headers(init?.headers).get('x-key')}"}`
      return new Response(echo, { headers: { 'x-echo': 's3cr3t!' } })
    }) as typeof globalThis.fetch
    const tools: AnyTool[] = [
      askUserTool({ ask: async () => ({ answers: ['s3cr3t!'] }), secrets }),
      httpRequestTool({ fetch, secrets }),
    ]
    const run = createDispatcher({
      tools,
      mode: 'full',
      onEvent: (event) => events.push(event),
      approver: (batch) => {
        asked.push(batch)
        return batch.requests.map(({ callId }) => ({ callId, decision: 'approve-for-run' }))
      },
    }).run({ sessionId: 's' })
    const { results } = await run.dispatch([callOf('q', 'ask_user', secretQuestion)])
    expect(results[0]?.value).toMatchObject({ answers: [{ secret: 'api_key' }] })
    const get = (id: string, path: string) =>
      callOf(id, 'http_request', {
        url: `https://example.com/${path}`,
        headers: { 'x-key': 'Key {{secret:api_key}}' },
      })
    const second = await run.dispatch([get('g', 'a')])
    expect(sent[0]?.get('x-key')).toBe('Key s3cr3t!')
    expect(second.results[0]?.content).toContain('{"you sent":"Key ***"}')
    expect(second.results[0]?.value).toMatchObject({ headers: { 'x-echo': '***' } })
    // Whatever the rules say: a model could send it anywhere.
    await run.dispatch([get('h', 'b')])
    expect(asked).toHaveLength(2)
    expect(JSON.stringify([events, results, second.results])).not.toContain('s3cr3t!')
    const other = createDispatcher({ tools, mode: 'full', unattended: 'allow' }).run()
    const [unknown] = (await other.dispatch([get('g', 'a')])).results
    expect(unknown?.content).toContain('there is no secret "api_key"')
  })

  it('is hidden also as JSON and as part of an address', async () => {
    const secrets = memoryRecords<string>()
    const value = 'a"b c/ü'
    await secrets.save('s:k', value, { now: 0, forgetAt: 1 })
    const body = JSON.stringify({ raw: value, url: `https://x/?k=${encodeURIComponent(value)}` })
    const fetch = (async () => new Response(body)) as typeof globalThis.fetch
    const run = createDispatcher({
      tools: [httpRequestTool({ fetch, secrets })],
      mode: 'full',
      unattended: 'allow',
    }).run({ sessionId: 's' })
    const args = { url: 'https://example.com/', headers: { a: '{{secret:k}}' } }
    const { results } = await run.dispatch([callOf('a', 'http_request', args)])
    expect(results[0]?.content).toContain('{"raw":"***","url":"https://x/?k=***"}')
  })

  it('is hidden without the blanks at its ends, which a header loses', async () => {
    const secrets = memoryRecords<string>()
    await secrets.save('s:k', ' s3cr3t \n', { now: 0, forgetAt: 1 })
    const fetch = (async (_: unknown, init?: RequestInit) =>
      new Response(`you sent ${new Headers(init?.headers).get('a')}`)) as typeof globalThis.fetch
    const run = createDispatcher({
      tools: [httpRequestTool({ fetch, secrets })],
      mode: 'full',
      unattended: 'allow',
    }).run({ sessionId: 's' })
    const args = { url: 'https://example.com/', headers: { a: '{{secret:k}}' } }
    const { results } = await run.dispatch([callOf('a', 'http_request', args)])
    expect(results[0]?.content).toContain('you sent ***')
  })

  it.each([
    ['a header that is none', 'sk-SECRET\nline2', undefined, '{{secret:k}}'],
    ['a header with a line break beside it', 'sk-SECRET', undefined, 'a\n{{secret:k}}'],
    ['a network that repeats it', 'sk-SECRET', 'no route with sk-SECRET', '{{secret:k}}'],
  ])('%s does not show it', async (_, value, failure, header) => {
    const secrets = memoryRecords<string>()
    await secrets.save('s:k', value, { now: 0, forgetAt: 1 })
    const fetch = (async () => {
      if (failure) throw new TypeError(failure)
      return new Response('ok')
    }) as typeof globalThis.fetch
    const events: RunEvent[] = []
    const run = createDispatcher({
      tools: [httpRequestTool({ fetch, secrets })],
      mode: 'full',
      unattended: 'allow',
      onEvent: (event) => events.push(event),
    }).run({ sessionId: 's' })
    const args = { url: 'https://example.com/', headers: { a: header } }
    const { results } = await run.dispatch([callOf('a', 'http_request', args)])
    expect(results[0]?.outcome).toBe('failed')
    if (!failure) expect(results[0]?.content).toContain('header a would hold a line break')
    expect(JSON.stringify([results, events])).not.toContain('SECRET')
  })

  it('where none can be kept the question is not even put', async () => {
    let asked = 0
    const tool = askUserTool({
      ask: async () => {
        asked += 1
        return null
      },
    })
    const { content } = await call(tool, secretQuestion)
    expect(content).toContain('secret answers cannot be kept here')
    expect(asked).toBe(0)
  })
})
