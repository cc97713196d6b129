/**
 * Messages of the page (`UIMessage` of the AI SDK) and of the model.
 * @module
 */
import { readUIMessageStream, type UIMessage } from 'ai'
import type { AgentMessage, UIChunk } from '../src/agent/index.ts'

type UserPart = Extract<AgentMessage, { role: 'user' }>['content'][number]

/** What a person says: texts and files; `undefined` when that is nothing. */
export function userMessage({ parts }: UIMessage): AgentMessage | undefined {
  const content = parts.flatMap((part): UserPart[] => {
    if (part.type === 'text')
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    if (part.type !== 'file' || !/^(data:|https?:)/.test(String(part.url))) return []
    const { mediaType, url, filename } = part
    return [{ type: 'file', mediaType, data: url, ...(filename !== undefined && { filename }) }]
  })
  return content.length > 0 ? { role: 'user', content } : undefined
}

/** The same as a list: none or one. */
export function said(message: UIMessage): AgentMessage[] {
  const own = userMessage(message)
  return own ? [own] : []
}

/**
 * A conversation that the page brings along to a chat that has none: what was said, and nothing of what
 * was done. A call or a result that a page tells of never counts.
 */
export function saidBefore(messages: readonly UIMessage[]): AgentMessage[] {
  return messages.flatMap((message): AgentMessage[] => {
    if (message.role === 'user') return said(message)
    const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const spoken = text.trim() !== '' && message.role === 'assistant'
    return spoken ? [{ role: 'assistant', content: [{ type: 'text', text }] }] : []
  })
}

/** The message that chunks make, read as a page reads them. */
export async function assistantMessage(chunks: readonly UIChunk[]): Promise<UIMessage | undefined> {
  const stream = new ReadableStream<UIChunk>({
    start(controller) {
      for (const chunk of chunks) if (chunk.type !== 'error') controller.enqueue(chunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, onError: console.error }))
    last = message
  return last
}

/** An answer that a page sends along with its message. */
export type PageAnswer =
  | {
      readonly kind: 'approval'
      readonly callId: string
      readonly token: string
      readonly approved: boolean
      readonly reason?: string
    }
  | { readonly kind: 'result'; readonly callId: string; readonly output: unknown }
  | { readonly kind: 'error'; readonly callId: string; readonly error: string }

/** Answers to questions, and results of the page's own tools. */
export function answersIn({ parts }: UIMessage): PageAnswer[] {
  return parts.flatMap((part): PageAnswer[] => {
    if (!('toolCallId' in part)) return []
    const { toolCallId: callId, state, providerExecuted } = part
    if (state === 'approval-responded') {
      const { id: token, approved, reason } = part.approval
      return [
        { kind: 'approval', callId, token, approved, ...(reason !== undefined && { reason }) },
      ]
    }
    if (providerExecuted) return []
    if (state === 'output-available') return [{ kind: 'result', callId, output: part.output }]
    return state === 'output-error' ? [{ kind: 'error', callId, error: part.errorText }] : []
  })
}
