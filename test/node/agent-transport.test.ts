/** useChat without a server: the AI SDK's own client over a loop in the same process. */
import { Chat } from '@ai-sdk/react'
import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { agentTransport, offlineModel } from '../../src/agent/index.ts'
import { type AnyTool, createDispatcher, promptApprover, type RunEvent } from '../../src/index.ts'
import { gatedTool } from '../support/gated-tool.ts'
import { calls, says, scriptedModel } from '../support/scripted-model.ts'

const pay: AnyTool = {
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
  execute: ({ n }: { n: number }) => `paid ${n}`,
}
const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join('')

describe('agentTransport', () => {
  it('answers, asks in the page, and shows calls as the Worker’s chat does', async () => {
    const prompt = promptApprover({
      onChange: (pending) => {
        for (const { callId, token } of pending)
          void prompt.answer({ callId, decision: 'approve' }, token)
      },
    })
    const events: RunEvent[] = []
    const transport = agentTransport({
      model: offlineModel(),
      dispatcher: createDispatcher({ tools: [pay], mode: 'full', approver: prompt.approver }),
      onRunEvent: (event) => events.push(event),
    })
    const chat = new Chat<UIMessage>({ transport })
    await chat.sendMessage({ text: '/pay n=7' })
    expect(chat.status).toBe('ready')
    expect(textOf(chat.lastMessage)).toBe('paid 7')
    expect(chat.lastMessage?.parts).toContainEqual(
      expect.objectContaining({ type: 'dynamic-tool', toolName: 'pay', state: 'output-available' }),
    )
    expect(events.some(({ type }) => type === 'round_end')).toBe(true)
  })

  it('keeps the conversation, and goes back for a message that is sent anew', async () => {
    const model = scriptedModel([says('one'), says('two'), says('again')])
    const transport = agentTransport({
      model,
      dispatcher: createDispatcher({ tools: [pay], mode: 'full' }),
    })
    const chat = new Chat<UIMessage>({ transport })
    await chat.sendMessage({ text: 'first' })
    await chat.sendMessage({ text: 'second' })
    await chat.regenerate()
    expect(textOf(chat.lastMessage)).toBe('again')
    expect(model.requests.map(({ prompt }) => prompt.map(({ role }) => role).join())).toEqual([
      'user',
      'user,assistant,user',
      'user,assistant,user',
    ])
  })

  it('ends the turn before first, and keeps chats apart', async () => {
    const slow = gatedTool('slow')
    const model = scriptedModel([calls(['a', 'slow', { n: '1' }]), says('B'), says('C'), says('D')])
    const dispatcher = createDispatcher({
      tools: [slow.tool],
      mode: 'full',
      unattended: 'allow',
      graceMs: 0,
    })
    const transport = agentTransport({ model, dispatcher })
    const say = async (chatId: string, id: string, text: string) => {
      const messages = [{ id, role: 'user' as const, parts: [{ type: 'text', text }] }]
      return transport.sendMessages({ chatId, messages, abortSignal: undefined })
    }
    const first = await say('one', '1', 'FIRST')
    await slow.whenStarted(1)
    const second = await say('one', '2', 'SECOND')
    await drained(second)
    await drained(await say('one', '3', 'THIRD'))
    const roles = (at: number) => model.requests[at]?.prompt.map(({ role }) => role).join()
    expect(roles(2)).toBe('user,assistant,tool,user,assistant,user')
    // The same message id in another chat is another message.
    await drained(await say('two', '3', 'OTHER'))
    expect(roles(3)).toBe('user')
    // Whoever still reads the first turn comes to its end.
    await drained(first)
  })

  it('tells what a turn was about in the person’s words alone', async () => {
    const objective = new Promise<string>((resolve) => {
      const transport = agentTransport({
        model: offlineModel(),
        dispatcher: createDispatcher({ tools: [pay], mode: 'full' }),
        onFinish: (turn) => resolve(turn.objective),
      })
      const parts = [
        { type: 'text', text: 'Pay' },
        { type: 'data-note', text: 'a note of the page' },
        { type: 'text', text: 'seven' },
      ]
      const messages = [{ id: '1', role: 'user' as const, parts }]
      void transport.sendMessages({ chatId: 'x', messages, abortSignal: undefined }).then(drained)
    })
    expect(await objective).toBe('Pay\nseven')
  })

  it('stops with the chat, and refuses what says nothing', async () => {
    let cancelled = false
    const model = scriptedModel([
      () =>
        new ReadableStream({
          start: (stream) => stream.enqueue({ type: 'text-start', id: '0' }),
          cancel: () => {
            cancelled = true
          },
        }),
    ])
    const dispatcher = createDispatcher({ tools: [pay], mode: 'full' })
    const chat = new Chat<UIMessage>({ transport: agentTransport({ model, dispatcher }) })
    const streaming = new Promise<void>((resolve) =>
      chat['~registerStatusCallback'](() => chat.status === 'streaming' && resolve()),
    )
    const sent = chat.sendMessage({ text: 'go' })
    await streaming
    await chat.stop()
    await sent
    expect(cancelled).toBe(true)
    await expect(
      agentTransport({ model, dispatcher }).sendMessages({
        messages: [],
        chatId: 'x',
        abortSignal: undefined,
      }),
    ).rejects.toMatchObject({ code: 'THREEPASS_BAD_OPTION' })
  })
})

async function drained(stream: ReadableStream): Promise<void> {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}
