/** The AI SDK's React hook in real Chromium against the real Worker: a page as its users write it. */
import { useChat } from '@ai-sdk/react'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as approvalsIn,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls as outputsIn,
  type UIMessage,
} from 'ai'
import { createElement as h } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, expect, inject, it } from 'vitest'
import { page } from 'vitest/browser'
import { createClient } from '../../src/client/index.ts'

let root: Root | undefined
afterEach(() => root?.unmount())

const pick = {
  name: 'pick',
  description: 'Picks in the page.',
  readOnly: true,
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
}

interface ToolPart {
  toolCallId: string
  toolName: string
  state: string
  approval?: { id: string }
}

interface Props {
  readonly id: string
  readonly token: string
  readonly messages?: UIMessage[]
  readonly resume?: boolean
}

function Talk({ id, token, messages = [], resume = false }: Props) {
  const chat = useChat({
    id,
    messages,
    resume,
    transport: new DefaultChatTransport({
      api: `${inject('api')}/v1/chat`,
      headers: { authorization: `Bearer ${token}` },
      body: { clientTools: [pick] },
    }),
    sendAutomaticallyWhen: (given) => approvalsIn(given) || outputsIn(given),
    onToolCall({ toolCall }) {
      const { of } = toolCall.input as { of: string }
      void chat.addToolOutput({
        tool: 'pick' as never,
        toolCallId: toolCall.toolCallId,
        output: `picked ${of}` as never,
      })
    },
  })
  return h(
    'main',
    null,
    h(
      'button',
      {
        type: 'button',
        onClick: () => void chat.sendMessage({ text: '/pick of=red; /pay n=4; /log' }),
      },
      'Send',
    ),
    h('output', null, chat.status),
    chat.messages.flatMap(({ parts, role }) =>
      parts.map((part, index) => {
        if (part.type === 'text') return h('p', { key: `${role}${index}` }, part.text)
        if (!('toolCallId' in part)) return null
        const { toolCallId, toolName, state, approval } = part as unknown as ToolPart
        const answer = (approved: boolean) =>
          void chat.addToolApprovalResponse({ id: approval?.id ?? '', approved })
        return h(
          'div',
          { key: toolCallId },
          `${toolName}: ${state}`,
          state === 'approval-requested' &&
            h('button', { type: 'button', onClick: () => answer(true) }, `Approve ${toolName}`),
        )
      }),
    ),
  )
}

async function show(props: Props) {
  root?.unmount()
  const place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place)
  root.render(h(Talk, props))
}

it('useChat sends, approves, runs page tools, and takes a turn up after a reload', async () => {
  const id = `react-${crypto.randomUUID()}`
  const api = createClient({ url: inject('api'), token: 'the-api-token' })
  const { token } = await api.createToken({ sessionId: id })
  await show({ id, token })
  await page.getByText('Send').click()
  await expect.element(page.getByText('pay: approval-requested')).toBeVisible()

  // The page is loaded anew while the turn waits: it has the messages from the Worker, and resumes.
  const headers = { authorization: `Bearer ${token}` }
  const kept = await (await fetch(`${inject('api')}/v1/chat/${id}`, { headers })).json()
  expect(kept).toMatchObject({ active: true })
  await show({ id, token, messages: kept.messages, resume: true })
  await page.getByText('Approve pay').click()
  await expect.element(page.getByText(/picked red/)).toBeVisible()
  await expect.element(page.getByText(/paid 4/)).toBeVisible()
  await expect.element(page.getByText('pick: output-available')).toBeVisible()
  await expect.element(page.getByText('ready')).toBeVisible()
})
