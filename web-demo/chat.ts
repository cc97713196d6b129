/**
 * A conversation in the page: over the Worker's chat endpoint, or with a loop that runs here.
 * @module
 */
import type { UIMessage } from 'ai'
import {
  agentTransport,
  browserModel,
  browserModelAvailability,
  type FinishedTurn,
  offlineModel,
} from '../src/agent/index.ts'
import type { RemoteRun } from '../src/client/index.ts'
import type { ClientTools, Dispatcher, EventListener, Mode } from '../src/index.ts'
import type { PageChat } from './page-chat.ts'
import { type WorkerLink, wantsToken } from './worker-link.ts'

/** Which model answers in the page; the Worker has its own. */
export type PageModel = 'offline' | 'browser'

export interface ChatView {
  readonly id: string
  readonly messages: readonly UIMessage[]
  /** `lost`: the connection broke, and is being taken up again. */
  readonly status: 'ready' | 'busy' | 'lost'
  readonly problem: string
  readonly hasBrowserModel: boolean
  readonly model: PageModel
}

export interface Conversation {
  readonly view: () => ChatView
  readonly send: (text: string) => Promise<void>
  readonly stop: () => Promise<void>
  readonly choose: (model: PageModel) => Promise<void>
  /** The chat of this id, or a fresh one; what the Worker has of it is shown, and a turn under way goes on. */
  readonly open: (id?: string) => Promise<void>
  /** Place or mode have changed. */
  readonly reset: () => void
  /** The last turn's run on the Worker. */
  readonly workerRun: () => string | undefined
}

export interface ConversationParts {
  readonly place: () => 'page' | 'worker'
  readonly mode: () => Mode
  readonly token: () => string
  readonly tools: ClientTools
  readonly link: WorkerLink
  readonly dispatcher: (mode: Mode) => Dispatcher
  readonly onRunEvent: EventListener
  /** Of the loop in the page. */
  readonly sessionId: string
  readonly onFinish: (turn: FinishedTurn) => Promise<void>
  readonly onTokenWanted: () => void
  readonly onChange: () => void
}

export function createConversation(parts: ConversationParts): Conversation {
  const { place, mode, token, tools, link, onChange } = parts
  let id = crypto.randomUUID() as string
  let chat: Promise<PageChat> | undefined
  let opened: PageChat | undefined
  let attached: RemoteRun | undefined
  let lost = false
  let problem = ''
  let model: PageModel = 'offline'

  const onDownload = (part: number) => {
    problem = part < 1 ? `Loading the browser's model: ${Math.round(part * 100)} % …` : ''
    onChange()
  }

  const make = async (): Promise<PageChat> => {
    const { forbidEval } = await import('./no-eval.ts')
    forbidEval()
    const { PageChat, DefaultChatTransport } = await import('./page-chat.ts')
    const transport =
      place() === 'page'
        ? agentTransport({
            model: model === 'browser' ? browserModel({ onDownload }) : offlineModel(),
            dispatcher: parts.dispatcher(mode()),
            onRunEvent: parts.onRunEvent,
            sessionId: parts.sessionId,
            onFinish: parts.onFinish,
          })
        : new DefaultChatTransport<UIMessage>({
            api: '/v1/chat',
            headers: () => authorization(),
            body: () => ({ follow: true, mode: mode(), clientTools: tools.definitions() }),
            prepareReconnectToStreamRequest: ({ api, id: chatId }) => ({
              api: `${api}/${chatId}/stream?follow=true`,
            }),
          })
    const own = new PageChat({ id, transport }, changed)
    opened = own
    return own
  }
  const authorization = (): Record<string, string> =>
    token() ? { authorization: `Bearer ${token()}` } : {}

  const changed = () => {
    if (place() === 'worker') attach()
    onChange()
  }

  /** The run of the last turn: its questions are asked here, its page tools run here. */
  const attach = () => {
    const part = opened?.lastMessage?.parts.find(({ type }) => type === 'data-run')
    const { runId } = (part as { data?: { runId?: string } } | undefined)?.data ?? {}
    if (runId === undefined || attached?.runId === runId) return
    attached?.close()
    attached = link.attach(runId)
  }

  const current = () => {
    chat ??= make()
    return chat
  }

  /** What the Worker has; with a turn under way its stream, to the end. */
  const load = async (own: PageChat): Promise<void> => {
    for (let attempt = 0; own === opened; attempt += 1) {
      const response = await fetch(`/v1/chat/${id}`, { headers: authorization() }).catch(() => {})
      if (own !== opened) return
      if (response?.status === 401) return wantToken()
      if (response?.ok) {
        const { messages, active } = (await response.json()) as {
          messages: UIMessage[]
          active: boolean
        }
        own.messages = messages
        lost = false
        onChange()
        if (!active) return
        await own.resumeStream()
        // Whether that was all, the Worker says: the turn may have ended before its stream was asked for.
        if (own.status !== 'error') continue
        if (!isBroken(own.error)) return
      }
      lost = true
      onChange()
      await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** attempt, 5_000)))
    }
  }

  const wantToken = () => {
    problem = 'The Worker wants its API token.'
    parts.onTokenWanted()
    onChange()
  }

  const settle = async (own: PageChat): Promise<void> => {
    const { error } = own
    if (own !== opened) return
    // A Worker that is put down ends its streams in good order.
    if (place() === 'worker' && (own.endedEarly || isBroken(error))) return load(own)
    if (own.status !== 'error') return
    if (wantsToken(error) || /\b401\b|UNAUTHORIZED/.test(error?.message ?? '')) return wantToken()
    problem = problemText(error)
    onChange()
  }

  const reset = () => {
    attached?.close()
    attached = undefined
    opened = undefined
    chat = undefined
    lost = false
    problem = ''
    id = crypto.randomUUID()
    onChange()
  }

  return {
    view: () => ({
      id,
      messages: opened?.messages ?? [],
      status: lost
        ? 'lost'
        : opened && ['submitted', 'streaming'].includes(opened.status)
          ? 'busy'
          : 'ready',
      problem,
      hasBrowserModel: 'LanguageModel' in globalThis,
      model,
    }),
    async send(text) {
      problem = ''
      const own = await current()
      await own.sendMessage({ text })
      await settle(own)
    },
    async stop() {
      const own = await current()
      if (place() === 'page') return own.stop()
      await fetch(`/v1/chat/${id}/stop`, { method: 'POST', headers: authorization() })
    },
    async choose(chosen) {
      const found = chosen === 'browser' ? await browserModelAvailability() : 'available'
      if (found !== 'unavailable') model = chosen
      reset()
      if (found === 'unavailable') problem = 'This browser has no model that it could load.'
      onChange()
    },
    async open(wanted) {
      reset()
      if (wanted === undefined) return
      id = wanted
      await load(await current())
    },
    reset,
    workerRun: () => attached?.runId,
  }
}

/** The network, and not what was said over it. */
function isBroken(error: Error | undefined): boolean {
  return (
    error instanceof TypeError ||
    error?.name === 'NetworkError' ||
    /network|fetch/i.test(error?.message ?? '')
  )
}

/** The Worker's problem document, when there is one in the text. */
function problemText(error: Error | undefined): string {
  const text = error?.message ?? 'The chat failed.'
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? text
  } catch {
    return text
  }
}
