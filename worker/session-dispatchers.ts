/**
 * The dispatchers of one session: one for each mode and set of client tools that its runs have.
 * @module
 */
import {
  type AnyTool,
  type Approver,
  type ClientCalls,
  type ClientToolDefinition,
  createDispatcher,
  type Diagnostic,
  type Dispatcher,
  type EventListener,
  type Mode,
  type Run,
  type RunStore,
} from '../src/index.ts'
import { kvCacheStore } from '../src/result-cache/kv.ts'
import { defaultMode, type Env, maxConcurrent } from './env.ts'
import { workerTools } from './worker-tools.ts'

/** What a run was opened with. */
export interface RunSetup {
  readonly mode: Mode
  readonly clientTools: readonly ClientToolDefinition[]
}

export interface SessionDispatchers {
  readonly keep: (runId: string, setup: Partial<RunSetup>) => void
  readonly setupOf: (runId: string) => RunSetup
  readonly open: (runId: string) => Run
  readonly dispatcherOf: (runId: string) => Dispatcher
  /** Why client tools of this run were left out. */
  readonly refusedOf: (runId: string) => readonly Diagnostic[]
}

export interface DispatcherParts {
  readonly env: Env
  readonly kv: SyncKvStorage
  readonly store: RunStore
  readonly approver: Approver
  readonly clientCalls: ClientCalls
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly onEvent: EventListener
}

export function sessionDispatchers(parts: DispatcherParts): SessionDispatchers {
  const { env, kv, store, approver, clientCalls, waitUntil, onEvent } = parts
  const serverTools = workerTools(env, store)
  const made = new Map<string, Dispatcher>()

  const dispatcherFor = ({ mode, clientTools }: RunSetup): Dispatcher => {
    const key = JSON.stringify([mode, clientTools])
    const known = made.get(key)
    if (known) return known
    const dispatcher = createDispatcher({
      // The server's come first: a client tool of the same name is the one that is refused.
      tools: [...serverTools, ...(clientCalls.tools(clientTools) as AnyTool[])],
      badTools: clientTools.length > 0 ? 'skip' : 'throw',
      mode,
      maxConcurrent: maxConcurrent(env),
      cache: kvCacheStore(env.RESULTS, { waitUntil }),
      store,
      approver,
      waitUntil,
      onEvent,
    })
    made.set(key, dispatcher)
    return dispatcher
  }

  const setupOf = (runId: string): RunSetup => ({
    mode: defaultMode(env),
    clientTools: [],
    ...kv.get<Partial<RunSetup>>(`setup:${runId}`),
  })

  return {
    keep: (runId, setup) => kv.put(`setup:${runId}`, setup),
    setupOf,
    dispatcherOf: (runId) => dispatcherFor(setupOf(runId)),
    open: (runId) => dispatcherFor(setupOf(runId)).run({ runId }),
    refusedOf(runId) {
      const setup = setupOf(runId)
      const names = new Set(setup.clientTools.map(({ name }) => name))
      return dispatcherFor(setup).diagnostics.filter(
        ({ tool, code }) => names.has(tool) && code !== 'repaired-schema',
      )
    },
  }
}
