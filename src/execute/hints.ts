/**
 * A line under a failed result, from whoever remembers such failures.
 * @module
 */
import { inTime } from './copy.ts'
import { wellFormed } from './text.ts'

/** A call that ended `failed` or `timed_out`. */
export interface Failure {
  readonly tool: string
  /** The text of its result. */
  readonly message: string
  readonly sessionId: string
}

/** Gives what the model is told beside the failure, or nothing. */
export type Hints = (failure: Failure) => Promise<string | undefined> | string | undefined

const hintTimeoutMs = 1_000
const longestHint = 4_000

/** Never rejects, and never holds a result for long. */
export async function hintFor(hints: Hints, failure: Failure): Promise<string> {
  try {
    const hint = await inTime(Promise.resolve(hints(failure)), hintTimeoutMs, () => undefined)
    return typeof hint === 'string' && hint !== ''
      ? `\n${wellFormed(hint.slice(0, longestHint))}`
      : ''
  } catch {
    return ''
  }
}
