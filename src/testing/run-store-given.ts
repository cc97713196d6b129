/**
 * Runs, rounds and events to test with.
 * @module
 */
import { DispatchError } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import type { ToolResult } from '../round.ts'
import { newRunState, type RoundRecord, type RunState } from '../run-state/run-state.ts'
import type { RunChange, RunStore } from '../run-state/store.ts'
import { type ContractTest, failureOf } from './contract.ts'

export interface RunStoreExtra {
  readonly reopen: (store: RunStore) => Promise<RunStore>
}
export type RunStoreTest = ContractTest<RunStore, RunStoreExtra>

export const start = 1_800_000_000_000

/** A run at `version`, told apart from others by its ledger. */
export function run(runId: string, version: number, mark = 'mark', sessionId = 's'): RunState {
  const access = { reads: ['file:/a'], writes: [], opaque: false, unknownReads: false }
  return {
    ...newRunState(runId, sessionId, start),
    version,
    rounds: version,
    loaded: [['read_files', mark]],
    ledger: [{ key: mark, roundId: 'r', callId: 'c', access, generation: 0, repeats: 0 }],
    denials: [{ key: `${mark}\ud800🔑`, reason: '' }],
  }
}

/** The commit that takes a run from `expectedVersion` to the next version. */
export function change(
  runId: string,
  expectedVersion: number,
  parts: Partial<RunChange> & { mark?: string } = {},
): RunChange {
  const { mark, ...rest } = parts
  return { expectedVersion, state: run(runId, expectedVersion + 1, mark), ...rest }
}

export function result(callId: string, content = 'text'): ToolResult {
  return {
    callId,
    name: 'read_files',
    outcome: 'completed',
    code: 'completed',
    content,
    value: { nested: [1, null, { '🔑': 'x\udc00' }], empty: '' },
    startedAt: start,
    endedAt: start + 5,
  }
}

export function round(
  roundId: string,
  index: number,
  parts: Partial<RoundRecord> = {},
): RoundRecord {
  return {
    roundId,
    index,
    digest: `digest of ${roundId}`,
    status: 'running',
    journal: [],
    results: [],
    history: [],
    stopped: false,
    ...parts,
  }
}

export function doneRound(roundId: string, index: number, content = 'text'): RoundRecord {
  const callIds = ['c1', 'c2', 'c3']
  return round(roundId, index, {
    status: 'done',
    journal: [{ callId: 'c1', state: 'started' }],
    results: callIds.map((callId) => result(callId, `${content} ${callId}`)),
    history: callIds.map((callId) => ({
      callId,
      name: 'read_files',
      arguments: { path: '/a' },
      content,
    })),
    stopped: true,
  })
}

export function event(runId: string, seq: number, text = 'text'): RunEvent {
  return { type: 'tool_call_text', callId: 'c', text, seq, runId, roundId: 'r', at: start + seq }
}

/** Ids that a name space made of strings must keep apart. */
export const oddIds: readonly string[] = [
  '__proto__',
  'constructor',
  'a',
  'A',
  'a/b',
  'a/b/c',
  'a:b',
  '%',
  '*',
  ' a ',
  '"a"',
  "'; DROP TABLE threepass_run; --",
  'null',
  '0',
  '\u0000',
  '\ud800',
  '\ud801',
  'é',
  'e\u0301',
  '🔑',
  'i'.repeat(300),
  `${'i'.repeat(299)}j`,
]

/** The code of the `DispatchError` that `action` rejected with, else what came instead. */
export async function codeOf(action: () => unknown): Promise<unknown> {
  const failure = await failureOf(action)
  return failure instanceof DispatchError ? failure.code : (failure ?? 'resolved')
}
