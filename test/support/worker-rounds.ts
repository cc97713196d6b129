/** Rounds over HTTP, with a person who approves whatever is asked. */
import type { ToolResult } from '../../src/index.ts'
import type { TestWorker } from './worker.ts'

export interface RoundAnswer {
  readonly results: ToolResult[]
  readonly pendingApprovals: { callId: string; token: string; name: string; arguments: object }[]
  readonly pendingCalls: { callId: string; key: string; name: string; arguments: object }[]
}

export interface WorkerRounds {
  /** Opens a run and gives its path. */
  readonly open: (body?: object) => Promise<string>
  readonly round: (
    run: string,
    calls: object[],
    roundId: string,
  ) => Promise<{ status: number; body: RoundAnswer }>
  /** Dispatches and approves whatever is asked. */
  readonly finish: (run: string, calls: object[], roundId: string) => Promise<ToolResult[]>
  /** The same under a fresh round id. */
  readonly done: (run: string, ...calls: object[]) => Promise<ToolResult[]>
}

/** `worker` is looked up anew each time: a test may restart it. */
export function workerRounds(worker: () => TestWorker): WorkerRounds {
  let rounds = 0
  const round: WorkerRounds['round'] = async (run, calls, roundId) => {
    const body = { calls, roundId, approvals: 'ask' }
    const response = await worker().post(`${run}/rounds`, body)
    return { status: response.status, body: (await response.json()) as RoundAnswer }
  }
  const finish: WorkerRounds['finish'] = async (run, calls, roundId) => {
    for (;;) {
      const { status, body } = await round(run, calls, roundId)
      if (status === 200) return body.results
      const answers = body.pendingApprovals.map(({ callId, token }) => ({
        callId,
        token,
        decision: 'approve',
      }))
      if (answers.length > 0) await worker().post(`${run}/approvals`, { answers })
      else await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return {
    async open(body = {}) {
      const opened = await worker().post('/v1/runs', body)
      return `/v1/runs/${((await opened.json()) as { runId: string }).runId}`
    },
    round,
    finish,
    done(run, ...calls) {
      rounds += 1
      return finish(run, calls, `r${rounds}`)
    },
  }
}
