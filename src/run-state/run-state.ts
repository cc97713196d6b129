/**
 * What a run remembers between rounds: versioned plain JSON, and the pure steps on it.
 * @module
 */
import type { JsonObject, ToolCall, ToolResult } from '../round.ts'

/** What a call touches. `opaque`: it may write anything (neither `readOnly` nor says what it writes). */
export interface Access {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly opaque: boolean
  /** It declares no reads: what it read is not known. */
  readonly unknownReads: boolean
}

/** One remembered call: what a later equal call is answered with. */
export interface LedgerEntry {
  readonly key: string
  /** Where the result lies: in the record of this round, under this call. */
  readonly roundId: string
  readonly callId: string
  readonly access: Access
  /** The session's generation when it was remembered: a later write of any run may void it. */
  readonly generation: number
  /** Rounds that repeated this call since. */
  readonly repeats: number
}

/** A call of the last round whose side effect may have happened: replaying its id never runs it again. */
export interface SettledCall {
  /** The id as the provider sent it. */
  readonly wireId: string
  readonly key: string
  readonly roundId: string
  readonly callId: string
}

/** A denial is remembered: a person is not asked the same thing twice in a run. */
export interface Denial {
  readonly key: string
  readonly reason: string
}

/** Approves calls of one tool without asking. */
export interface AllowRule {
  readonly tool: string
  /** The tool's fingerprint when the rule was made: a changed tool asks again. */
  readonly fingerprint: string
  /** Argument name → exact JSON value, or text with `*` (within a segment) and `**`. All must match; absent: any arguments. */
  readonly pattern?: JsonObject
}

/** One call and its result, as the model sees them in its history. */
export interface HistoryEntry {
  readonly callId: string
  /** The name and arguments as the model sent them, made valid JSON. */
  readonly name: string
  readonly arguments: JsonObject
  /** The argument text, when it could not be read. */
  readonly raw?: string
  readonly content: string
}

export interface RunState {
  readonly format: 1
  /** Counts commits; `RunStore.commit` refuses one that was made on an older version. */
  readonly version: number
  readonly runId: string
  readonly sessionId: string
  readonly createdAt: number
  /** A person stopped the run. */
  readonly stopped: boolean
  /** Rounds committed. */
  readonly rounds: number
  /** Tool name → fingerprint of the schema that the model was shown. */
  readonly loaded: readonly (readonly [name: string, fingerprint: string])[]
  readonly ledger: readonly LedgerEntry[]
  readonly settled: readonly SettledCall[]
  readonly denials: readonly Denial[]
  readonly allowedForRun: readonly AllowRule[]
}

/** What the runs of a conversation share. */
export interface SessionState {
  readonly format: 1
  readonly sessionId: string
  readonly allowRules: readonly AllowRule[]
  /** Resource → number of the last committed write to it; part of the cache keys of calls that read it. */
  readonly generations: readonly (readonly [resource: string, generation: number])[]
  /** The last number given. */
  readonly generation: number
}

/** What a commit changes in the session; stores apply it inside the commit's transaction. */
export interface SessionChange {
  readonly addRules: readonly AllowRule[]
  /** Resources written, `'*'` for a write that does not say what it wrote. */
  readonly wrote: readonly string[]
}

/** The journal of one call inside a round: it survives a crash between passes 2 and 3. */
export interface JournalEntry {
  readonly callId: string
  readonly state: 'started' | 'ended'
  /** When it was written, in milliseconds since the epoch: a deadline counts from the first start. */
  readonly at?: number
  /** The arguments that a person put in the place of the model's: these ran. */
  readonly edited?: JsonObject
  /** With `ended`. */
  readonly result?: ToolResult
}

/** What a running round was asked to do: enough to dispatch it again after a crash. */
export interface RoundRequest {
  /** As plain JSON. */
  readonly calls: readonly ToolCall[]
  readonly finishReason?: string
  /** Never leaves the store: the tokens of the round's questions are made from it. */
  readonly secret: string
}

/** A round, running or done. A round posted again is answered from here. */
export interface RoundRecord {
  readonly roundId: string
  /** Position in the run, from 0. */
  readonly index: number
  /** Hash of the calls as they came: the same id with other calls is refused. */
  readonly digest: string
  readonly status: 'running' | 'done'
  /** While it is running, when its id was given by the client. */
  readonly request?: RoundRequest
  readonly journal: readonly JournalEntry[]
  readonly results: readonly ToolResult[]
  readonly history: readonly HistoryEntry[]
  readonly stopped: boolean
}

export function newRunState(runId: string, sessionId: string, now: number): RunState {
  return {
    format: 1,
    version: 0,
    runId,
    sessionId,
    createdAt: now,
    stopped: false,
    rounds: 0,
    loaded: [],
    ledger: [],
    settled: [],
    denials: [],
    allowedForRun: [],
  }
}

export function newSessionState(sessionId: string): SessionState {
  return { format: 1, sessionId, allowRules: [], generations: [], generation: 0 }
}

/** Most resources a session keeps a generation for; beyond it the oldest are folded into `*`. */
export const maxGenerations = 256

/** Applies a commit's change: pure, so that every store can do it inside its own transaction. */
export function applySessionChange(session: SessionState, change: SessionChange): SessionState {
  let { generation } = session
  const generations = new Map(session.generations)
  for (const resource of change.wrote) {
    generation += 1
    generations.delete(resource)
    generations.set(resource, generation)
  }
  if (generations.size > maxGenerations) {
    // Folding makes every older answer a miss: too careful, never stale.
    generations.clear()
    generation += 1
    generations.set('*', generation)
  }
  return {
    ...session,
    generation,
    generations: [...generations],
    allowRules: [...session.allowRules, ...change.addRules],
  }
}
