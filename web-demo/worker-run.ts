/**
 * A run on the Worker: opened, dispatched and answered over HTTP, its events read as they happen.
 * @module
 */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ApprovalAnswer, Mode, RoundResult, RunEvent, ToolCall } from '../src/index.ts'

export interface WorkerRun {
  readonly runId: string
  dispatch(calls: readonly ToolCall[], options: DispatchOptions): Promise<RoundResult>
  answer(answer: ApprovalAnswer, token: string): Promise<void>
  cancel(): Promise<void>
}

interface DispatchOptions {
  readonly finishReason?: string | undefined
  readonly onEvent: (event: RunEvent) => void
}

/** A request that the Worker refused: its problem's text. */
export class WorkerProblem extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function openWorkerRun(mode: Mode, token: string): Promise<WorkerRun> {
  const { runId } = await (await send('/v1/runs', token, { mode })).json()
  const base = `/v1/runs/${runId}`
  return {
    runId,
    async dispatch(calls, { finishReason, onEvent }) {
      const body = { calls, ...(finishReason && { finishReason }) }
      const response = await send(`${base}/rounds`, token, body, 'text/event-stream')
      return readRound(response, onEvent)
    },
    async answer(answer, questionToken) {
      await send(`${base}/approvals`, token, { answers: [{ ...answer, token: questionToken }] })
    },
    async cancel() {
      await fetch(base, { method: 'DELETE', headers: authorization(token) })
    },
  }
}

async function readRound(
  response: Response,
  onEvent: (event: RunEvent) => void,
): Promise<RoundResult> {
  if (!response.body) throw new WorkerProblem(0, 'The Worker sent no events.')
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new WorkerProblem(0, 'The connection ended before the round did.')
    if (value.event === 'round_result') return JSON.parse(value.data) as RoundResult
    if (value.event === 'problem') throw new WorkerProblem(0, JSON.parse(value.data).detail)
    onEvent(JSON.parse(value.data) as RunEvent)
  }
}

async function send(
  path: string,
  token: string,
  body: unknown,
  accept?: string,
): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...authorization(token),
      ...(accept && { accept }),
    },
    body: JSON.stringify(body),
  })
  if (response.ok) return response
  const problem = await response.json().catch(() => ({}))
  throw new WorkerProblem(
    response.status,
    problem.detail ?? `The Worker answered ${response.status}.`,
  )
}

function authorization(token: string): Record<string, string> {
  return token ? { authorization: `Bearer ${token}` } : {}
}
