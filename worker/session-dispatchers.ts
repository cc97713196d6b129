/**
 * The dispatchers of one session: one for each mode and set of client tools that its runs have.
 * @module
 */
import {
  type AnyTool,
  type Approver,
  type CacheStore,
  type ClientCalls,
  type ClientToolDefinition,
  createDispatcher,
  type Diagnostic,
  type Dispatcher,
  type EventListener,
  type Hints,
  type Mode,
  type Run,
  type RunStore,
  type ToolSource,
} from '../src/index.ts'
import { defaultMode, type Env, maxConcurrent } from './env.ts'

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
  /** The Worker's own. */
  readonly tools: readonly AnyTool[]
  readonly sources: readonly ToolSource[]
  readonly cache: CacheStore
  readonly approver: Approver
  readonly hints: Hints
  readonly clientCalls: ClientCalls
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly onEvent: EventListener
  /** Runs of which something is under way: their dispatchers must stay the same. */
  readonly liveRuns: () => readonly string[]
}

/** Dispatchers that are kept; each message of a chat may bring other tools of the page. */
const mostDispatchers = 16

export function sessionDispatchers(parts: DispatcherParts): SessionDispatchers {
  const { env, kv, store, cache, tools, sources, approver, hints, clientCalls } = parts
  const { waitUntil, onEvent, liveRuns } = parts
  const made = new Map<string, Dispatcher>()

  const dispatcherOf = (runId: string): Dispatcher => {
    const key = keyOf(runId)
    const own = made.get(key) ?? make(setupOf(runId))
    // The last used stands last.
    made.delete(key)
    if (made.size >= mostDispatchers) forgetOldest()
    made.set(key, own)
    return own
  }

  const forgetOldest = () => {
    const live = new Set(liveRuns().map(keyOf))
    const idle = [...made.keys()].find((key) => !live.has(key))
    if (idle !== undefined) made.delete(idle)
  }

  const keyOf = (runId: string): string => {
    const { mode, clientTools } = setupOf(runId)
    return JSON.stringify([mode, clientTools])
  }

  const make = ({ mode, clientTools }: RunSetup): Dispatcher =>
    createDispatcher({
      // The server's come first: a client tool of the same name is the one that is refused.
      tools: [...tools, ...(clientCalls.tools(clientTools) as AnyTool[])],
      sources,
      badTools: clientTools.length > 0 ? 'skip' : 'throw',
      mode,
      maxConcurrent: maxConcurrent(env),
      cache,
      store,
      hints,
      approver,
      waitUntil,
      onEvent,
    })

  const setupOf = (runId: string): RunSetup => ({
    mode: defaultMode(env),
    clientTools: [],
    ...kv.get<Partial<RunSetup>>(`setup:${runId}`),
  })

  return {
    keep: (runId, setup) => kv.put(`setup:${runId}`, setup),
    setupOf,
    dispatcherOf,
    open: (runId) => dispatcherOf(runId).run({ runId }),
    refusedOf(runId) {
      const names = new Set(setupOf(runId).clientTools.map(({ name }) => name))
      return dispatcherOf(runId).diagnostics.filter(
        ({ tool, code }) => names.has(tool) && code !== 'repaired-schema',
      )
    },
  }
}
