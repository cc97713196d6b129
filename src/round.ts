/**
 * The data that flows through the three passes: a call comes in, a result goes out.
 * Nothing here imports anything, so every other module may import this one.
 * @module
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
/** A JSON object. */
export interface JsonObject {
  [key: string]: Json
}

/** One request of the model, as the provider delivered it. */
export interface ToolCall {
  /** The provider's call id. Missing, empty or repeated ids get a fresh one, reported on the result. */
  readonly id?: string | null | undefined
  readonly name: string
  /** JSON text or an already parsed object. Absent, `null` and blank text mean `{}`. */
  readonly arguments?: unknown
}

/** What became of a call. `completed`, `duplicate` and `cached` carry a tool's answer; the rest say why there is none. */
export type Outcome =
  | 'completed'
  | 'failed'
  | 'duplicate'
  | 'cached'
  | 'refused'
  | 'schema'
  | 'unknown'
  | 'denied'
  | 'invalid'
  | 'cancelled'
  | 'timed_out'
  | 'interrupted'

/** Bytes that a tool returned beside its text: an image, audio, a file. `data` is base64. */
export interface MediaPart {
  readonly type: 'image' | 'audio' | 'file'
  readonly mimeType: string
  readonly data?: string
  readonly url?: string
  readonly name?: string
}

/** One safe change of a value that the schema refused (see `validate`). */
export interface Coercion {
  /** JSON pointer of the value, `''` for the whole arguments. */
  readonly path: string
  readonly from: string
  readonly to: string
}

/** How much of a result's text the model was not given. */
export interface Truncation {
  /** UTF-8 bytes of the whole text. */
  readonly totalBytes: number
  /** UTF-8 bytes that were left out of `content`. */
  readonly omittedBytes: number
}

/** The one result that every call of a round gets, on every path. */
export interface ToolResult {
  /** The call's id: the provider's own, or the fresh one it was given. */
  readonly callId: string
  /** The id as the provider sent it, when it had to be replaced; `null` when it sent none. */
  readonly originalId?: string | null
  /** The tool's name after clean-up and unwrapping. */
  readonly name: string
  readonly outcome: Outcome
  /** Stable kebab-case reason, finer than the outcome: switch on this, not on the text. */
  readonly code: string
  /** What the model reads. Well-formed text, bounded, never empty. */
  readonly content: string
  /** The tool's structured answer, when it had one. */
  readonly value?: Json
  readonly media?: readonly MediaPart[]
  /** How the argument text was repaired before it could be read. */
  readonly repaired?: readonly string[]
  readonly coerced?: readonly Coercion[]
  /** A person changed the arguments before approving; these ran. */
  readonly editedArguments?: JsonObject
  /** `duplicate`: the call whose result this is. */
  readonly duplicateOf?: string
  /** `cached`: age of the cached answer, in milliseconds. */
  readonly ageMs?: number
  readonly truncated?: Truncation
  /** Milliseconds since the epoch; absent when the tool did not run. */
  readonly startedAt?: number
  readonly endedAt?: number
}

/** What `run.dispatch` resolves to. */
export interface RoundResult {
  readonly roundId: string
  /** One a call, in call order. */
  readonly results: readonly ToolResult[]
  /** A person asked to stop the run: no further round of it will run anything. */
  readonly stopped: boolean
}

/** True for the outcomes that carry a tool's answer. */
export function isAnswer(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'duplicate' || outcome === 'cached'
}
