/**
 * A run on the Worker.
 * @module
 */
import type { ApprovalAnswer } from '../approval/approver.ts'
import type { AnswerOutcome, PendingApproval } from '../approval/prompt.ts'
import type { Mode, ToolDefinition } from '../deferred/exposure.ts'
import type { RunEvent } from '../events.ts'
import type { RoundResult, ToolCall } from '../round.ts'
import type { HistoryEntry, RoundRecord } from '../run-state/run-state.ts'
import type { ClientAnswer, ClientAnswerReceipt, PendingClientCall } from '../tools/client-calls.ts'
import type { ClientTools } from '../tools/client-tools.ts'
import type { Diagnostic } from '../tools/registry.ts'
import { type EventStream, eventStream } from './event-stream.ts'
import { type RequestProblem, type Requests, requestProblem } from './request.ts'
import { type ServeOptions, serveTools } from './serve-tools.ts'

/** What the Worker says when a run is opened. */
export interface OpenedRun {
  readonly runId: string
  readonly sessionId: string
  readonly mode: Mode
  /** For the model's request: the tools array in MCP's form. */
  readonly tools: readonly ToolDefinition[]
  /** For the model's request: the names block of `deferred` mode. */
  readonly turnContext: string
  /** Client tools that were left out, and why. */
  readonly refusedTools: readonly Diagnostic[]
}

/** A run as it stands. */
export interface RunView {
  readonly runId: string
  readonly sessionId: string
  readonly mode: Mode
  readonly createdAt: number
  readonly stopped: boolean
  readonly loaded: readonly string[]
  readonly roundCount: number
  /** At most 50, from the index that was asked for. */
  readonly rounds: readonly (Pick<RoundRecord, 'roundId' | 'status' | 'results'> & {
    readonly history: readonly HistoryEntry[]
  })[]
  readonly pendingApprovals: readonly PendingApproval[]
  readonly pendingCalls: readonly PendingClientCall[]
  /** `seq` of the last event. */
  readonly lastSeq: number
}

export interface RemoteDispatch {
  /** Default: fresh. The same round again gives the same results. */
  readonly roundId?: string
  readonly finishReason?: string
  /** `ask` (default): questions wait for `answer`, here or in another page. `deny`: they are denied. */
  readonly approvals?: 'ask' | 'deny'
  /** Ends the waiting, not the round: `cancel` does that. */
  readonly signal?: AbortSignal
}

export interface RemoteRun {
  readonly runId: string
  /**
   * Dispatches a round and resolves with its results, over dropped connections and restarts of the
   * Worker. Rejects with `THREEPASS_REQUEST_FAILED` when the API refuses the round.
   */
  readonly dispatch: (calls: readonly ToolCall[], options?: RemoteDispatch) => Promise<RoundResult>
  /** Hears the run's events, from the first on or after `after`; reconnects and misses nothing. */
  readonly listen: (listener: (event: RunEvent) => void, after?: number) => () => void
  readonly read: (fromIndex?: number) => Promise<RunView>
  /** Answers a question of `approval_requested` or of `read().pendingApprovals`. */
  readonly answer: (answer: ApprovalAnswer, token: string) => Promise<AnswerOutcome>
  /**
   * Gives the result of a call of `client_tool_call` or of `read().pendingCalls` that no tool of this page
   * serves, such as ask_user. `conflict`: another page was first. `over`: nobody waits any more.
   */
  readonly answerCall: (
    call: Pick<PendingClientCall, 'key' | 'callId'>,
    answer: ClientAnswer,
  ) => Promise<ClientAnswerReceipt>
  /** Runs the page's tools for this run, until the function it returns is called. */
  readonly serve: (tools: ClientTools, options?: ServeOptions) => () => void
  /** Stops the run for good. */
  readonly cancel: () => Promise<void>
  /** Ends the connection, and with an `AbortError` what waits here; the run lives on. */
  readonly close: () => void
}

/** @param onError hears what ended the event stream or the serving of tools for good. */
export function remoteRun(
  runId: string,
  requests: Requests,
  onError: (error: unknown) => void,
): RemoteRun {
  const path = `/v1/runs/${encodeURIComponent(runId)}`
  const stream = eventStream(`${path}/events`, requests, { onError })
  const closed = new AbortController()
  const read = async (fromIndex = 0): Promise<RunView> =>
    (await requests.persist(`${path}?from=${fromIndex}`)).json()
  return {
    runId,
    read,
    listen: stream.listen,
    close() {
      closed.abort(new DOMException('The run was closed here.', 'AbortError'))
      stream.close()
    },
    dispatch(calls, options = {}) {
      const signals = options.signal ? [closed.signal, options.signal] : [closed.signal]
      const signal = AbortSignal.any(signals)
      return dispatch(path, calls, { ...options, signal }, requests, stream)
    },
    serve: (tools, options) =>
      serveTools({
        runId,
        path,
        tools,
        requests,
        read,
        listen: stream.listen,
        onError,
        ...options,
      }),
    async answer(answer, token) {
      try {
        const body = { answers: [{ ...answer, token }] }
        const response = await requests.persist(`${path}/approvals`, { method: 'POST', body })
        return outcomeOf(await response.json())
      } catch (error) {
        const problem = requestProblem(error)
        if (problem?.answers) return outcomeOf(problem)
        throw error
      }
    },
    async answerCall({ key, callId }, answer) {
      try {
        const url = `${path}/calls/${encodeURIComponent(callId)}/result`
        const body = { key, ...answer }
        const response = await requests.persist(url, { method: 'POST', body })
        return ((await response.json()) as { receipt: ClientAnswerReceipt }).receipt
      } catch (error) {
        const receipt = receipts[requestProblem(error)?.code ?? '']
        if (receipt) return receipt
        throw error
      }
    },
    async cancel() {
      await requests.persist(path, { method: 'DELETE' })
    },
  }
}

const receipts: { readonly [code: string]: ClientAnswerReceipt } = {
  ALREADY_ANSWERED: 'conflict',
  CALL_OVER: 'over',
  NOT_CALLED: 'unknown',
}

function outcomeOf({ answers }: Pick<RequestProblem, 'answers'>): AnswerOutcome {
  const [{ receipt, problem }] = answers as [AnswerOutcome]
  return { receipt, ...(problem !== undefined && { problem }) }
}

async function dispatch(
  path: string,
  calls: readonly ToolCall[],
  { roundId = crypto.randomUUID(), finishReason, approvals = 'ask', signal }: RemoteDispatch,
  requests: Requests,
  stream: EventStream,
): Promise<RoundResult> {
  const body = { calls, roundId, approvals, ...(finishReason !== undefined && { finishReason }) }
  for (;;) {
    // Sent again after a broken connection the round joins: its id is the same.
    const response = await requests.persist(`${path}/rounds`, { method: 'POST', body, signal })
    const answer = (await response.json()) as RoundResult & { lastSeq: number }
    if (response.status !== 202) return answer
    await ended(roundId, answer.lastSeq, stream, signal)
  }
}

/** Resolves when the round has ended. */
function ended(
  roundId: string,
  after: number,
  stream: EventStream,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = stream.listen((event) => {
      if (event.type !== 'round_end' || event.roundId !== roundId) return
      signal?.removeEventListener('abort', onAbort)
      stop()
      resolve()
    }, after)
    const onAbort = () => {
      stop()
      reject(signal?.reason)
    }
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
