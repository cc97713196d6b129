/**
 * The part of the AI SDK's UI message stream that the loop speaks: what `useChat` reads.
 * https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 * @module
 */
import type { RunEvent } from '../events.ts'
import type { Json, Outcome, ToolResult } from '../round.ts'

/** One call of a round, as a data part keeps it. */
export interface RoundCall {
  readonly callId: string
  readonly name: string
  readonly outcome: Outcome
  readonly code: string
  /** Milliseconds that the tool's code took; absent when it did not run. */
  readonly tookMs?: number
}

/** Assignable to the `UIMessageChunk` of `ai`. Tools are dynamic: their types are not known to the page. */
export type UIChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'reasoning-delta'; id: string; delta: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'file'; url: string; mediaType: string }
  | {
      type: 'tool-input-start'
      toolCallId: string
      toolName: string
      dynamic: true
      providerExecuted?: boolean
    }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: Json
      dynamic: true
      /** `true`: nobody in the page is to run it. `false` takes back what a placeholder said. */
      providerExecuted?: boolean
    }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | {
      type: 'tool-output-available'
      toolCallId: string
      output: ToolResult | PendingOutput
      dynamic: true
      providerExecuted?: boolean
      /** The result is in; its round is not done. */
      preliminary?: boolean
    }
  | {
      type: 'tool-output-error'
      toolCallId: string
      errorText: string
      dynamic: true
      providerExecuted?: boolean
    }
  | { type: 'tool-output-denied'; toolCallId: string }
  /** Which run the turn is: a page serves its tools and answers questions there. */
  | { type: 'data-run'; id: string; data: { runId: string } }
  /** A committed round, one a round. */
  | { type: 'data-round'; id: string; data: { roundId: string; calls: readonly RoundCall[] } }
  /** The dispatcher's events as they happen, but for `tool_result`, for a page that draws the passes. */
  | { type: 'data-event'; data: RunEvent; transient: true }
  /** The model is called again after a failure. */
  | {
      type: 'data-retry'
      data: { attempt: number; delayMs: number }
      transient: true
    }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }
  | { type: 'finish-step' }
  | { type: 'finish'; finishReason?: FinishReason; messageMetadata?: Json }

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** What stands for the result of a call that has none yet. */
export interface PendingOutput {
  readonly outcome: 'pending' | Outcome
  readonly content: string
}
