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

/** What is read of a tool's part; it comes from outside, so a member may be anything. */
interface ToolPart {
  readonly toolCallId?: unknown
  readonly state?: unknown
  readonly providerExecuted?: unknown
  readonly output?: unknown
  readonly errorText?: unknown
  readonly approval?: {
    readonly id?: unknown
    readonly approved?: unknown
    readonly reason?: unknown
  }
}

/** Answers to questions, and results of the page's own tools. */
export function answersIn({ parts }: UIMessage): PageAnswer[] {
  return (parts as readonly ToolPart[]).flatMap((part): PageAnswer[] => {
    const { toolCallId: callId, state, providerExecuted, output, errorText } = part
    if (typeof callId !== 'string') return []
    if (state === 'approval-responded') return approvalIn(callId, part)
    if (providerExecuted === true) return []
    if (state === 'output-available') return [{ kind: 'result', callId, output }]
    return state === 'output-error' ? [{ kind: 'error', callId, error: String(errorText) }] : []
  })
}

/** Only a plain yes approves. */
function approvalIn(callId: string, { approval }: ToolPart): PageAnswer[] {
  const { id: token, approved, reason } = approval ?? {}
  if (typeof token !== 'string') return []
  const why = typeof reason === 'string' ? { reason } : {}
  return [{ kind: 'approval', callId, token, approved: approved === true, ...why }]
}
