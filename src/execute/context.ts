/**
 * What pass 2 is given for one round.
 * @module
 */
import { fromRan } from '../commit/record.ts'
import type { PendingRound } from '../dispatch-round.ts'
import type { Engine } from '../engine.ts'
import type { EventBody } from '../events.ts'
import { cacheKey } from '../result-cache/policy.ts'
import type { OpenRun } from '../run.ts'
import type { JournalEntry } from '../run-state/run-state.ts'
import type { CachedRun } from './cached-run.ts'
import { inTime } from './copy.ts'
import type { Abortable } from './deadline.ts'
import type { ExecuteContext } from './execute.ts'
import { askerIn } from './nesting.ts'
import { errorText } from './render-result.ts'
import { createSlots } from './slots.ts'

export function executeContext(
  round: PendingRound,
  run: OpenRun,
  engine: Engine,
  signals: Abortable,
  leads: Map<string, () => void>,
  emit: (body: EventBody) => void,
  onStop: () => void,
): ExecuteContext {
  const { options } = engine
  const { within } = round
  const cache = cachedRun(round, engine, leads, emit)
  let ticks = 0
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    roundId: round.roundId,
    run,
    slots: within?.context.slots ?? createSlots(options.maxConcurrent),
    asker: within ? askerIn(within) : { runId: run.runId, roundId: round.roundId, prefix: '' },
    within,
    onStop,
    timeoutMs: options.timeoutMs,
    maxStreamBytes: options.maxStreamBytes,
    grants: options.grants,
    hints: options.hints,
    clock: engine.clock,
    round: signals,
    background: run.background,
    emit,
    flushEvents: run.log.flush,
    waitUntil: engine.waitUntil,
    writesBegun: [],
    lateWrite: run.lateWrite,
    tick: () => {
      ticks += 1
      return ticks
    },
    journal: (entry, ran) =>
      engine.store.journal(
        run.runId,
        round.roundId,
        ran ? { ...entry, result: fromRan(ran) } : entry,
      ),
    journaled: lastEntries(round.broken?.journal ?? []),
    ...(cache && { cache }),
    leaveStraggler: run.stragglers.leave,
    awaitStragglers: (call) => run.stragglers.wait(call.access, round.signal),
  }
}

/** A store that does not answer must not hold a call: it is a miss. */
export const cacheTimeoutMs = 2_000

function cachedRun(
  { session }: PendingRound,
  { cache, flights, clock, options }: Engine,
  leads: Map<string, () => void>,
  emit: (body: EventBody) => void,
): CachedRun | undefined {
  if (!cache) return undefined
  return {
    key: (call) => cacheKey(call, options.cacheNamespace, session),
    async get(key) {
      try {
        return await inTime(cache.get(key, clock()), cacheTimeoutMs, () => {
          emit({
            type: 'warning',
            code: 'cache-slow',
            message: 'The cache did not answer in time.',
          })
          return undefined
        })
      } catch (error) {
        emit({ type: 'warning', code: 'cache-failed', message: errorText(error) })
        return undefined
      }
    },
    flights,
    leads,
  }
}

/** `ended` comes after `started`, so the last entry of a call says most. */
function lastEntries(journal: readonly JournalEntry[]): Map<string, JournalEntry> {
  return new Map(journal.map((entry) => [entry.callId, entry]))
}
