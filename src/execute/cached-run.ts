/**
 * A cacheable call: a stored answer, an equal call's answer under way, or the tool itself.
 * @module
 */
import { voids } from '../dedupe/resources.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { Flights } from '../result-cache/flights.ts'
import type { CacheEntry } from '../result-cache/store.ts'
import type { ExecuteContext } from './execute.ts'
import type { Rendered } from './render-result.ts'
import { cancelledBeforeStart, didNotRun, type Ran, runToolCall } from './run-tool-call.ts'

/** The result cache as pass 2 uses it. */
export interface CachedRun {
  readonly key: (call: ReadyCall) => Promise<string>
  /** A miss when the store fails. */
  readonly get: (key: string) => Promise<CacheEntry | undefined>
  readonly flights: Flights
  /** Flights that this round leads: pass 3 closes them when the answer is stored. */
  readonly leads: Map<string, () => void>
}

export async function throughCache(
  call: ReadyCall,
  context: ExecuteContext,
  cache: CachedRun,
): Promise<Ran> {
  // A write of this round may have changed what the stored answer, or one under way, has read.
  if (context.writesBegun.some((write) => voids(write, call.access))) {
    return runToolCall(call, context)
  }
  const key = await cache.key(call)
  for (let flight = cache.flights.join(key); flight; flight = cache.flights.join(key)) {
    const shared = await orAbort(flight, context)
    if (context.round.signal.aborted) return cancelledBeforeStart(call, context)
    if (shared) return hit(call, context, shared, 0)
  }
  const lead = cache.flights.lead(key)
  cache.leads.set(key, lead.close)
  const entry = await cache.get(key)
  if (entry) {
    const { content, value, media } = entry
    const stored = {
      text: content,
      isError: false,
      partial: false,
      ...(value !== undefined && { value }),
      ...(media && { media }),
    }
    lead.land(stored)
    return hit(call, context, stored, Math.max(0, context.clock() - entry.storedAt))
  }
  const ran = await runToolCall(call, context)
  const { outcome, text, value, media, partial } = ran
  const shareable = outcome === 'completed' && !partial
  lead.land(
    shareable
      ? {
          text,
          isError: false,
          partial,
          ...(value !== undefined && { value }),
          ...(media && { media }),
        }
      : undefined,
  )
  return { ...ran, cacheKey: key }
}

function hit(call: ReadyCall, context: ExecuteContext, answer: Rendered, ageMs: number): Ran {
  const { text, value, media } = answer
  return {
    ...didNotRun(call, 'cached', 'cached', text, context.tick()),
    ageMs,
    ...(value !== undefined && { value }),
    ...(media && { media }),
  }
}

/** Waits for another round's call, but not longer than this round lives. */
function orAbort<T>(work: Promise<T>, { round }: ExecuteContext): Promise<T | undefined> {
  return new Promise((resolve) => {
    const stop = () => {
      round.running.delete(stop)
      resolve(undefined)
    }
    round.running.add(stop)
    work.then((value) => {
      round.running.delete(stop)
      resolve(value)
    })
  })
}
