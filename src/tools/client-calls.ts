/**
 * Client tools on the server's side: a call goes out to the pages of its run, one of them takes it under
 * a lease, and the first valid answer is its result.
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import { canonicalJson } from '../dedupe/call-key.ts'
import { DispatchError } from '../errors.ts'
import type { Json, JsonObject } from '../round.ts'
import { memoryRecords, type RecordStore } from '../run-state/records.ts'
import { createTurns } from '../turns.ts'
import type { ClientToolDefinition } from './client-tools.ts'
import type { AnyTool, ToolContext } from './tool.ts'

/** While it lasts, only its owner may answer. */
export interface Lease {
  /** The page's own name for itself. */
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A call that waits for a page. */
export interface PendingClientCall {
  /** Names this one execution: a lease or an answer must bring it. */
  readonly key: string
  readonly runId: string
  readonly callId: string
  readonly name: string
  readonly arguments: JsonObject
  readonly lease?: Lease
}

/** What a page's tool came to. */
export type ClientAnswer = { readonly result: Json } | { readonly error: string }

/** What is kept of a call. */
export interface ClientCallRecord {
  readonly runId: string
  readonly callId: string
  readonly lease?: Lease
  /** `lost`: its page went away in the middle of a call that may have had an effect. */
  readonly answer?: ClientAnswer | 'lost'
}

/** `held`: another page has it. `over`: nobody waits for it any more. `unknown`: there is no such call. */
export type LeaseOutcome =
  | { readonly receipt: 'taken' | 'held'; readonly lease: Lease }
  | { readonly receipt: 'over' | 'unknown' }

/** `repeated`: the same answer once more. `conflict`: another answer was first, or another page holds it. */
export type ClientAnswerReceipt = 'taken' | 'repeated' | 'conflict' | 'over' | 'unknown'

export interface ClientCalls {
  /** Tools for `createDispatcher` that stand for the page's. */
  readonly tools: (definitions: readonly ClientToolDefinition[]) => AnyTool[]
  /**
   * For a server's own tool that is answered out there (`remote`): puts the call before the pages and
   * waits. `readOnly`: a page that goes away in the middle has done no harm, and another may take it.
   */
  readonly ask: (
    call: { readonly name: string; readonly readOnly?: boolean },
    args: JsonObject,
    context: ToolContext,
  ) => Promise<Json>
  /** What waits for a page now, oldest first. */
  readonly pending: () => readonly PendingClientCall[]
  /** Takes a call, or prolongs one's own lease of it. */
  readonly lease: (key: string, owner: string) => Promise<LeaseOutcome>
  /** Gives a lease back before it ends: as if it had ended. */
  readonly release: (key: string, owner: string) => Promise<LeaseOutcome>
  /** Gives a call's result; without an `owner` only while no page holds it. */
  readonly answer: (
    key: string,
    answer: ClientAnswer,
    owner?: string,
  ) => Promise<ClientAnswerReceipt>
}

export interface ClientCallOptions {
  /** Milliseconds a lease lasts unless it is prolonged; default 30,000, at least 1. */
  readonly leaseMs?: number
  /** Where calls outlive the process; default: in memory. */
  readonly store?: RecordStore<ClientCallRecord>
  readonly clock?: Clock
  /** Called when a call begins or ceases to wait. */
  readonly onChange?: () => void
}

interface Open {
  readonly call: PendingClientCall
  record: ClientCallRecord
  /** The round has given it up: an answer is news only. */
  over: boolean
  readonly readOnly: boolean
  readonly progress: ToolContext['progress']
  readonly settle: (answer: ClientAnswer | 'lost') => void
  timer?: ReturnType<typeof setTimeout>
}

/** How long an answer is remembered, to tell a repeat from a conflict. */
const rememberMs = 86_400_000
/** Calls that were given up on and whose late answer is still told. */
const mostGivenUp = 100

export function clientCalls(options: ClientCallOptions = {}): ClientCalls {
  const { leaseMs = 30_000, store = memoryRecords(), clock = systemClock, onChange } = options
  const open = new Map<string, Open>()
  const givenUp = new Map<string, Open>()
  /** Answers and leases of one call go one after another. */
  const inTurn = createTurns()

  const save = async (key: string, record: ClientCallRecord) => {
    const now = clock()
    await store.save(key, record, { now, forgetAt: now + rememberMs })
  }

  const close = (key: string) => {
    const call = open.get(key)
    if (!call) return
    stopTimer(call)
    open.delete(key)
    onChange?.()
  }

  const giveUp = (key: string) => {
    const call = open.get(key)
    if (!call) return
    call.over = true
    givenUp.set(key, call)
    const [oldest] = givenUp.keys()
    if (givenUp.size > mostGivenUp && oldest !== undefined) givenUp.delete(oldest)
    close(key)
  }

  const settle = async (key: string, call: Open, answer: ClientAnswer | 'lost') => {
    const { lease: _lease, ...rest } = call.record
    call.record = { ...rest, answer }
    await save(key, call.record)
    close(key)
    call.settle(answer)
  }

  /** A lost owner's lease passes on, unless what it began may have had an effect. */
  const passOn = async (key: string, call: Open) => {
    if (!call.readOnly) return settle(key, call, 'lost')
    const { lease: _lease, ...free } = call.record
    call.record = free
    await save(key, free)
    call.progress({ lease: null })
    onChange?.()
  }

  const watch = (key: string, call: Open) => {
    stopTimer(call)
    const { lease } = call.record
    if (!lease) return
    const expire = () =>
      inTurn(key, async () => {
        if (open.get(key) !== call || call.record.lease?.expiresAt !== lease.expiresAt) return
        await passOn(key, call)
      }).catch(() => {})
    call.timer = setTimeout(expire, Math.max(0, lease.expiresAt - clock()))
  }

  const ask: ClientCalls['ask'] = async ({ name, readOnly }, args, context) => {
    const { idempotencyKey: key, runId, callId, signal, progress } = context
    const stored = await store.load(key)
    if (stored?.answer) return outcomeOf(name, stored.answer)
    return new Promise((resolve, reject) => {
      const record = stored ?? { runId, callId }
      const call: Open = {
        call: { key, runId, callId, name, arguments: args },
        record,
        over: false,
        readOnly: readOnly === true,
        progress,
        settle: (answer) => {
          try {
            resolve(outcomeOf(name, answer))
          } catch (error) {
            reject(error)
          }
        },
      }
      open.set(key, call)
      watch(key, call)
      signal.addEventListener('abort', () => giveUp(key), { once: true })
      if (signal.aborted) giveUp(key)
      onChange?.()
    })
  }

  return {
    tools: (definitions) =>
      definitions.map((definition) => ({
        ...definition,
        origin: 'client',
        trust: 'external',
        // Run again after a crash it finds its record, and whoever was at it.
        idempotent: true,
        remote: true,
        execute: (args: JsonObject, context: ToolContext) => ask(definition, args, context),
      })),
    ask,
    pending: () =>
      [...open.values()].map(({ call, record }) => ({
        ...call,
        ...(record.lease && { lease: record.lease }),
      })),
    lease: (key, owner) =>
      inTurn(key, async (): Promise<LeaseOutcome> => {
        const call = open.get(key)
        if (!call)
          return { receipt: (await store.load(key)) || givenUp.has(key) ? 'over' : 'unknown' }
        const held = call.record.lease
        if (held && held.owner !== owner && held.expiresAt > clock()) {
          return { receipt: 'held', lease: held }
        }
        const lease = { owner, expiresAt: clock() + leaseMs }
        call.record = { ...call.record, lease }
        await save(key, call.record)
        if (open.get(key) !== call) return { receipt: 'over' }
        if (held?.owner !== owner) call.progress({ lease: { ...lease } })
        watch(key, call)
        return { receipt: 'taken', lease }
      }),
    release: (key, owner) =>
      inTurn(key, async (): Promise<LeaseOutcome> => {
        const call = open.get(key)
        const lease = call?.record.lease
        if (!call || lease?.owner !== owner) return { receipt: 'over' }
        stopTimer(call)
        await passOn(key, call)
        return { receipt: 'taken', lease }
      }),
    answer: (key, answer, owner) =>
      inTurn(key, async (): Promise<ClientAnswerReceipt> => {
        const call = open.get(key)
        if (!call) return late(key, answer)
        const held = call.record.lease
        if (held && held.owner !== owner && held.expiresAt > clock()) return 'conflict'
        await settle(key, call, answer)
        return call.over ? 'over' : 'taken'
      }),
  }

  async function late(key: string, answer: ClientAnswer): Promise<ClientAnswerReceipt> {
    const given = givenUp.get(key)
    givenUp.delete(key)
    // Told as an event; the result that the model has read stands.
    given?.settle(answer)
    if (given) return 'over'
    const record = await store.load(key)
    if (!record) return 'unknown'
    if (!record.answer || record.answer === 'lost') return 'over'
    return canonicalJson(record.answer as JsonObject) === canonicalJson(answer as JsonObject)
      ? 'repeated'
      : 'conflict'
  }
}

function stopTimer({ timer }: Open): void {
  if (timer !== undefined) clearTimeout(timer)
}

function outcomeOf(name: string, answer: ClientAnswer | 'lost'): Json {
  if (answer === 'lost') {
    throw new DispatchError(
      'THREEPASS_INTERRUPTED',
      `The page that ran ${name} went away before it answered. It may have happened: check before you repeat it.`,
    )
  }
  if ('error' in answer) throw new Error(answer.error)
  return answer.result
}
