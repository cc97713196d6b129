/**
 * A run's events: numbered, given to listeners at once, kept in the store, read again from any point.
 * @module
 */
import type { Clock } from '../clock.ts'
import type { EventBody, EventListener, RunEvent } from '../events.ts'
import type { RunStore } from './store.ts'

/** How to read a run's events. */
export interface ReadEvents {
  /** Only events with a higher `seq`; default 0: all. */
  readonly after?: number
  /** `true` (default): go on with what happens next, until `signal` aborts. `false`: end after what there is. */
  readonly follow?: boolean
  readonly signal?: AbortSignal
}

export interface EventLog {
  readonly emit: (roundId: string, body: EventBody) => void
  /** Resolves when all that was emitted so far is in the store. Never rejects. */
  readonly flush: () => Promise<void>
  readonly listen: (listener: EventListener) => () => void
  /** Somebody follows the events: the run stays open. */
  readonly isFollowed: () => boolean
  readonly read: (options?: ReadEvents) => AsyncGenerator<RunEvent, void, void>
}

const pageSize = 500
const listenerFailed = 'listener-failed'

export function createEventLog(
  runId: string,
  store: RunStore,
  clock: Clock,
  lastSeq: number,
  first: readonly EventListener[],
): EventLog {
  const listeners = new Set<EventListener>(first)
  let seq = lastSeq
  let pending: RunEvent[] = []
  let writing: Promise<void> = Promise.resolve()
  let reporting = false
  let followers = 0

  const emit = (roundId: string, body: EventBody) => {
    seq += 1
    const event = { seq, runId, roundId, at: clock(), ...body }
    if (pending.push(event) === 1) writing = writing.then(write)
    for (const listener of listeners) tell(listener, event)
  }

  /** One write for all that came up to now: events of one burst go together. */
  const write = async () => {
    const events = pending
    pending = []
    // A log that cannot be written must not break the round; listeners have had the events.
    await store.appendEvents(runId, events).catch(() => {})
  }

  const tell = (listener: EventListener, event: RunEvent) => {
    try {
      const returned: unknown = listener(event)
      if (returned instanceof Promise) returned.catch(() => failed(event))
    } catch {
      failed(event)
    }
  }

  /** A listener that throws is reported, once per failure and not about the report itself. */
  const failed = (event: RunEvent) => {
    // A report that its own listener throws at would be reported for ever.
    if (reporting || (event.type === 'warning' && event.code === listenerFailed)) return
    reporting = true
    emit(event.roundId, {
      type: 'warning',
      code: listenerFailed,
      message: 'An event listener threw.',
    })
    reporting = false
  }

  const flush = () => writing

  async function* read({ after = 0, follow = true, signal }: ReadEvents = {}) {
    let last = after
    let wake = () => {}
    followers += 1
    const stop = follow ? add(() => wake()) : () => {}
    const onAbort = () => wake()
    signal?.addEventListener('abort', onAbort)
    try {
      while (!signal?.aborted) {
        // Made before the look into the store, so that nothing can happen unseen between the two.
        const next = new Promise<void>((resolve) => {
          wake = resolve
        })
        await flush()
        const page = await store.events(runId, last, pageSize)
        for (const event of page) {
          last = event.seq
          yield event
        }
        if (page.length > 0) continue
        if (!follow) return
        if (!signal?.aborted) await next
      }
    } finally {
      followers -= 1
      stop()
      signal?.removeEventListener('abort', onAbort)
    }
  }

  const add = (listener: EventListener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  return { emit, flush, listen: add, isFollowed: () => followers > 0, read }
}
