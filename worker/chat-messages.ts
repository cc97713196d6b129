/**
 * Messages of the page (`UIMessage` of the AI SDK) and of the model.
 * @module
 */
import { readUIMessageStream, type UIMessage } from 'ai'
import type { UIChunk } from '../src/agent/index.ts'

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
