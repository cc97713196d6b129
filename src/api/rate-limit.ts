/**
 * A token bucket: so many calls at once, and as many again in the time of the limit.
 * @module
 */
import type { Clock } from '../clock.ts'
import type { RateLimit } from './definition.ts'

/** Takes a place. `undefined`: go; otherwise the whole seconds until there is one. */
export type Bucket = () => number | undefined

export function createBucket({ calls, per_seconds: seconds }: RateLimit, clock: Clock): Bucket {
  const perMs = calls / (seconds * 1_000)
  let tokens = calls
  let at = clock()
  return () => {
    const now = clock()
    // A clock that was put back gives nothing.
    tokens = Math.min(calls, tokens + Math.max(0, now - at) * perMs)
    at = now
    if (tokens < 1) return Math.ceil((1 - tokens) / perMs / 1_000)
    tokens -= 1
    return undefined
  }
}
