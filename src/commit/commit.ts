/**
 * Pass 3: serial, in the model's order, whatever order pass 2 finished in.
 * @module
 */
import type { Clock } from '../clock.ts'
import { voids } from '../dedupe/resources.ts'
import { isDispatchError } from '../errors.ts'
import type { EventBody } from '../events.ts'
import { cacheTimeoutMs } from '../execute/context.ts'
import { inTime } from '../execute/copy.ts'
import { errorText } from '../execute/render-result.ts'
import type { Ran } from '../execute/run-tool-call.ts'
import { lifetimeMs } from '../result-cache/policy.ts'
import type { CacheEntry, CacheStore } from '../result-cache/store.ts'
import type { ToolResult } from '../round.ts'
import type { RoundRecord, RunState, SessionState } from '../run-state/run-state.ts'
import type { RunStore } from '../run-state/store.ts'
import { historyOf, nextState, type RoundFacts, sessionChange } from './next-state.ts'

export interface CommitContext {
  readonly runId: string
  readonly store: RunStore
  readonly state: RunState
  readonly session: SessionState
  readonly digest: string
  readonly cache?: CacheStore
  readonly clock: Clock
  readonly emit: (body: EventBody) => void
}

/** How often a commit that lost against another one is made again on the newer state. */
const mostConflicts = 5

/**
 * Lands a round: results and history, ledger and loaded set, the writes' invalidations, in one
 * transaction; then the result cache; then one `tool_result` event a call, in call order.
 * A store that fails is a `warning`: what ran has run, and its results are not lost to the caller.
 */
export async function commit(
  facts: RoundFacts,
  context: CommitContext,
): Promise<{ state: RunState; record: RoundRecord; saved: boolean }> {
  const record = recordOf(facts, context)
  const { state, saved } = await save(facts, record, context)
  if (context.cache) await writeCache(facts, context.cache, context)
  for (const result of facts.results) {
    context.emit({ type: 'tool_result', callId: result.callId, result: withoutValue(result) })
  }
  context.emit({ type: 'round_end', stopped: record.stopped })
  return { state, record, saved }
}

function recordOf(facts: RoundFacts, { state, digest }: CommitContext): RoundRecord {
  return {
    roundId: facts.roundId,
    index: state.rounds,
    digest,
    status: 'done',
    journal: [],
    results: facts.results,
    history: historyOf(facts.checked, facts.results),
    stopped: state.stopped || facts.decisions.stopped,
  }
}

async function save(
  facts: RoundFacts,
  record: RoundRecord,
  context: CommitContext,
): Promise<{ state: RunState; saved: boolean }> {
  const { store, runId, emit } = context
  const session = sessionChange(facts)
  const generation = await generationAfter(session?.wrote.length ?? 0, context)
  let base = context.state
  for (let attempt = 0; ; attempt += 1) {
    const state = nextState(base, facts, generation)
    const round = { ...record, index: base.rounds }
    try {
      await store.commit(runId, {
        expectedVersion: base.version,
        state,
        round,
        ...(session && { session }),
      })
      return { state, saved: true }
    } catch (error) {
      const conflict = isDispatchError(error) && error.code === 'THREEPASS_STORE_CONFLICT'
      const newer =
        conflict && attempt < mostConflicts
          ? await store.load(runId).catch(() => undefined)
          : undefined
      if (!newer) {
        emit({
          type: 'warning',
          code: 'commit-failed',
          message: `The round was not recorded: ${errorText(error)}`,
        })
        return { state: { ...state, version: base.version }, saved: false }
      }
      base = newer
    }
  }
}

/**
 * The generation that this round's memories count from: with its own writes when nobody else of the
 * session has written meanwhile, else as it was at the start, so that the others' writes void them.
 */
async function generationAfter(own: number, context: CommitContext): Promise<number> {
  const { store, session } = context
  const now = await store.loadSession(session.sessionId).catch(() => undefined)
  const others = (now?.generation ?? session.generation) !== session.generation
  return others ? session.generation : session.generation + own
}

/** Answers worth keeping go into the cache; one that a write of the round may have outdated does not. */
async function writeCache(
  { ran }: RoundFacts,
  cache: CacheStore,
  { clock, emit }: CommitContext,
): Promise<void> {
  for (const each of ran) {
    if (each.cacheKey === undefined || each.outcome !== 'completed' || each.partial) continue
    if (
      ran.some(
        (write) =>
          write !== each &&
          write.ran &&
          write.endTick > each.startTick &&
          voids(write.call.access, each.call.access),
      )
    )
      continue
    try {
      const now = clock()
      const { skipped } = await inTime(
        cache.set(each.cacheKey, entryOf(each, now), now),
        cacheTimeoutMs,
        () => ({ skipped: 'the cache did not answer in time' }),
      )
      if (skipped)
        emit({ type: 'warning', code: 'not-cached', callId: each.call.id, message: skipped })
    } catch (error) {
      emit({
        type: 'warning',
        code: 'cache-failed',
        callId: each.call.id,
        message: errorText(error),
      })
    }
  }
}

function entryOf({ call, text, value, media }: Ran, now: number): CacheEntry {
  return {
    format: 1,
    content: text,
    ...(value !== undefined && { value }),
    ...(media && { media }),
    storedAt: now,
    expiresAt: now + lifetimeMs(call.registered.tool),
  }
}

/** Events are kept for the whole run: the structured value stays in the round's record alone. */
function withoutValue(result: ToolResult): ToolResult {
  if (result.value === undefined && result.media === undefined) return result
  const { value: _value, media: _media, ...rest } = result
  return rest
}
