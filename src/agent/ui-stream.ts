/**
 * A turn as UI message chunks: the loop's events and the dispatcher's, woven together in the order in
 * which they happened.
 * @module
 */
import type { RunEvent } from '../events.ts'
import { isAnswer, type Json, type RoundResult, type ToolResult } from '../round.ts'
import type { AgentEvent } from './agent-event.ts'
import type { RoundCall, UIChunk } from './ui-chunk.ts'

export interface UIStream {
  /** Takes an event of the loop. */
  readonly agent: (event: AgentEvent) => void
  /** Takes an event of the run. */
  readonly run: (event: RunEvent) => void
  /**
   * What ends a response that is not to wait for people and pages: `useChat` sends its answers in its
   * next request. Calls that have no result yet get a placeholder, or it would wait for them.
   */
  readonly pause: () => readonly UIChunk[]
}

export interface UIStreamOptions {
  readonly push: (chunk: UIChunk) => void
  /** What was pushed before a restart: nothing of it is announced twice. */
  readonly earlier?: readonly UIChunk[]
}

/** How far a call's part has come. */
interface Part {
  /** Nobody in the page is to run it: so it is with every call until the page's own is called. */
  readonly ours: boolean
  state: 'input' | 'available' | 'asked' | 'called' | 'done'
}

export function uiStream({ push, earlier = [] }: UIStreamOptions): UIStream {
  const parts = new Map<string, Part>()
  let step = 0
  let stepOpen = false
  for (const chunk of earlier) recall(chunk)

  function recall(chunk: UIChunk): void {
    if (chunk.type === 'start-step') step += 1
    if (chunk.type === 'start-step' || chunk.type === 'finish-step') {
      stepOpen = chunk.type === 'start-step'
    }
    if (!('toolCallId' in chunk)) return
    const { toolCallId: callId } = chunk
    const part = parts.get(callId)
    if (chunk.type === 'tool-input-start') parts.set(callId, { ours: true, state: 'input' })
    else if (chunk.type === 'tool-input-available') {
      const ours = chunk.providerExecuted === true
      parts.set(callId, { ours, state: ours ? 'available' : 'called' })
    } else if (part && chunk.type === 'tool-approval-request') part.state = 'asked'
    else if (part && chunk.type.startsWith('tool-output') && !('preliminary' in chunk)) {
      part.state = 'done'
    }
  }

  const openStep = () => {
    closeStep()
    step += 1
    stepOpen = true
    push({ type: 'start-step' })
  }
  const closeStep = () => {
    if (stepOpen) push({ type: 'finish-step' })
    stepOpen = false
  }
  const executed = ({ ours }: Part) => (ours ? { providerExecuted: true } : {})
  const inputStart = (callId: string, name: string): Part => {
    const part: Part = { ours: true, state: 'input' }
    parts.set(callId, part)
    push({
      type: 'tool-input-start',
      toolCallId: callId,
      toolName: name,
      dynamic: true,
      providerExecuted: true,
    })
    return part
  }

  const onToolCall = (event: Extract<RunEvent, { type: 'tool_call' }>) => {
    const { callId, arguments: input } = event
    const name = event.name || 'unknown'
    const known = parts.get(callId)
    if (known && known.state !== 'input') return
    available(callId, name, input)
  }

  const available = (callId: string, toolName: string, input: Json) => {
    parts.set(callId, { ours: true, state: 'available' })
    push({
      type: 'tool-input-available',
      toolCallId: callId,
      toolName,
      input,
      dynamic: true,
      providerExecuted: true,
    })
  }

  const onQuestions = ({ questions }: Extract<RunEvent, { type: 'approval_requested' }>) => {
    for (const { callId, token, name, arguments: input } of questions) {
      if (isInside(callId) && !parts.has(callId)) available(callId, name, input)
      const part = parts.get(callId)
      if (!part || part.state === 'asked') continue
      part.state = 'asked'
      push({ type: 'tool-approval-request', approvalId: token, toolCallId: callId })
    }
  }

  /** A call of a round inside a call, which a question has told of: the only thing that is heard of it. */
  const isInside = (callId: string) =>
    [...parts.keys()].some((outer) => callId.startsWith(`${outer}/`))

  /** What came of such a call stands in the answer of the call around it. */
  const onAnswered = ({ callId, decision }: Extract<RunEvent, { type: 'approval_answered' }>) => {
    const part = parts.get(callId)
    if (!part || part.state === 'done' || !isInside(callId)) return
    part.state = 'done'
    if (decision === 'deny' || decision === 'stop') {
      push({ type: 'tool-output-denied', toolCallId: callId })
    } else {
      const content = `A person said ${decision}; what came of it stands in the call around.`
      const output = { outcome: 'pending', content } as const
      push({
        type: 'tool-output-available',
        toolCallId: callId,
        output,
        dynamic: true,
        ...executed(part),
      })
    }
  }

  const onClientCall = (event: Extract<RunEvent, { type: 'client_tool_call' }>) => {
    const { callId, name, arguments: input } = event
    const part = parts.get(callId)
    if (part?.state === 'called') return
    parts.set(callId, { ours: false, state: 'called' })
    push({
      type: 'tool-input-available',
      toolCallId: callId,
      toolName: name,
      input,
      dynamic: true,
      providerExecuted: false,
    })
  }

  const onEnd = ({ callId, outcome, content }: Extract<RunEvent, { type: 'tool_call_end' }>) => {
    const part = parts.get(callId)
    if (!part || outcome !== 'completed' || part.state === 'done') return
    push({
      type: 'tool-output-available',
      toolCallId: callId,
      output: { outcome, content },
      dynamic: true,
      ...executed(part),
      preliminary: true,
    })
  }

  const onRound = ({ roundId, results }: RoundResult) => {
    for (const result of results) onResult(result)
    push({ type: 'data-round', id: roundId, data: { roundId, calls: results.map(roundCall) } })
  }

  const onResult = (result: ToolResult) => {
    const { callId: toolCallId, outcome, content } = result
    const part = parts.get(toolCallId) ?? inputStart(toolCallId, result.name || 'unknown')
    const wasAsked = part.state === 'asked'
    part.state = 'done'
    if (isAnswer(outcome) || outcome === 'schema') {
      push({
        type: 'tool-output-available',
        toolCallId,
        output: result,
        dynamic: true,
        ...executed(part),
      })
    } else if (outcome === 'denied' && wasAsked) push({ type: 'tool-output-denied', toolCallId })
    else {
      push({
        type: 'tool-output-error',
        toolCallId,
        errorText: content,
        dynamic: true,
        ...executed(part),
      })
    }
  }

  const run = (event: RunEvent) => {
    // A result comes as the output of its tool part.
    if (event.type !== 'tool_result') push({ type: 'data-event', data: event, transient: true })
    if (event.type === 'tool_call') onToolCall(event)
    else if (event.type === 'approval_requested') onQuestions(event)
    else if (event.type === 'approval_answered') onAnswered(event)
    else if (event.type === 'client_tool_call') onClientCall(event)
    else if (event.type === 'tool_call_end') onEnd(event)
  }

  const agent = (event: AgentEvent) => {
    switch (event.type) {
      case 'step_start':
        return openStep()
      case 'text_start':
      case 'reasoning_start':
      case 'text_end':
      case 'reasoning_end': {
        const type = event.type.replace('_', '-') as 'text-start'
        return push({ type, id: partId(event.id) })
      }
      case 'text_delta':
        return push({ type: 'text-delta', id: partId(event.id), delta: event.text })
      case 'reasoning_delta':
        return push({ type: 'reasoning-delta', id: partId(event.id), delta: event.text })
      case 'tool_input_start':
        return void inputStart(event.callId, event.name)
      case 'tool_input_delta':
        return push({
          type: 'tool-input-delta',
          toolCallId: event.callId,
          inputTextDelta: event.delta,
        })
      case 'source': {
        const { id: sourceId, url, title } = event
        return push({ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) })
      }
      case 'file': {
        const { mediaType, data } = event
        return push({ type: 'file', mediaType, url: `data:${mediaType};base64,${data}` })
      }
      case 'round':
        return onRound(event.round)
      case 'retry': {
        const { attempt, delayMs } = event
        return push({ type: 'data-retry', data: { attempt, delayMs }, transient: true })
      }
      case 'finish':
        return onFinish(event.result)
      default:
    }
  }

  /** Ids of parts are unique in their step only. */
  const partId = (id: string) => `${step}.${id}`

  const onFinish = (result: Extract<AgentEvent, { type: 'finish' }>['result']) => {
    // An answer that broke off, or whose round could not be dispatched, leaves calls behind.
    for (const [toolCallId, { state }] of parts) {
      if (state === 'done') continue
      const errorText = 'This call has no result: the turn ended before it.'
      push({ type: 'tool-output-error', toolCallId, errorText, dynamic: true })
    }
    closeStep()
    if (result.reason === 'error') {
      push({ type: 'error', errorText: result.error?.message ?? 'The model failed.' })
    }
    if (result.reason === 'aborted') push({ type: 'abort' })
    push({ type: 'finish', finishReason: finishReasons[result.reason] })
  }

  const pause = () => {
    const placeholders = [...parts].flatMap(([toolCallId, part]): UIChunk[] => {
      const waits = part.state === 'input' || part.state === 'available'
      const output = { outcome: 'pending', content: 'Waits until its round goes on.' } as const
      if (!waits) return []
      return [
        {
          type: 'tool-output-available',
          toolCallId,
          output,
          dynamic: true,
          providerExecuted: true,
        },
      ]
    })
    return [
      ...placeholders,
      { type: 'finish-step' as const },
      { type: 'finish' as const, finishReason: 'tool-calls' as const },
    ]
  }

  return { agent, run, pause }
}

const finishReasons = {
  answer: 'stop',
  steps: 'stop',
  doom_loop: 'stop',
  stopped: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  aborted: 'other',
  error: 'error',
} as const

function roundCall({ callId, name, outcome, code, startedAt, endedAt }: ToolResult): RoundCall {
  const took =
    startedAt !== undefined && endedAt !== undefined ? { tookMs: endedAt - startedAt } : {}
  return { callId, name, outcome, code, ...took }
}
