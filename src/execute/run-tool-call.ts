/**
 * One call of pass 2: cache, journal, the tool's own code, its answer or the reason why there is none.
 * @module
 */
import { mayWrite } from '../dedupe/resources.ts'
import { isDispatchError } from '../errors.ts'
import type { EventBody } from '../events.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { Json, MediaPart, Outcome } from '../round.ts'
import type { ToolContext } from '../tools/tool.ts'
import { copyJson } from './copy.ts'
import { type Abortable, type LazySignal, lazySignal, runWithin, type Settled } from './deadline.ts'
import type { ExecuteContext } from './execute.ts'
import { type Hints, hintFor } from './hints.ts'
import { withNest } from './nesting.ts'
import { toPlain } from './plain.ts'
import { errorText, type Rendered, renderValue } from './render-result.ts'
import { isStream, readStream } from './stream.ts'
import { wellFormed } from './text.ts'

/** Milliseconds that a call may take, unless its tool says another. */
export const defaultTimeoutMs = 60_000

/** What pass 2 made of a call; the text is not bounded yet. */
export interface Ran {
  readonly call: ReadyCall
  readonly outcome: Outcome
  readonly code: string
  readonly text: string
  readonly value?: Json
  readonly media?: readonly MediaPart[]
  readonly partial: boolean
  /** The tool's code was started: what it writes may have been written. */
  readonly ran: boolean
  readonly startTick: number
  readonly endTick: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly ageMs?: number
  readonly cacheKey?: string
}

/** A call that ended without its code having run. */
export function didNotRun(
  call: ReadyCall,
  outcome: Outcome,
  code: string,
  text: string,
  tick: number,
): Ran {
  return { call, outcome, code, text, partial: false, ran: false, startTick: tick, endTick: tick }
}

/** Runs the tool's code once. Never rejects. */
export async function runToolCall(call: ReadyCall, context: ExecuteContext): Promise<Ran> {
  const { tool } = call.registered
  const isRemote = tool.remote === true
  // A call that is answered outside is waited for again after a restart: its deadline counts from its first start.
  const firstStart = (isRemote && context.journaled.get(call.id)?.at) || context.clock()
  if (!tool.readOnly || isRemote) {
    try {
      await context.journal({
        callId: call.id,
        state: 'started',
        at: firstStart,
        ...(call.edited && { edited: call.checked.args }),
      })
    } catch (error) {
      const text = `${call.name} did not run: that it starts could not be recorded (${errorText(error)}).`
      return didNotRun(call, 'failed', 'not-recorded', text, context.tick())
    }
  }
  if (context.round.signal.aborted) return cancelledBeforeStart(call, context)
  if (mayWrite(call.access)) context.writesBegun.push(call.access)
  const startTick = context.tick()
  const startedAt = context.clock()
  if (isRemote) {
    const { id: callId, name, checked } = call
    const key = idempotencyKey(call, context)
    context.emit({ type: 'client_tool_call', callId, name, arguments: checked.args, key })
  }
  context.emit({ type: 'tool_call_start', callId: call.id })
  const own = lazySignal()
  const waited = isRemote ? startedAt - firstStart : 0
  const timeoutMs = timeoutOf(tool, context.timeoutMs) - waited
  const settled = tool.background
    ? startBackground(call, own, context, timeoutMs)
    : await inForeground(call, own, context, timeoutMs)
  const ended = { startTick, startedAt, endTick: context.tick(), endedAt: context.clock() }
  const judged = judge(call, settled)
  const told = context.hints ? await withHint(judged, call, context.hints, context) : judged
  const ran: Ran = { call, ran: true, ...ended, ...told }
  if (!tool.background) {
    const todos = newTodos(ran)
    if (todos) context.emit({ type: 'todo_update', callId: call.id, todos })
    context.emit(endOf(call, ran))
  }
  return ran
}

/** The list that the built-in write_todo has written. */
function newTodos({ call, outcome, value }: Ran): Json | undefined {
  if (call.name !== 'write_todo' || outcome !== 'completed') return undefined
  return (Object(value) as { todos?: Json }).todos
}

export function cancelledBeforeStart(call: ReadyCall, context: ExecuteContext): Ran {
  const text = `${call.name} was cancelled before it started. It did not run.`
  return didNotRun(call, 'cancelled', 'cancelled-before-start', text, context.tick())
}

function timeoutOf(
  { timeout, interactive }: ReadyCall['registered']['tool'],
  fallbackMs: number,
): number {
  return timeout ?? (interactive ? Number.POSITIVE_INFINITY : fallbackMs)
}

async function inForeground(
  call: ReadyCall,
  own: LazySignal,
  context: ExecuteContext,
  timeoutMs: number,
): Promise<Settled> {
  const reports: Reports = { over: false }
  const running = run(call, own, context, context.round, reports, timeoutMs)
  const settled = running instanceof Promise ? await running : running
  reports.over = true
  if (settled.kind === 'gave-up' && mayWrite(call.access)) {
    context.leaveStraggler(call, settled.gone)
  }
  return settled
}

function run(
  call: ReadyCall,
  own: LazySignal,
  context: ExecuteContext,
  under: Abortable,
  reports: Reports,
  timeoutMs: number,
): Promise<Settled> | Settled {
  return runWithin(
    () => invoke(call, own, context, reports),
    own,
    under,
    Math.max(1, timeoutMs),
    (late) => reportLate(call, late, context),
  )
}

/** Answers `ok` at once; the end is an event. */
function startBackground(
  call: ReadyCall,
  own: LazySignal,
  context: ExecuteContext,
  timeoutMs: number,
): Settled {
  const reports: Reports = { over: false }
  const running = run(call, own, context, context.background, reports, timeoutMs)
  const end = Promise.resolve(running).then((settled) => {
    reports.over = true
    context.emit(endOf(call, judge(call, settled)))
    if (mayWrite(call.access)) context.lateWrite(call.access)
    return context.flushEvents()
  })
  context.waitUntil(end.catch(() => {}))
  return { kind: 'value', value: 'ok' }
}

/** Most characters of a result that an event shows. */
const previewLength = 2_000

function endOf({ id: callId }: ReadyCall, { outcome, text }: Judged): EventBody {
  return {
    type: 'tool_call_end',
    callId,
    outcome,
    content: wellFormed(text.slice(0, previewLength)),
  }
}

/** After the end of a call its reports are ignored. */
interface Reports {
  over: boolean
}

function invoke(
  call: ReadyCall,
  own: LazySignal,
  context: ExecuteContext,
  reports: Reports,
): unknown {
  const { tool } = call.registered
  const text = (chunk: string) => {
    if (!reports.over)
      context.emit({ type: 'tool_call_text', callId: call.id, text: String(chunk) })
  }
  const granted: { [name: string]: unknown } = {}
  for (const name of tool.needs ?? []) granted[name] = context.grants[name]
  const given: ToolContext = {
    ...granted,
    get signal() {
      return own.get()
    },
    callId: call.id,
    runId: context.runId,
    sessionId: context.sessionId,
    idempotencyKey: idempotencyKey(call, context),
    progress(value: Json) {
      if (reports.over) return
      context.emit({ type: 'tool_call_progress', callId: call.id, value: toPlain(value) })
    },
    text,
  }
  const nest = { call, context, isOver: () => reports.over, inside: 0, lent: false }
  const args = call.input ? call.input.value : copyJson(call.checked.args)
  const returned = tool.execute(args, withNest(given, nest))
  if (!isStream(returned)) return returned
  return readStream(returned, context.maxStreamBytes, text, own.get)
}

function idempotencyKey(call: ReadyCall, { runId, roundId }: ExecuteContext): string {
  return `${runId}:${roundId}:${call.id}`
}

function judge(call: ReadyCall, settled: Settled): Judged {
  if (settled.kind === 'gave-up') return gaveUp(call, settled.outcome)
  if (settled.kind === 'error') {
    if (isDispatchError(settled.error) && settled.error.code === 'THREEPASS_INTERRUPTED') {
      const { message: text } = settled.error
      return { outcome: 'interrupted', code: 'interrupted', text, partial: false }
    }
    const text = `${call.name} failed: ${errorText(settled.error)}`
    return { outcome: 'failed', code: 'tool-failed', text, partial: false }
  }
  return fromRendered(call, renderValue(settled.value))
}

type Judged = Pick<Ran, 'outcome' | 'code' | 'text' | 'partial' | 'value' | 'media'>

/** A rendered answer as outcome and text. */
function fromRendered(call: ReadyCall, rendered: Rendered): Judged {
  const { text, isError, partial } = rendered
  const judged: { -readonly [K in keyof Judged]: Judged[K] } = isError
    ? {
        outcome: 'failed',
        code: 'tool-failed',
        text: `${call.name} failed: ${text || 'it gave no reason'}`,
        partial,
      }
    : {
        outcome: 'completed',
        code: 'completed',
        text: text || `${call.name} returned no output.`,
        partial,
      }
  if (rendered.value !== undefined) judged.value = rendered.value
  if (rendered.media) judged.media = rendered.media
  return judged
}

/** A failure, with what is remembered of such. */
async function withHint(
  judged: Judged,
  call: ReadyCall,
  hints: Hints,
  { sessionId }: ExecuteContext,
): Promise<Judged> {
  const { outcome, text } = judged
  if (outcome !== 'failed' && outcome !== 'timed_out') return judged
  return {
    ...judged,
    text: text + (await hintFor(hints, { tool: call.name, message: text, sessionId })),
  }
}

function gaveUp(call: ReadyCall, outcome: 'timed_out' | 'cancelled'): Judged {
  const what = outcome === 'timed_out' ? 'did not end in time' : 'was cancelled while it ran'
  const doubt = mayWrite(call.access) ? ' It may still complete: check before you repeat it.' : ''
  const code = outcome === 'timed_out' ? 'timed-out' : 'cancelled-while-running'
  return { outcome, code, text: `${call.name} ${what}.${doubt}`, partial: false }
}

function reportLate(call: ReadyCall, settled: Settled, context: ExecuteContext): void {
  const { outcome, text } = judge(call, settled)
  context.emit({
    type: 'tool_call_late',
    callId: call.id,
    outcome: outcome === 'completed' ? 'completed' : 'failed',
    content: wellFormed(text.slice(0, previewLength)),
  })
  if (mayWrite(call.access)) context.lateWrite(call.access)
  context.waitUntil(context.flushEvents())
}
