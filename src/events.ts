/**
 * What a run reports while it works: one typed union, numbered in order.
 * @module
 */
import type { Coercion, Json, JsonObject, Outcome, ToolResult } from './round.ts'

interface Stamp {
  /** 1, 2, 3 … within the run; a stream that reconnects names the last one it saw. */
  readonly seq: number
  readonly runId: string
  readonly roundId: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One question put before a person. */
export interface ApprovalQuestion {
  readonly callId: string
  /** What an answer from outside must bring. */
  readonly token: string
  readonly name: string
  readonly arguments: JsonObject
  /** What the tool's maker says of this call: where it goes. */
  readonly tells?: string
}

/** The events without their stamp: what the passes hand to `emit`. */
export type EventBody =
  | { readonly type: 'round_start'; readonly calls: number }
  | {
      readonly type: 'tool_call'
      readonly callId: string
      readonly name: string
      readonly arguments: Json
      /** The raw text, when it could not be read as an object. */
      readonly raw?: string
      readonly repaired?: readonly string[]
      readonly coerced?: readonly Coercion[]
      /** Pass 1's answer, when the call will not run. */
      readonly decided?: Outcome
    }
  | { readonly type: 'tool_skipped'; readonly callId: string; readonly reason: string }
  | { readonly type: 'approval_requested'; readonly questions: readonly ApprovalQuestion[] }
  | {
      readonly type: 'approval_answered'
      readonly callId: string
      /** The answer's, or `covered`: the allow rule of a sibling's answer speaks for this call. */
      readonly decision: string
      readonly reason?: string
    }
  | {
      /** A page's tool starts, or another that is answered outside; it comes before the call's `tool_call_start`. */
      readonly type: 'client_tool_call'
      readonly callId: string
      readonly name: string
      readonly arguments: JsonObject
      /** Names this one execution: an answer from a page must bring it. */
      readonly key: string
    }
  | {
      readonly type: 'tool_call_waiting'
      readonly callId: string
      /** `slot`: all places are taken; `turn`: an earlier serial call; `hazard`: an earlier call touches the same resource. */
      readonly reason: 'slot' | 'turn' | 'hazard'
      /** The calls it waits for, when the reason is `turn` or `hazard`. */
      readonly behind: readonly string[]
    }
  | { readonly type: 'tool_call_start'; readonly callId: string }
  | { readonly type: 'tool_call_progress'; readonly callId: string; readonly value: Json }
  | { readonly type: 'tool_call_text'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool_call_end'
      readonly callId: string
      readonly outcome: Outcome
      /** The beginning of what it gave, seen before the round is committed; at most 2,000 characters. */
      readonly content: string
    }
  /** A call that was given up on (time-out, abort) settled after all. Its result stands; this is news only. */
  | {
      readonly type: 'tool_call_late'
      readonly callId: string
      readonly outcome: 'completed' | 'failed'
      readonly content: string
    }
  | { readonly type: 'tool_result'; readonly callId: string; readonly result: ToolResult }
  | { readonly type: 'todo_update'; readonly callId: string; readonly todos: Json }
  /** A port failed or something was left out; the round is unharmed. */
  | {
      readonly type: 'warning'
      readonly code: string
      readonly message: string
      readonly callId?: string
    }
  | { readonly type: 'round_end'; readonly stopped: boolean }

/** One event of a run. */
export type RunEvent = EventBody & Stamp

/** Receives events as they happen. What it throws is swallowed: a listener never changes a round. */
export type EventListener = (event: RunEvent) => void
