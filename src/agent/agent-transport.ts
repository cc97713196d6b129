/**
 * A chat without a server: what `useChat` sends goes to a loop in the page.
 *
 * ```ts
 * useChat({ transport: agentTransport({ model, dispatcher }) })
 * ```
 * @module
 */
import type { Dispatcher } from '../dispatcher.ts'
import { DispatchError } from '../errors.ts'
import type { EventListener } from '../events.ts'
import type { AgentMessage, AgentResult } from './agent-event.ts'
import type { AgentOptions } from './options.ts'
import { runAgent } from './run-agent.ts'
import type { UIChunk } from './ui-chunk.ts'
import { type PageMessage, saidBefore, saidBy, textOf } from './ui-messages.ts'
import { uiStream } from './ui-stream.ts'

type LoopOptions = Pick<
  AgentOptions,
  'model' | 'system' | 'maxSteps' | 'doomLimit' | 'maxRetries' | 'settings'
>

export interface AgentTransportOptions extends LoopOptions {
  /** Its approver asks in the page; its tools run there. */
  readonly dispatcher: Dispatcher
  /** Default: a fresh one. */
  readonly sessionId?: string
  /** Hears the events of the runs. */
  readonly onRunEvent?: EventListener
  /** Hears what each turn came to: for a history. What it throws or rejects with is swallowed. */
  readonly onFinish?: (turn: FinishedTurn) => void | Promise<void>
}

export interface FinishedTurn {
  readonly runId: string
  readonly sessionId: string
  /** The person's words. */
  readonly objective: string
  readonly result: AgentResult
}

/** A `ChatTransport` of the AI SDK. */
export interface AgentTransport {
  readonly sendMessages: (options: {
    readonly messages: readonly PageMessage[]
    readonly chatId: string
    readonly abortSignal: AbortSignal | undefined
  }) => Promise<ReadableStream<UIChunk>>
  /** Nothing goes on without its page: always null. */
  readonly reconnectToStream: () => Promise<null>
}

interface Conversation {
  messages?: readonly AgentMessage[]
  /** How long it was before each of the person's messages. */
  readonly before: Map<string, number>
  turn?: { readonly stop: AbortController; readonly over: Promise<void> }
}

/** One run a message; conversations are kept in memory, as the model sees them. */
export function agentTransport(options: AgentTransportOptions): AgentTransport {
  const { dispatcher, sessionId = crypto.randomUUID(), onRunEvent, onFinish, ...loop } = options
  const chats = new Map<string, Conversation>()
  const conversationOf = (chatId: string): Conversation => {
    const known = chats.get(chatId) ?? { before: new Map() }
    chats.set(chatId, known)
    return known
  }
  return {
    async sendMessages({ messages, chatId, abortSignal }) {
      const last = messages.at(-1)
      const asked = last?.role === 'user' ? saidBy(last) : []
      if (!last || asked.length === 0) throw nothingSaid()
      const conversation = conversationOf(chatId)
      const stop = new AbortController()
      let gone = false
      const signal = abortSignal ? AbortSignal.any([stop.signal, abortSignal]) : stop.signal
      // One turn at a time: the one under way ends, and is part of the conversation.
      const turnBefore = conversation.turn
      let end = () => {}
      conversation.turn = { stop, over: new Promise<void>((resolve) => (end = resolve)) }
      turnBefore?.stop.abort(new DOMException('Another message came.', 'AbortError'))
      await turnBefore?.over
      const known = conversation.messages ?? saidBefore(messages.slice(0, -1))
      // A message that is sent anew goes back to where it was.
      const before = known.slice(0, conversation.before.get(last.id))
      conversation.before.set(last.id, before.length)
      return new ReadableStream<UIChunk>({
        async start(controller) {
          const push = (chunk: UIChunk) => {
            if (!gone) controller.enqueue(chunk)
          }
          const ui = uiStream({ push })
          const run = dispatcher.run({
            sessionId,
            onEvent(event) {
              ui.run(event)
              onRunEvent?.(event)
            },
          })
          push({ type: 'start', messageId: crypto.randomUUID() })
          push({ type: 'data-run', id: 'run', data: { runId: run.runId } })
          // Not awaited: a stream gives out nothing before its start has resolved.
          void runAgent({
            ...loop,
            run,
            messages: [...before, ...asked],
            signal,
            onEvent: ui.agent,
          })
            .then((result) => {
              conversation.messages = result.messages
              if (!gone) controller.close()
              const { runId } = run
              Promise.resolve({ runId, sessionId, objective: textOf(last), result })
                .then(onFinish)
                .catch(() => {})
            })
            .catch((error) => controller.error(error))
            .finally(end)
        },
        cancel() {
          gone = true
          stop.abort(new DOMException('Nobody reads the turn any more.', 'AbortError'))
        },
      })
    },
    reconnectToStream: async () => null,
  }
}

function nothingSaid(): DispatchError {
  return new DispatchError(
    'THREEPASS_BAD_OPTION',
    "agentTransport: the last message must be a person's, with a text or a file.",
  )
}
