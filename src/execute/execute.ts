/**
 * Pass 2: who may run now. Slots for concurrent calls, turns for serial ones, hazards between them all.
 * @module
 */
import type { Clock } from '../clock.ts'
import { conflicts } from '../dedupe/resources.ts'
import type { EventBody } from '../events.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import { isCacheable } from '../result-cache/policy.ts'
import type { Access, JournalEntry } from '../run-state/run-state.ts'
import type { Grants } from '../tools/tool.ts'
import { type CachedRun, throughCache } from './cached-run.ts'
import type { Abortable } from './deadline.ts'
import type { Hints } from './hints.ts'
import type { Asker, Nest, Waiting } from './nesting.ts'
import { fromJournal } from './recover.ts'
import { cancelledBeforeStart, type Ran, runToolCall } from './run-tool-call.ts'
import type { Slots } from './slots.ts'

/** What pass 2 is given beside the calls. */
export interface ExecuteContext {
  readonly runId: string
  readonly sessionId: string
  readonly roundId: string
  readonly run: Waiting
  /** Places of concurrent calls: the round's own, or those of the round that it goes on in. */
  readonly slots: Slots
  /** The call that this round goes on in. */
  readonly within: Nest | undefined
  /** In whose name the rounds inside this one ask people. */
  readonly asker: Asker
  /** A person stopped a round inside this one. */
  readonly onStop: () => void
  readonly timeoutMs: number
  readonly maxStreamBytes: number
  readonly grants: Grants
  /** Asked under a call that fails. */
  readonly hints: Hints | undefined
  readonly clock: Clock
  /** The round's signal and the calls that run under it. */
  readonly round: Abortable
  /** The run's: background calls outlive their round. */
  readonly background: Abortable
  readonly emit: (body: EventBody) => void
  readonly flushEvents: () => Promise<void>
  readonly waitUntil: (work: Promise<unknown>) => void
  /** What this round's calls that have started may write: an answer from before them is not given. */
  readonly writesBegun: Access[]
  /** A write that was given up on, or runs in the background, has ended after all. */
  readonly lateWrite: (access: Access) => void
  /** 1, 2, 3 …: orders starts and ends of this round. */
  readonly tick: () => number
  readonly journal: (entry: JournalEntry, ran?: Ran) => Promise<void>
  /** What the journal of an earlier, broken attempt at this round says, by call id. */
  readonly journaled: ReadonlyMap<string, JournalEntry>
  readonly cache?: CachedRun
  readonly leaveStraggler: (call: ReadyCall, settled: Promise<unknown>) => void
  readonly awaitStragglers: (call: ReadyCall) => Promise<void> | undefined
}

/**
 * Runs the calls and resolves with one `Ran` a call, in call order; never rejects.
 * A call starts when every earlier call that it conflicts with has ended and, for a tool that is not
 * `concurrent`, when the serial call before it has; concurrent calls then take one of the slots, first
 * come first served.
 */
export function execute(calls: readonly ReadyCall[], context: ExecuteContext): Promise<Ran[]> {
  const { slots } = context
  const done: Promise<Ran>[] = []
  let lastSerial = -1
  for (const [position, call] of calls.entries()) {
    const concurrent = isConcurrent(call)
    const { background } = call.registered.tool
    const behind = hazards(calls, position)
    const held = behind.length > 0
    if (!concurrent && lastSerial >= 0 && !behind.includes(lastSerial)) behind.push(lastSerial)
    if (behind.length > 0) {
      const names = behind.map((each) => calls[each]?.id ?? '')
      const reason = held ? 'hazard' : 'turn'
      context.emit({ type: 'tool_call_waiting', callId: call.id, reason, behind: names })
    }
    const go = () => begin(call, context)
    const take = () => {
      if (!concurrent || background) return go()
      if (slots.isFull()) {
        context.emit({ type: 'tool_call_waiting', callId: call.id, reason: 'slot', behind: [] })
      }
      const place = placeFor(call, context)
      const ran = place ? place.then(go) : go()
      return ran.finally(() => slots.leave(call))
    }
    done.push(
      behind.length === 0 ? take() : Promise.all(behind.map((each) => done[each])).then(take),
    )
    if (!concurrent) lastSerial = position
  }
  return Promise.all(done)
}

/** Resolves when the call has a place, or when the round aborts and it needs none. */
function placeFor(call: ReadyCall, { slots, round }: ExecuteContext): Promise<void> | undefined {
  const place = slots.take(call)
  if (!place) return undefined
  const leave = () => slots.leave(call)
  round.running.add(leave)
  if (round.signal.aborted) leave()
  return place.then(() => void round.running.delete(leave))
}

/** Earlier calls that this one must not overlap. */
function hazards(calls: readonly ReadyCall[], position: number): number[] {
  const call = calls[position]
  const found: number[] = []
  if (!call || isFree(call)) return found
  const concurrent = isConcurrent(call)
  for (let earlier = 0; earlier < position; earlier += 1) {
    const other = calls[earlier]
    if (!other || isFree(other)) continue
    const tagged = concurrent && isConcurrent(other)
    if (conflicts(other.access, call.access, tagged)) found.push(earlier)
  }
  return found
}

/** Interactive tools run in turn, tagged or not: a person answers one thing at a time. */
function isConcurrent({ registered: { tool } }: ReadyCall): boolean {
  return tool.concurrent === true && tool.interactive !== true
}

function isFree({ access }: ReadyCall): boolean {
  return !access.opaque && access.reads.length === 0 && access.writes.length === 0
}

async function begin(call: ReadyCall, context: ExecuteContext): Promise<Ran> {
  const waiting = context.awaitStragglers(call)
  if (waiting) await waiting
  if (context.round.signal.aborted) return cancelledBeforeStart(call, context)
  const earlier = fromJournal(call, context)
  if (earlier) return earlier
  const running =
    context.cache && isCacheable(call)
      ? throughCache(call, context, context.cache)
      : runToolCall(call, context)
  if (call.registered.tool.readOnly) return running
  const ran = await running
  if (ran.ran) {
    // The side effect has happened: a journal that fails now must not turn its answer into a failure.
    await context.journal({ callId: call.id, state: 'ended' }, ran).catch(() => {})
  }
  return ran
}
