/**
 * Runs a page's tools for a run on the Worker: takes a call under a lease, runs the tool, gives its
 * result; one page of many.
 * @module
 */
import type { RunEvent } from '../events.ts'
import { toPlain } from '../execute/plain.ts'
import type { JsonObject } from '../round.ts'
import { standardOf } from '../schema/standard.ts'
import type { ClientAnswer, Lease, PendingClientCall } from '../tools/client-calls.ts'
import type { ClientTools } from '../tools/client-tools.ts'
import type { AnyTool } from '../tools/tool.ts'
import type { RunView } from './remote-run.ts'
import { isPassing, type Requests, requestProblem } from './request.ts'

export interface ServeOptions {
  /** This page's name for itself; default: fresh for each page, so that a reloaded one is another. */
  readonly owner?: string
  /** Hears of calls that this page takes and ends: for a list in the page. */
  readonly onCall?: (call: ServedCall) => void
}

/** A call of a page tool, as this page sees it. */
export interface ServedCall {
  readonly callId: string
  readonly name: string
  readonly arguments: JsonObject
  /** `elsewhere`: another page has it. */
  readonly state: 'running' | 'answered' | 'elsewhere' | 'over'
}

interface Serving extends ServeOptions {
  readonly runId: string
  readonly path: string
  readonly tools: ClientTools
  readonly requests: Requests
  readonly read: () => Promise<RunView>
  readonly listen: (listener: (event: RunEvent) => void, after?: number) => () => void
  readonly onError: (error: unknown) => void
}

/** What a page has of this, and other runtimes have not. */
const page = globalThis as unknown as {
  readonly addEventListener?: (type: string, listener: () => void) => void
  readonly removeEventListener?: (type: string, listener: () => void) => void
}

type Call = Pick<PendingClientCall, 'key' | 'callId' | 'name' | 'arguments'>

/** Serves until the function that it returns is called. Calls that waited already are taken up first. */
export function serveTools(serving: Serving): () => void {
  const { path, tools, requests, read, listen, onError, onCall } = serving
  const owner = serving.owner ?? crypto.randomUUID()
  const stopped = new AbortController()
  const { signal } = stopped
  /** Calls that another page had when this one asked, by call id. */
  const elsewhere = new Map<string, Call>()
  /** Calls that this page runs, with what stops them. */
  const own = new Map<string, AbortController>()
  let unlisten = () => {}

  const post = (call: Call, what: string, body: object, persist = true) =>
    requests[persist ? 'persist' : 'send'](
      `${path}/calls/${encodeURIComponent(call.callId)}/${what}`,
      { method: 'POST', body: { key: call.key, owner, ...body }, signal },
    )

  const tell = (call: Call, state: ServedCall['state']) => {
    const { callId, name, arguments: args } = call
    onCall?.({ callId, name, arguments: args, state })
  }

  const take = async (call: Call) => {
    const tool = tools.tools().find(({ name }) => name === call.name)
    // A page that has this tool will take it.
    if (!tool || own.has(call.key)) return
    const controller = new AbortController()
    own.set(call.key, controller)
    try {
      const lease = (await (await post(call, 'lease', {})).json()) as Lease
      tell(call, 'running')
      await work(call, tool, lease, controller)
      tell(call, 'answered')
    } catch (error) {
      const status = requestProblem(error)?.status
      if (signal.aborted) return
      if (status !== 409 && status !== 404) return onError(error)
      const held = requestProblem(error)?.code === 'CALL_TAKEN'
      if (held) elsewhere.set(call.callId, call)
      tell(call, held ? 'elsewhere' : 'over')
    } finally {
      own.delete(call.key)
    }
  }

  const work = async (call: Call, tool: AnyTool, lease: Lease, controller: AbortController) => {
    // Well before it ends, and whatever the two clocks think of each other.
    const everyMs = Math.max(1_000, (lease.expiresAt - Date.now()) / 3)
    const prolong = setInterval(
      () => {
        post(call, 'lease', {}, false).catch((error) => {
          if (!isPassing(error)) controller.abort(error)
        })
      },
      Math.min(everyMs, 10_000),
    )
    try {
      const answer = await answerOf(call, tool, controller.signal)
      await post(call, 'result', answer)
    } finally {
      clearInterval(prolong)
    }
  }

  const answerOf = async (
    { key, callId, arguments: args }: Call,
    tool: AnyTool,
    own: AbortSignal,
  ): Promise<ClientAnswer> => {
    const { runId } = serving
    const sessionId = runId.slice(0, runId.indexOf('.'))
    const nothing = () => {}
    const context = { signal: own, callId, runId, sessionId, idempotencyKey: key }
    try {
      const input = await inputOf(tool, args)
      const value = await tool.execute(input, { ...context, progress: nothing, text: nothing })
      return { result: toPlain(value ?? null) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { error: message.slice(0, 4_000) || 'it gave no reason' }
    }
  }

  const hear = (event: RunEvent) => {
    if (event.type === 'client_tool_call') void take(event)
    else if (event.type === 'tool_result') {
      elsewhere.delete(event.callId)
    } else if (event.type === 'tool_call_progress' && isFreed(event.value)) {
      const call = elsewhere.get(event.callId)
      elsewhere.delete(event.callId)
      if (call) void take(call)
    } else if (event.type === 'tool_call_end' && event.outcome !== 'completed') {
      for (const [key, controller] of own) {
        if (key.endsWith(`:${event.callId}`))
          controller.abort(new DOMException('Over', 'AbortError'))
      }
    }
  }

  const begin = async () => {
    const { pendingCalls, lastSeq } = await read()
    if (signal.aborted) return
    unlisten = listen(hear, lastSeq)
    for (const call of pendingCalls) void take(call)
  }

  const stop = () => {
    stopped.abort(new DOMException('The page no longer serves tools.', 'AbortError'))
    unlisten()
    page.removeEventListener?.('pagehide', leave)
  }

  /** A page that goes away says so: others need not wait for its leases to end. */
  const leave = () => {
    for (const key of own.keys()) {
      const callId = key.slice(key.lastIndexOf(':') + 1)
      const url = `${path}/calls/${encodeURIComponent(callId)}/lease`
      const body = { key, owner, release: true }
      requests.send(url, { method: 'POST', body, keepalive: true }).catch(() => {})
    }
    stop()
  }

  page.addEventListener?.('pagehide', leave)
  begin().catch((error) => !signal.aborted && onError(error))
  return stop
}

/** The server has checked the JSON Schema; a Standard Schema's own checks and transforms are the page's. */
async function inputOf({ inputSchema }: AnyTool, args: JsonObject): Promise<unknown> {
  const checked = await standardOf(inputSchema)?.['~standard'].validate(args)
  if (!checked) return args
  if (checked.issues) throw new Error(checked.issues.map(({ message }) => message).join('; '))
  return checked.value
}

function isFreed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'lease' in value && value.lease === null
}
