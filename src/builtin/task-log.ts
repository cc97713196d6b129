/**
 * What the runs of a session were about and came to, written down for chat_history.
 * @module
 */
import type { EventListener, RunEvent } from '../events.ts'
import type { HistoryStore } from '../history/history.ts'
import type { JsonObject } from '../round.ts'
import type { RunStore } from '../run-state/store.ts'
import { createTurns } from '../turns.ts'

/** What is kept of a run. */
export interface TaskRecord {
  /** What the person said. */
  readonly objective?: string
  /** The final answer. */
  readonly answer?: string
  /** Names of the tools that were called, each once. */
  readonly did: readonly string[]
}

export interface TaskNote extends Partial<Pick<TaskRecord, 'objective' | 'answer'>> {
  readonly runId: string
  readonly sessionId: string
}

export interface TaskLog {
  /** For `createDispatcher`: each round that ends adds what it did. A history that fails is passed over. */
  readonly onEvent: EventListener
  /** What a loop knows beside the rounds. Rejects with what the history threw. */
  readonly note: (note: TaskNote) => Promise<void>
}

export interface TaskLogOptions {
  readonly history: HistoryStore
  /** The dispatcher's own. */
  readonly store: RunStore
  readonly clock?: () => number
}

const mostNames = 50
const mostPerRound = 8_000
const mostText = 30_000
const mostRuns = 1_000

export function taskCollection(sessionId: string): string {
  return `task:${sessionId}`
}

export function taskLog({ history, store, clock = Date.now }: TaskLogOptions): TaskLog {
  /** The notes of a run go one after another. */
  const inTurn = createTurns()
  const sessionOf = sessions(store)

  const change = async (
    { runId, sessionId }: TaskNote,
    by: (record: TaskRecord) => TaskRecord,
    more = '',
  ) => {
    const collection = taskCollection(sessionId)
    const known = await history.get(collection, runId)
    const record = by({ did: [], ...(known?.data as Partial<TaskRecord> | undefined) })
    const text = `${known?.text ?? ''}\n${more}`.trim().slice(0, mostText)
    await history.put({
      collection,
      id: runId,
      at: known?.at ?? clock(),
      title: record.objective ?? '',
      text,
      data: JSON.parse(JSON.stringify(record)) as JsonObject,
    })
  }

  const roundEnded = async ({ runId, roundId }: RunEvent): Promise<void> => {
    const [sessionId, round] = await Promise.all([
      sessionOf(runId),
      store.loadRound(runId, roundId),
    ])
    if (sessionId === undefined || !round) return
    const names = round.results.map(({ name }) => name)
    const said = round.history.map(
      ({ name, arguments: args, content }) => `${name} ${JSON.stringify(args)} ${content}`,
    )
    await change(
      { runId, sessionId },
      (record) => ({ ...record, did: [...new Set([...record.did, ...names])].slice(0, mostNames) }),
      said.join('\n').slice(0, mostPerRound),
    )
  }

  return {
    onEvent(event) {
      if (event.type !== 'round_end') return
      void inTurn(event.runId, () => roundEnded(event)).catch(() => {})
    },
    note: (note) =>
      inTurn(note.runId, () => {
        const { runId: _run, sessionId: _session, ...told } = note
        return change(note, (record) => ({ ...record, ...told }), note.answer)
      }),
  }
}

/** The session of a run, which it keeps: its whole state is read for that once. */
function sessions(store: RunStore) {
  const known = new Map<string, string>()
  return async (runId: string): Promise<string | undefined> => {
    const sessionId = known.get(runId) ?? (await store.load(runId))?.sessionId
    if (sessionId === undefined) return undefined
    known.delete(runId)
    known.set(runId, sessionId)
    const [oldest] = known.keys()
    if (known.size > mostRuns && oldest !== undefined) known.delete(oldest)
    return sessionId
  }
}
