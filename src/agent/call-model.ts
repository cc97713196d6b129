/**
 * One model call: streamed, and made again after a passing failure as long as nothing was given out.
 * @module
 */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type { AgentEvent } from './agent-event.ts'
import type { AnswerReader, ModelAnswer } from './read-answer.ts'

export interface RetryOptions {
  /** Repetitions after the first attempt. */
  readonly maxRetries: number
  /** Milliseconds before the first repetition; doubled for each further one. */
  readonly retryBaseMs: number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

export type ModelReply =
  | { readonly ok: true; readonly answer: ModelAnswer }
  /** With the answer as far as it came. */
  | { readonly ok: false; readonly error: unknown; readonly answer: ModelAnswer }

/** Never rejects. */
export async function callModel(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions & { readonly abortSignal: AbortSignal },
  newReader: () => AnswerReader,
  retries: RetryOptions,
  tell: (event: AgentEvent) => void,
): Promise<ModelReply> {
  const { abortSignal: signal } = options
  for (let attempt = 1; ; attempt += 1) {
    const reader = newReader()
    try {
      signal.throwIfAborted()
      const { stream } = await orAborted(model.doStream(options), signal)
      for await (const part of partsOf(stream, signal)) reader.push(part)
      if (!reader.finished()) throw new BrokenStream()
      return { ok: true, answer: reader.answer() }
    } catch (error) {
      const again = !reader.given() && attempt <= retries.maxRetries && isPassing(error)
      if (signal.aborted || !again) return { ok: false, error, answer: reader.answer() }
      const delayMs = delayOf(error, attempt, retries)
      tell({ type: 'retry', attempt, delayMs, message: messageOf(error) })
      // An abort while it waits is found at the next attempt.
      await retries.sleep(delayMs, signal).catch(() => {})
    }
  }
}

class BrokenStream extends Error {
  override name = 'BrokenStream'
  readonly isRetryable = true
  constructor() {
    super("The model's answer broke off before its end.")
  }
}

/** The parts; ends with the signal also when the model does not look at it. */
async function* partsOf(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV3StreamPart, void, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal)
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a source that never settles must not hold the turn up.
    reader.cancel(signal.reason).catch(() => {})
  }
}

/** The promise, or the signal's reason when that comes first. */
function orAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    promise.then(resolve, reject)
    const off = () => signal.removeEventListener('abort', onAbort)
    promise.then(off, off)
  })
}

/** The AI SDK's errors say it themselves; a stream's own error object may name what Anthropic calls overload. */
function isPassing(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { isRetryable, type } = error as { isRetryable?: unknown; type?: unknown }
  if (typeof isRetryable === 'boolean') return isRetryable
  return type === 'overloaded_error' || type === 'api_error' || error instanceof TypeError
}

const longestDelayMs = 60_000

/** What the provider asks for, when it is bearable; else base · 2^n, of which half is left to chance. */
function delayOf(error: unknown, attempt: number, { retryBaseMs, random }: RetryOptions): number {
  const asked = retryAfterMs(error)
  if (asked !== undefined && asked <= longestDelayMs) return asked
  const full = Math.min(retryBaseMs * 2 ** (attempt - 1), longestDelayMs)
  return Math.round(full * (0.5 + random() / 2))
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfterMs(error: unknown): number | undefined {
  const { responseHeaders: headers } = error as { responseHeaders?: Record<string, string> }
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const after = headers?.['retry-after']
  if (!after) return undefined
  const seconds = Number(after)
  const ms = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Text of whatever a model threw; a provider's own error object may hold it deeper. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  if (typeof error === 'object' && error !== null) {
    const { message, error: inner } = error as { message?: unknown; error?: unknown }
    if (typeof message === 'string') return message
    const { message: deeper } = Object(inner) as { message?: unknown }
    if (typeof deeper === 'string') return deeper
    if (typeof inner === 'string') return inner
  }
  return typeof error === 'string' ? error : 'The model failed.'
}
