/**
 * Runs on the Worker, through threepass/client: their events, their questions, and this page's tools.
 * @module
 */
import { type Client, createClient, type RemoteRun, requestProblem } from '../src/client/index.ts'
import type { ClientTools, Mode, RunEvent } from '../src/index.ts'

export interface WorkerLink {
  readonly client: Client
  /** Opens a run and serves this page's tools to it. */
  readonly open: (mode: Mode) => Promise<RemoteRun>
  /** One that is there already. */
  readonly attach: (runId: string) => RemoteRun
}

export interface WorkerLinkOptions {
  readonly token: () => string
  readonly tools: ClientTools
  readonly onEvent: (event: RunEvent, run: RemoteRun) => void
  readonly onError: (error: unknown) => void
}

export function workerLink({ token, tools, onEvent, onError }: WorkerLinkOptions): WorkerLink {
  const client = createClient({ token })
  const heard = (run: RemoteRun): RemoteRun => {
    run.listen((event) => onEvent(event, run))
    return run
  }
  const given = { clientTools: tools, onError }
  return {
    client,
    open: async (mode) => heard(await client.openRun({ mode, ...given })),
    attach: (runId) => heard(client.attachRun(runId, given)),
  }
}

/** The Worker wants a token, or another one. */
export function wantsToken(error: unknown): boolean {
  return requestProblem(error)?.status === 401
}
