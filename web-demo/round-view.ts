/**
 * A round as the page draws it, made from the events alone: the same for a round that runs in this
 * page and for one that runs on the Worker. Pure: view in, view out.
 * @module
 */
import type { Todo } from '../src/builtin/index.ts'
import type { Coercion, Json, Outcome, RunEvent, ToolResult } from '../src/index.ts'

/** Where a call is. */
export type Stage = 'checked' | 'asked' | 'waiting' | 'running' | 'ran' | 'committed'

export interface RowView {
  readonly callId: string
  readonly name: string
  readonly arguments: Json
  readonly raw?: string
  readonly repaired: readonly string[]
  readonly coerced: readonly Coercion[]
  readonly stage: Stage
  readonly outcome?: Outcome
  /** Why it waited, in words. */
  readonly waits: readonly string[]
  readonly seenAt: number
  readonly askedAt?: number
  readonly answeredAt?: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly committedAt?: number
  readonly progress?: Json
  readonly text: string
  readonly late?: string
  readonly result?: ToolResult
}

export interface RoundView {
  readonly roundId: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly stopped: boolean
  readonly rows: readonly RowView[]
  readonly warnings: readonly string[]
  /** The checklist as the round last wrote it. */
  readonly todos?: readonly Todo[]
}

/** The views after one more event. A round that a restart broke off begins anew. */
export function applyToAll(views: readonly RoundView[], event: RunEvent): readonly RoundView[] {
  const { roundId } = event
  if (event.type !== 'round_start') {
    return views.map((view) => (view.roundId === roundId ? applyEvent(view, event) : view))
  }
  const fresh = { roundId, startedAt: event.at, stopped: false, rows: [], warnings: [] }
  return [...views.filter((view) => view.roundId !== roundId), fresh]
}

function applyEvent(view: RoundView, event: RunEvent): RoundView {
  if (event.type === 'round_end') return { ...view, endedAt: event.at, stopped: event.stopped }
  if (event.type === 'todo_update') return { ...view, todos: event.todos as unknown as Todo[] }
  if (event.type === 'warning') return { ...view, warnings: [...view.warnings, event.message] }
  if (event.type === 'tool_call') return { ...view, rows: [...view.rows, newRow(event)] }
  if (event.type === 'approval_requested') {
    return event.questions.reduce(
      (seen, { callId }) => change(seen, callId, () => ({ stage: 'asked', askedAt: event.at })),
      view,
    )
  }
  return 'callId' in event ? change(view, event.callId, (row) => changeOf(row, event)) : view
}

type Seen = Extract<RunEvent, { type: 'tool_call' }>

function newRow(event: Seen): RowView {
  return {
    callId: event.callId,
    name: event.name || '(no name)',
    arguments: event.arguments,
    ...(event.raw !== undefined && { raw: event.raw }),
    repaired: event.repaired ?? [],
    coerced: event.coerced ?? [],
    stage: 'checked',
    ...(event.decided && { outcome: event.decided }),
    waits: [],
    seenAt: event.at,
    text: '',
  }
}

function change(
  view: RoundView,
  callId: string,
  by: (row: RowView) => Partial<RowView>,
): RoundView {
  const rows = view.rows.map((row) => (row.callId === callId ? { ...row, ...by(row) } : row))
  return { ...view, rows }
}

function changeOf(row: RowView, event: RunEvent): Partial<RowView> {
  switch (event.type) {
    case 'approval_answered':
      return { stage: 'waiting', answeredAt: event.at, waits: [...row.waits, answered(event)] }
    case 'tool_call_waiting':
      return { stage: 'waiting', waits: [...row.waits, waitText(event)] }
    case 'tool_call_start':
      return { stage: 'running', startedAt: event.at }
    case 'tool_call_progress':
      return { progress: event.value }
    case 'tool_call_text':
      return { text: row.text + event.text }
    case 'tool_call_end':
      return { stage: 'ran', endedAt: event.at, outcome: event.outcome }
    case 'tool_call_late':
      return { late: event.content }
    case 'tool_result':
      return {
        stage: 'committed',
        committedAt: event.at,
        outcome: event.result.outcome,
        result: event.result,
      }
    default:
      return {}
  }
}

type Waiting = Extract<RunEvent, { type: 'tool_call_waiting' }>

function waitText({ reason, behind }: Waiting): string {
  const calls = behind.join(', ')
  if (reason === 'slot') return 'all slots were taken'
  if (reason === 'turn') return `its turn comes after ${calls}`
  return `${calls} touches the same resource`
}

function answered(event: Extract<RunEvent, { type: 'approval_answered' }>): string {
  return `a person said ${event.decision}${event.reason ? `: ${event.reason}` : ''}`
}

/** The results of a finished round laid over its view: structured values come with the answer, not with the events. */
export function withResults(view: RoundView, results: readonly ToolResult[]): RoundView {
  const byId = new Map(results.map((result) => [result.callId, result]))
  const rows = view.rows.map((row) => {
    const result = byId.get(row.callId)
    return result ? { ...row, result } : row
  })
  return { ...view, rows }
}
