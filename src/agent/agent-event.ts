/**
 * What the loop reports while it works, and what it ends with.
 * @module
 */
import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { RoundResult } from '../round.ts'

/**
 * A message as the AI SDK's language models take it. In the loop's own lists files are texts: base64, or an
 * `http(s)` address; so the list is plain JSON. Names of tools are the dispatcher's.
 */
export type AgentMessage = LanguageModelV3Message

/** Tokens of all model calls together; a provider that reports none leaves zeros. */
export interface AgentUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Part of `inputTokens`: read from the provider's prompt cache. */
  readonly cachedInputTokens: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number
}

/**
 * Why the loop ended: `answer`; `steps` (the step budget was used up and the model answered without
 * tools); `doom_loop` (the same call failed again and again, likewise); `stopped` (a person stopped the
 * run); `aborted`; `length` and `content_filter` (the provider's word); `error` (the model, or the store
 * of the run, failed).
 */
export type AgentReason =
  | 'answer'
  | 'steps'
  | 'doom_loop'
  | 'stopped'
  | 'aborted'
  | 'length'
  | 'content_filter'
  | 'error'

/** What `runAgent` resolves to, on every path. */
export interface AgentResult {
  readonly reason: AgentReason
  /** The text of the last step; of a failed one as far as it came. */
  readonly text: string
  /** Model calls that were answered. */
  readonly steps: number
  readonly usage: AgentUsage
  /** The conversation so far, for the next turn: every call in it has its result. */
  readonly messages: readonly AgentMessage[]
  /** `error`: what went wrong, for a person; what was thrown is its `cause`. */
  readonly error?: Error
}

/** One event of the loop. What the run reports beside it comes from `run.events` or the run's `onEvent`. */
export type AgentEvent =
  | { readonly type: 'step_start'; readonly step: number }
  /** `id` is unique in its step. */
  | {
      readonly type: 'text_start' | 'text_end' | 'reasoning_start' | 'reasoning_end'
      readonly id: string
    }
  | { readonly type: 'text_delta' | 'reasoning_delta'; readonly id: string; readonly text: string }
  /** A call's arguments begin to arrive: for display only, nothing is checked yet. */
  | { readonly type: 'tool_input_start'; readonly callId: string; readonly name: string }
  | { readonly type: 'tool_input_delta'; readonly callId: string; readonly delta: string }
  | { readonly type: 'source'; readonly id: string; readonly url: string; readonly title?: string }
  /** A file that the model made; `data` is base64. */
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string }
  /** The model is called again: the attempt that failed had given nothing out. */
  | {
      readonly type: 'retry'
      /** 1 for the first repetition. */
      readonly attempt: number
      readonly delayMs: number
      readonly message: string
    }
  | { readonly type: 'round'; readonly round: RoundResult }
  | { readonly type: 'step_end'; readonly step: number; readonly usage: AgentUsage }
  | { readonly type: 'finish'; readonly result: AgentResult }
