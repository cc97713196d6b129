/**
 * Rounds under way in a session's object: which of them wait for a person or a page and for nothing
 * else, and which a restart broke off.
 * @module
 */
import type {
  ClientCalls,
  PromptApprover,
  RoundResult,
  Run,
  RunEvent,
  ToolCall,
} from '../src/index.ts'
import { type Changes, createChanges } from './changes.ts'

export interface AskedRound {
  readonly roundId: string
  readonly calls: readonly ToolCall[]
  readonly finishReason?: string
  /** Its client, or the next one, answers questions. */
  readonly asks: boolean
  readonly signal?: AbortSignal
}

export interface LiveRounds {
  /** Dispatches, and goes on whoever goes away; the same round joins. */
  readonly start: (run: Run, round: AskedRound) => Promise<RoundResult>
  /** True while questions of this round may be put. */
  readonly asks: (runId: string, roundId: string) => boolean
  /** Resolves when the run waits for people or pages and for nothing else, or is at rest. */
  readonly suspended: (runId: string) => Promise<void>
  /** Resolves when the run has a round that waits for people or pages and for nothing else, or when `over` holds. */
  readonly waits: (runId: string, over: () => boolean) => Promise<void>
  /** Resolves when the run asks, executes, or has nothing under way. */
  readonly settled: (runId: string) => Promise<void>
  /** Resolves when every round is done or suspended. */
  readonly quiet: () => Promise<void>
  /** Takes up what a restart broke off; resolves when all of it is done, asks, or executes. */
  readonly revive: (open: (runId: string) => Run) => Promise<void>
  /** A round of the run is under way. */
  readonly isLive: (runId: string) => boolean
  readonly runIds: () => readonly string[]
  readonly hear: (event: RunEvent) => void
  readonly changes: Changes
}

export interface LiveParts {
  readonly kv: SyncKvStorage
  readonly prompt: PromptApprover
  readonly calls: ClientCalls
  readonly waitUntil: (work: Promise<unknown>) => void
}

interface LiveRun {
  rounds: number
  /** Calls whose code runs now. */
  readonly running: Set<string>
}

const prefix = 'round:'

export function liveRounds({ kv, prompt, calls, waitUntil }: LiveParts): LiveRounds {
  const live = new Map<string, LiveRun>()
  const asking = new Map<string, number>()
  const changes = createChanges()

  const start = async (run: Run, round: AskedRound): Promise<RoundResult> => {
    const { runId } = run
    const key = roundKey(runId, round.roundId)
    const own = live.get(runId) ?? { rounds: 0, running: new Set() }
    live.set(runId, own)
    own.rounds += 1
    changes.notify()
    if (round.asks) {
      asking.set(key, (asking.get(key) ?? 0) + 1)
      kv.put(prefix + key, true)
    }
    const { asks: _asks, calls: asked, ...options } = round
    const done = run.dispatch(asked, options).finally(() => {
      own.rounds -= 1
      if (own.rounds === 0) live.delete(runId)
      if (round.asks) release(key)
      changes.notify()
    })
    waitUntil(done.catch(() => {}))
    return done
  }

  const release = (key: string) => {
    const left = (asking.get(key) ?? 1) - 1
    if (left > 0) return asking.set(key, left)
    asking.delete(key)
    kv.delete(prefix + key)
  }

  const hear = (event: RunEvent) => {
    const running = live.get(event.runId)?.running
    if (event.type === 'tool_call_start') running?.add(event.callId)
    else if (event.type === 'tool_call_end') running?.delete(event.callId)
    else if (event.type === 'round_end') running?.clear()
    else return
    changes.notify()
  }

  const waitsForPage = (runId: string, callId: string) =>
    calls.pending().some((each) => each.runId === runId && each.callId === callId)
  const asked = (runId: string) => prompt.pending().some((each) => each.runId === runId)
  const isSuspended = (runId: string) => {
    if (asked(runId)) return true
    const running = [...(live.get(runId)?.running ?? [])]
    return running.length > 0 && running.every((callId) => waitsForPage(runId, callId))
  }
  /** Between the end of one call and the start of the next something may only look so. */
  const lastingly = async (holds: () => boolean) => {
    do {
      await changes.until(holds)
      await new Promise((resolve) => setTimeout(resolve, 0))
    } while (!holds())
  }

  const settled = (runId: string) =>
    changes.until(
      () => !live.has(runId) || asked(runId) || (live.get(runId)?.running.size ?? 0) > 0,
    )

  return {
    start,
    asks: (runId, roundId) => asking.has(roundKey(runId, roundId)),
    suspended: (runId) => lastingly(() => !live.has(runId) || isSuspended(runId)),
    waits: (runId, over) => lastingly(() => over() || (live.has(runId) && isSuspended(runId))),
    settled,
    isLive: (runId) => live.has(runId),
    runIds: () => [...live.keys()],
    hear,
    changes,
    quiet: () => changes.until(() => [...live.keys()].every(isSuspended)),
    async revive(open) {
      const kept = [...kv.list({ prefix })].map(([key]) => key.slice(prefix.length))
      await Promise.all(kept.map((key) => reviveRound(key, open)))
    },
  }

  async function reviveRound(key: string, open: (runId: string) => Run): Promise<void> {
    const [runId = '', roundId = ''] = key.split('\n')
    const run = open(runId)
    const round = (await run.unfinished()).find((each) => each.roundId === roundId)
    if (!round) {
      if (!asking.has(key)) kv.delete(prefix + key)
      return
    }
    start(run, { ...round, asks: true }).catch(() => {})
    await settled(runId)
  }
}

/** Round ids are the client's, so they are unique in a run only; a run id has no line break. */
function roundKey(runId: string, roundId: string): string {
  return `${runId}\n${roundId}`
}
