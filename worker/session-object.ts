/**
 * The Durable Object of one session: a dispatcher around its own storage.
 * @module
 */
import { DurableObject } from 'cloudflare:workers'
import {
  type Approver,
  createDispatcher,
  type Dispatcher,
  type Mode,
  promptApprover,
} from '../src/index.ts'
import { kvCacheStore } from '../src/result-cache/kv.ts'
import { durableObjectRunStore } from '../src/run-state/durable-object.ts'
import { defaultMode, type Env, maxConcurrent, modes } from './env.ts'
import { roundKey, runRoutes } from './run-routes.ts'
import { workerTools } from './worker-tools.ts'

/** Nobody may come back to a question: after fifteen minutes it counts as denied, and the round goes on. */
const approvalTimeoutMs = 900_000

export class SessionObject extends DurableObject<Env> {
  readonly #routes: ReturnType<typeof runRoutes>

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    const store = durableObjectRunStore(state.storage)
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
    const prompt = promptApprover({ timeoutMs: approvalTimeoutMs })
    /** Rounds whose client waits for a person; the others are not asked about. */
    const asking = new Map<string, number>()
    const approver: Approver = (batch) =>
      asking.has(roundKey(batch.runId, batch.roundId)) ? prompt.approver(batch) : []
    const dispatchers = new Map<Mode, Dispatcher>()
    const tools = workerTools(env, store)
    const dispatcherFor = (mode: Mode): Dispatcher => {
      const made = dispatchers.get(mode)
      if (made) return made
      const dispatcher = createDispatcher({
        tools,
        mode,
        maxConcurrent: maxConcurrent(env),
        cache: kvCacheStore(env.RESULTS, { waitUntil }),
        store,
        approver,
        waitUntil,
      })
      dispatchers.set(mode, dispatcher)
      return dispatcher
    }
    this.#routes = runRoutes({
      store,
      prompt,
      asking,
      waitUntil,
      modeOf: (runId) => {
        const kept = state.storage.kv.get<string>(`mode:${runId}`)
        return modes.find((mode) => mode === kept) ?? defaultMode(env)
      },
      keepMode: (runId, mode) => state.storage.kv.put(`mode:${runId}`, mode),
      dispatcherFor,
    })
  }

  override fetch(request: Request): Response | Promise<Response> {
    return this.#routes.fetch(request)
  }
}
