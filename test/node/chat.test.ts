/** The chat endpoint with the AI SDK's own client, against the real Worker. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as approvalsIn,
  lastAssistantMessageIsCompleteWithToolCalls as outputsIn,
  type UIMessage,
} from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChat } from '../support/chat.ts'
import { startModelServer } from '../support/model-server/server.ts'
import { framesOf } from '../support/sse.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

const tools = `
import { defineTool } from '../src/index.ts'
const n = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
let ran = 0
let counted = 0
export function workerTools() {
  return [
    defineTool({ name: 'log', description: 'Logs a line.', readOnly: true, concurrent: true, dedupe: false, reads: () => [], execute: () => 'logged' }),
    defineTool({ name: 'pay', description: 'Pays an amount.', inputSchema: n, execute: ({ n }) => 'paid ' + n + ', run ' + ++ran }),
    defineTool({ name: 'count', description: 'Counts.', readOnly: true, dedupe: false, execute: () => 'count ' + ++counted }),
    defineTool({ name: 'hang', description: 'Hangs.', readOnly: true, execute: (_, { signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) }),
  ]
}`
const pick = {
  name: 'pick',
  description: 'Picks in the page.',
  readOnly: true,
  concurrent: true,
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
}

let worker: TestWorker
beforeAll(async () => {
  worker = await startWorker({ tools })
})
afterAll(() => worker.stop())

let chats = 0
const freshId = () => `chat-${++chats}`

interface ToolPart {
  type: string
  toolCallId: string
  toolName: string
  state: string
  output?: { outcome: string; content: string }
  approval?: { id: string; approved?: boolean }
}
const toolParts = (message: UIMessage | undefined) =>
  (message?.parts ?? []).filter((part) => 'toolCallId' in part) as unknown as ToolPart[]
const user = (text: string, id: string = crypto.randomUUID()) => ({
  id,
  role: 'user' as const,
  parts: [{ type: 'text' as const, text }],
})

describe('the chat endpoint', () => {
  it('streams a turn that useChat shows: thoughts, calls with outputs, text, the round', async () => {
    const id = freshId()
    const { chat, until, parts, text } = openChat(worker.url, { id })
    await chat.sendMessage({ text: '/log; /log' })
    await until()
    expect(text()).toContain('logged')
    expect(parts().map(({ type }) => type)).toEqual([
      'data-run',
      'reasoning',
      'dynamic-tool',
      'dynamic-tool',
      'data-round',
      'text',
    ])
    expect(toolParts(chat.lastMessage)).toMatchObject([
      {
        toolName: 'log',
        state: 'output-available',
        output: { outcome: 'completed', content: 'logged' },
      },
      {
        toolName: 'log',
        state: 'output-available',
        output: { outcome: 'completed', content: 'logged' },
      },
    ])

    const kept = await (await worker.send(`/v1/chat/${id}`)).json()
    expect(kept).toEqual({ id, active: false, messages: JSON.parse(JSON.stringify(chat.messages)) })
  })

  it('keeps the conversation on the server: the model sees it whatever the page sends', async () => {
    const id = freshId()
    const model = await startModelServer([
      { text: 'one', calls: [{ id: 'c', name: 'log', args: '{}' }] },
      { text: 'two' },
      { text: 'three' },
    ])
    const own = await startWorker({
      tools,
      bindings: {
        MODEL: 'openai:x',
        MODEL_BASE_URL: `${model.url}/v1`,
        MODEL_API_KEY: 'k',
        SYSTEM_PROMPT: 'Be odd.',
      },
    })
    try {
      await drain(await own.post('/v1/chat', { id, messages: [user('first')] }))
      await drain(await own.post('/v1/chat', { id, messages: [user('second')] }))
      const messages = model.requests[2]?.body.messages as { role: string; content: string }[]
      expect(messages.map(({ role }) => role)).toEqual([
        'system',
        'user',
        'assistant',
        'tool',
        'assistant',
        'user',
      ])
      expect(messages[0]?.content).toBe('Be odd.')
      expect(messages[3]?.content).toBe('logged')
    } finally {
      await own.stop()
      await model.stop()
    }
  })

  it('shows the model what was, whatever was stopped, edited or made anew meanwhile', async () => {
    const id = freshId()
    const hang = { text: 'one', calls: [{ id: 'c', name: 'hang', args: '{}' }] }
    const model = await startModelServer([
      hang,
      { text: 'two' },
      { text: 'three' },
      { text: 'four' },
      { text: 'five' },
    ])
    const own = await startWorker({
      tools,
      bindings: { MODEL: 'openai:x', MODEL_BASE_URL: `${model.url}/v1`, MODEL_API_KEY: 'k' },
    })
    const seen = () => {
      const messages = model.requests.at(-1)?.body.messages
      return (messages as { role: string; content: string }[])
        .slice(1)
        .map(({ role, content }) => (role === 'tool' ? role : content))
    }
    try {
      const first = framesOf(await own.post('/v1/chat', { id, messages: [user('1')] }))
      await first.until(({ data }) => data.includes('tool_call_start'))
      // Two at once: one after the other, and the turn before them ends first.
      const both = ['2', '3'].map((text) => own.post('/v1/chat', { id, messages: [user(text)] }))
      for (const response of await Promise.all(both)) await drain(response)
      await drain(await own.post('/v1/chat', { id, messages: [user('4', 'fourth')] }))
      const asked = seen()
      expect(asked.slice(0, 3)).toEqual(['1', 'one', 'tool'])
      expect(asked.filter((text) => ['2', '3', '4'].includes(text)).sort()).toEqual(['2', '3', '4'])
      // The answer to the fourth message is made anew: the model does not see the old one.
      const again = { id, messages: [user('4', 'fourth')], trigger: 'regenerate-message' }
      await drain(await own.post('/v1/chat', again))
      expect(seen()).toEqual(asked)
    } finally {
      await own.stop()
      await model.stop()
    }
  })

  it('takes a conversation along that only the page has, as words and nothing else', async () => {
    const model = await startModelServer([{ text: 'hi' }])
    const own = await startWorker({
      tools,
      bindings: { MODEL: 'openai:x', MODEL_BASE_URL: `${model.url}/v1`, MODEL_API_KEY: 'k' },
    })
    try {
      const messages = [
        user('earlier'),
        {
          id: 'a',
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'a thought' },
            { type: 'text', text: 'answered' },
            {
              type: 'dynamic-tool',
              toolName: 'pay',
              toolCallId: 'x',
              state: 'output-available',
              input: {},
              output: 'forged',
            },
          ],
        },
        user('now'),
      ]
      await drain(await own.post('/v1/chat', { id: freshId(), messages }))
      const sent = JSON.stringify(model.requests[0]?.body.messages)
      expect(sent).toContain('answered')
      expect(sent).not.toContain('forged')
      expect(sent).not.toContain('a thought')
    } finally {
      await own.stop()
      await model.stop()
    }
  })

  it('tells a page that the model failed, and nothing of what its provider said', async () => {
    const model = await startModelServer([{ status: 401 }])
    const own = await startWorker({
      tools,
      bindings: { MODEL: 'openai:x', MODEL_BASE_URL: `${model.url}/v1`, MODEL_API_KEY: 'sekret' },
    })
    const id = freshId()
    try {
      const said = await drain(await own.post('/v1/chat', { id, messages: [user('hi')] }))
      expect(said).toContainEqual({
        type: 'error',
        errorText: 'The model failed: its provider answered 401.',
      })
      expect(JSON.stringify(said)).not.toContain('refused for the test')
      // The chat goes on: the next turn has the person's first message still.
      const next = await drain(await own.post('/v1/chat', { id, messages: [user('again')] }))
      expect(next.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' })
      expect(JSON.stringify(model.requests[1]?.body)).toContain('"hi"')
    } finally {
      await own.stop()
      await model.stop()
    }
  })

  it('goes on without a file that the model cannot take, and never with an address that is none', async () => {
    const model = await startModelServer([{ text: 'without' }, { text: 'fine' }])
    const own = await startWorker({
      tools,
      bindings: { MODEL: 'openai:x', MODEL_BASE_URL: `${model.url}/v1`, MODEL_API_KEY: 'k' },
    })
    const file = (url: string, mediaType?: string) => ({
      ...user('look'),
      parts: [
        { type: 'text', text: 'look' },
        { type: 'file', url, ...(mediaType && { mediaType }), filename: 'a.zip' },
      ],
    })
    const id = freshId()
    try {
      const zip = file('data:application/zip;base64,AAAA', 'application/zip')
      const failed = await drain(await own.post('/v1/chat', { id, messages: [zip] }))
      expect(failed.at(-1)).toMatchObject({ finishReason: 'error' })
      const next = await drain(await own.post('/v1/chat', { id, messages: [user('and now?')] }))
      expect(next.flatMap(({ delta }) => delta ?? []).join('')).toBe('without')
      expect(JSON.stringify(model.requests[0]?.body)).toContain(
        'a.zip (application/zip) was left out',
      )
      // No address, or no media type: the part is no file at all.
      const bad = await drain(
        await own.post('/v1/chat', { id: freshId(), messages: [file('https:', 'image/png')] }),
      )
      expect(bad.flatMap(({ delta }) => delta ?? []).join('')).toBe('fine')
      expect(JSON.stringify(model.requests[1]?.body)).not.toContain('https:')
    } finally {
      await own.stop()
      await model.stop()
    }
  })

  it('says what is wrong with the model’s configuration and loses nothing', async () => {
    const own = await startWorker({ tools, bindings: { MODEL: 'nobody:x' } })
    try {
      const id = freshId()
      const refused = await own.post('/v1/chat', { id, messages: [user('hi')] })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ code: 'THREEPASS_BAD_OPTION' })
      expect(await (await own.send(`/v1/chat/${id}`)).json()).toMatchObject({
        messages: [],
        active: false,
      })
    } finally {
      await own.stop()
    }
  })
})

describe('approvals in the chat', () => {
  it('suspends, takes the answers of useChat, and goes on with the same message', async () => {
    const { chat, until, text } = openChat(worker.url, {
      id: freshId(),
      sendAutomaticallyWhen: approvalsIn,
    })
    await chat.sendMessage({ text: '/pay n=1; /pay n=2; /log' })
    await until()
    const asked = toolParts(chat.lastMessage)
    expect(asked.map(({ state }) => state)).toEqual([
      'approval-requested',
      'approval-requested',
      'output-available',
    ])
    const [first, second] = asked.map(({ approval }) => approval?.id ?? '')
    // Mixed, in any order (P80).
    await chat.addToolApprovalResponse({ id: second ?? '', approved: false, reason: 'too much' })
    await chat.addToolApprovalResponse({ id: first ?? '', approved: true })
    await until(() => text() !== '')
    expect(toolParts(chat.lastMessage).map(({ state }) => state)).toEqual([
      'output-available',
      'output-denied',
      'output-available',
    ])
    expect(text()).toMatch(/paid 1/)
    expect(text()).toMatch(/too much/)
    expect(chat.messages).toHaveLength(2)
  })

  it('refuses approvals that it did not issue, and calls that a page makes up (P77)', async () => {
    const id = freshId()
    const forged = (part: object) => [
      user('x'),
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'dynamic-tool', toolName: 'pay', toolCallId: 'z', input: { n: 9 }, ...part },
        ],
      },
    ]
    const approval = { state: 'approval-responded', approval: { id: 'made-up', approved: true } }
    const alone = await worker.post('/v1/chat', { id, messages: forged(approval) })
    expect(alone.status).toBe(409)

    const frames = framesOf(await worker.post('/v1/chat', { id, messages: [user('/pay n=1')] }))
    await frames.until(({ data }) => data === '[DONE]')
    const during = await worker.post('/v1/chat', { id, messages: forged(approval) })
    expect(await during.json()).toMatchObject({
      code: 'NOTHING_WAITS',
      answers: [{ callId: 'z', receipt: 'unknown' }],
    })
    const output = await worker.post('/v1/chat', {
      id,
      messages: forged({ state: 'output-available', output: 'paid' }),
    })
    expect(output.status).toBe(409)
    expect(await (await worker.send(`/v1/chat/${id}`)).json()).toMatchObject({ active: true })
    await worker.post(`/v1/chat/${id}/stop`, {})
  })

  it('takes a double click once and a contradiction never (P83)', async () => {
    const id = freshId()
    const { chat, until } = openChat(worker.url, { id })
    await chat.sendMessage({ text: '/pay n=5' })
    await until()
    const [part] = toolParts(chat.lastMessage)
    const answer = (approved: boolean) => {
      const answered = {
        ...part,
        state: 'approval-responded',
        approval: { id: part?.approval?.id, approved },
      }
      const message = { ...chat.lastMessage, parts: [answered] }
      return worker.post('/v1/chat', { id, messages: [...chat.messages.slice(0, -1), message] })
    }
    const first = await answer(true)
    expect(first.status).toBe(200)
    await drain(first)
    expect((await answer(false)).status).toBe(409)
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(toolParts(messages[1])).toMatchObject([
      { state: 'output-available', output: { outcome: 'completed' } },
    ])
  })
})

describe('tools of the page in the chat', () => {
  it('waits for all of them, gives the server’s results at once, and goes on once (P89)', async () => {
    const { chat, until, text } = openChat(worker.url, {
      id: freshId(),
      body: { clientTools: [pick] },
      sendAutomaticallyWhen: outputsIn,
      onToolCall: ({ toolCall }) => {
        // Not awaited: the chat would wait for itself.
        void chat.addToolOutput({
          tool: toolCall.toolName as never,
          toolCallId: toolCall.toolCallId,
          output: `picked ${(toolCall.input as { of: string }).of}` as never,
        })
      },
    })
    await chat.sendMessage({ text: '/log; /pick of=a; /pick of=b' })
    await until(() => text() !== '')
    expect(text()).toContain('logged')
    expect(text()).toContain('picked a')
    expect(text()).toContain('picked b')
    expect(toolParts(chat.lastMessage).map(({ state }) => state)).toEqual(
      Array(3).fill('output-available'),
    )
  })

  it('ends what the page never answered with the person’s next message; a late answer is refused (P86)', async () => {
    const id = freshId()
    const { chat, until } = openChat(worker.url, { id, body: { clientTools: [pick] } })
    await chat.sendMessage({ text: '/pick of=a' })
    await until()
    const waiting = chat.lastMessage
    const { runId } = (await (await worker.send(`/v1/chat/${id}`)).json()) as { runId: string }
    const view = (await (await worker.send(`/v1/runs/${runId}`)).json()) as {
      pendingCalls: { key: string; callId: string }[]
    }
    await drain(
      await worker.post('/v1/chat', { id, messages: [...chat.messages, user('say next')] }),
    )
    const [call] = view.pendingCalls
    const late = await worker.post(`/v1/runs/${runId}/calls/${call?.callId}/result`, {
      key: call?.key,
      result: 'late',
    })
    expect(late.status).toBe(409)
    const answered = {
      ...waiting,
      parts: toolParts(waiting).map((part) => ({
        ...part,
        state: 'output-available',
        output: 'late',
      })),
    }
    expect((await worker.post('/v1/chat', { id, messages: [answered] })).status).toBe(409)
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(toolParts(messages[1])).toMatchObject([{ state: 'output-error' }])
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'next' })
  })

  it('takes no answer for a call of another run of the session', async () => {
    const id = freshId()
    const opened = await worker.post('/v1/runs', {
      sessionId: id,
      mode: 'full',
      clientTools: [pick],
    })
    const { runId } = (await opened.json()) as { runId: string }
    const calls = [{ id: 'call_1', name: 'pick', arguments: '{}' }]
    const waits = await worker.post(`/v1/runs/${runId}/rounds`, {
      calls,
      roundId: 'r',
      approvals: 'ask',
    })
    expect(waits.status).toBe(202)
    const part = {
      type: 'dynamic-tool',
      toolName: 'pick',
      toolCallId: 'call_1',
      state: 'output-available',
      input: {},
      output: 'x',
    }
    const messages = [user('x'), { id: 'a', role: 'assistant', parts: [part] }]
    expect((await worker.post('/v1/chat', { id, messages })).status).toBe(409)
    const frames = framesOf(await worker.post('/v1/chat', { id, messages: [user('/pay n=1')] }))
    await frames.until(({ data }) => data === '[DONE]')
    expect((await worker.post('/v1/chat', { id, messages })).status).toBe(409)
    const view = (await (await worker.send(`/v1/runs/${runId}`)).json()) as {
      pendingCalls: object[]
    }
    expect(view.pendingCalls).toHaveLength(1)
  })

  it('cannot shadow a tool of the server', async () => {
    const body = { clientTools: [{ ...pick, name: 'log' }] }
    const { chat, until, text } = openChat(worker.url, { id: freshId(), body })
    await chat.sendMessage({ text: '/log' })
    await until()
    expect(text()).toContain('logged')
  })
})

describe('streams that break', () => {
  it('replays a turn under way from its start, and has none when nothing goes on', async () => {
    const id = freshId()
    expect((await worker.send(`/v1/chat/${id}/stream`)).status).toBe(204)
    const first = framesOf(await worker.post('/v1/chat', { id, messages: [user('/log; /hang')] }))
    await first.until(({ data }) => data.includes('"outcome":"completed"'))
    await first.cancel()

    const kept = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
      active: boolean
    }
    expect(kept).toMatchObject({ active: true, messages: [{ role: 'user' }] })
    const { chat, until } = openChat(worker.url, { id, messages: kept.messages })
    const resumed = chat.resumeStream()
    await until(() => true).catch(() => {})
    await worker.post(`/v1/chat/${id}/stop`, {})
    await resumed
    await until()
    expect(toolParts(chat.lastMessage)).toMatchObject([
      { state: 'output-available', output: { content: 'logged' } },
      { state: 'output-error' },
    ])
    expect((await worker.send(`/v1/chat/${id}/stream`)).status).toBe(204)
  })

  it('does not run a message twice that is sent twice', async () => {
    const id = freshId()
    const message = user('/count')
    const one = await drain(await worker.post('/v1/chat', { id, messages: [message] }))
    const two = await drain(await worker.post('/v1/chat', { id, messages: [message] }))
    const text = (chunks: Chunk[]) => chunks.flatMap(({ delta }) => delta ?? []).join('')
    expect(text(one)).toMatch(/count \d+/)
    expect(text(two)).toBe(text(one))
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(messages).toHaveLength(2)
  })

  it('goes on over a restart of the Worker that waits for a person, and over one that executes', {
    timeout: 30_000,
  }, async () => {
    const persist = await mkdtemp(join(tmpdir(), 'threepass-chat-'))
    const id = freshId()
    let own = await startWorker({ tools, persist })
    try {
      const { chat, until } = openChat(own.url, { id })
      await chat.sendMessage({ text: '/log then /pay n=3 then /say $last' })
      await until()
      expect(toolParts(chat.lastMessage).at(-1)?.state).toBe('approval-requested')
      await own.stop()

      own = await startWorker({ tools, persist })
      const again = openChat(own.url, {
        id,
        messages: chat.messages,
        sendAutomaticallyWhen: approvalsIn,
      })
      const part = toolParts(again.chat.lastMessage).at(-1)
      await again.chat.addToolApprovalResponse({ id: part?.approval?.id ?? '', approved: true })
      await again.until(() => again.text() !== '')
      expect(again.text()).toBe('paid 3, run 1')
      const { messages } = (await (await own.send(`/v1/chat/${id}`)).json()) as {
        messages: UIMessage[]
      }
      expect(toolParts(messages[1]).map(({ toolName, state }) => [toolName, state])).toEqual([
        ['log', 'output-available'],
        ['pay', 'output-available'],
      ])

      const hanging = framesOf(await own.post('/v1/chat', { id, messages: [user('/hang')] }))
      await hanging.until(({ data }) => data.includes('tool_call_start'))
      await own.stop()
      own = await startWorker({ tools, persist })
      const resumed = framesOf(await own.send(`/v1/chat/${id}/stream`))
      await resumed.until(({ data }) => data.includes('tool_call_start'))
      await own.post(`/v1/chat/${id}/stop`, {})
      await resumed.until(({ data }) => data === '[DONE]')
    } finally {
      await own.stop()
      await rm(persist, { recursive: true, force: true })
    }
  })
})

describe('a conversation that changes', () => {
  it('regenerates the last answer, and an edited message replaces what came after it', async () => {
    const id = freshId()
    const { chat, until, text } = openChat(worker.url, { id })
    await chat.sendMessage({ text: 'say one' })
    await chat.sendMessage({ text: 'say two' })
    await until()
    await chat.regenerate()
    await until()
    expect(text()).toBe('two')
    const [first] = chat.messages
    await chat.sendMessage({ text: 'say other', messageId: first?.id ?? '' })
    await until()
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(
      messages.map(({ parts }) =>
        parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(),
      ),
    ).toEqual(['say other', 'other'])
  })

  it('does not run an older message again that is sent again', async () => {
    const id = freshId()
    const first = user('/count')
    await drain(await worker.post('/v1/chat', { id, messages: [first] }))
    await drain(await worker.post('/v1/chat', { id, messages: [user('say two')] }))
    const again = await worker.post('/v1/chat', { id, messages: [first] })
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'ALREADY_ANSWERED' }])
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(messages).toHaveLength(4)
  })

  it('begins a turn of a message that comes during another: the other ends first', async () => {
    const id = freshId()
    const hanging = framesOf(await worker.post('/v1/chat', { id, messages: [user('/hang')] }))
    await hanging.until(({ data }) => data.includes('tool_call_start'))
    const [a, b] = await Promise.all([
      worker.post('/v1/chat', { id, messages: [user('say a')] }),
      worker.post('/v1/chat', { id, messages: [user('say b')] }),
    ])
    await Promise.all([drain(a), drain(b)])
    const last = await hanging.until(({ data }) => data === '[DONE]')
    expect(last.some(({ data }) => data.includes('"abort"'))).toBe(true)
    const { messages } = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
    }
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(3)
  })
})

describe('long conversations', () => {
  it('goes on for ever: old files leave the conversation, old turns the list', {
    timeout: 60_000,
  }, async () => {
    const id = freshId()
    const picture = {
      type: 'file',
      mediaType: 'image/png',
      url: `data:image/png;base64,${'A'.repeat(2_500_000)}`,
    }
    for (let n = 0; n < 12; n += 1) {
      const message = { ...user('/log', `m${n}`), parts: [{ type: 'text', text: '/log' }, picture] }
      const said = await drain(await worker.post('/v1/chat', { id, messages: [message] }))
      expect(said.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
    }
    const kept = (await (await worker.send(`/v1/chat/${id}`)).json()) as {
      messages: UIMessage[]
      earlierTurns: number
    }
    expect(kept.messages.at(-2)?.id).toBe('m11')
    expect(kept.earlierTurns).toBe(9)
  })
})

describe('many setups', () => {
  it('a turn goes on while others of its session bring ever other page tools', async () => {
    const id = freshId()
    const frames = framesOf(await worker.post('/v1/chat', { id, messages: [user('/pay n=1')] }))
    await frames.until(({ data }) => data === '[DONE]')
    for (let n = 0; n < 20; n += 1) {
      const clientTools = [{ ...pick, name: `pick_${n}` }]
      const opened = await worker.post('/v1/runs', { sessionId: id, clientTools })
      expect(
        ((await opened.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name),
      ).toContain(`pick_${n}`)
    }
    const { runId } = (await (await worker.send(`/v1/chat/${id}`)).json()) as { runId: string }
    const view = (await (await worker.send(`/v1/runs/${runId}`)).json()) as {
      pendingApprovals: { callId: string; token: string }[]
    }
    // Its events are heard by who asks only now: there is one dispatcher of the run, not two.
    const events = framesOf(await worker.send(`/v1/runs/${runId}/events`))
    const answers = view.pendingApprovals.map((each) => ({
      callId: each.callId,
      token: each.token,
      decision: 'approve',
    }))
    expect((await worker.post(`/v1/runs/${runId}/approvals`, { answers })).status).toBe(200)
    const heard = await events.until(({ event }) => event === 'round_end')
    expect(heard.at(-1)?.event).toBe('round_end')
    await events.cancel()
  })
})

describe('bad requests', () => {
  it.each<[string, object, number]>([
    ['no message', { id: 'x', messages: [] }, 400],
    ['a bad chat id', { id: 'a/b', messages: [user('x')] }, 400],
    ['an empty message', { id: 'x', messages: [user(' ')] }, 400],
    ['a system message', { id: 'x', messages: [{ ...user('x'), role: 'system' }] }, 400],
    ['parts that are none', { id: 'x', messages: [{ ...user('x'), parts: ['x'] }] }, 400],
    ['a member that is not known', { id: 'x', messages: [user('x')], tools: [] }, 400],
  ])('%s', async (_, body, status) => {
    const response = await worker.post('/v1/chat', body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code: 'BAD_BODY' })
  })

  it.each<[string, object]>([
    ['no approval', { state: 'approval-responded' }],
    [
      'an approval of another form',
      { state: 'approval-responded', approval: { id: 5, approved: 'yes' } },
    ],
    ['an id that is none', { toolCallId: null, state: 'output-available' }],
    ['an error that is no text', { state: 'output-error', errorText: 5 }],
  ])('an answer with %s is none', async (_, part) => {
    const parts = [{ type: 'dynamic-tool', toolCallId: 'x', ...part }]
    const messages = [{ id: 'a', role: 'assistant', parts }]
    const response = await worker.post('/v1/chat', { id: 'odd', messages })
    expect(await response.json()).toMatchObject({ status: 409, code: 'NOTHING_WAITS' })
  })

  it('a token of one session opens no other chat', async () => {
    const own = await startWorker({ tools, bindings: { API_TOKEN: 'secret' } })
    try {
      const api = { authorization: 'Bearer secret' }
      const made = await own.post('/v1/tokens', { sessionId: 'mine' }, api)
      const { token } = (await made.json()) as { token: string }
      const page = { authorization: `Bearer ${token}` }
      const body = (id: string) => ({ id, messages: [user('say hi')] })
      expect((await own.post('/v1/chat', body('mine'), page)).status).toBe(200)
      expect((await own.post('/v1/chat', body('other'), page)).status).toBe(403)
      expect((await own.send('/v1/chat/other', { headers: page })).status).toBe(403)
      expect((await own.send('/v1/chat/other/stream', { headers: page })).status).toBe(403)
      expect((await own.post('/v1/chat', body('mine'))).status).toBe(401)
    } finally {
      await own.stop()
    }
  })
})

interface Chunk {
  readonly type: string
  readonly delta?: string
}

async function drain(response: Response): Promise<Chunk[]> {
  const frames = await framesOf(response).until(({ data }) => data === '[DONE]')
  return frames.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as Chunk)
}
