/**
 * createDispatcher: one round of a model's tool calls through three passes.
 *
 * ```ts
 * const dispatcher = createDispatcher({ tools: [add], mode: 'full' })
 * const run = dispatcher.run()
 * const { results } = await run.dispatch([{ id: 'c1', name: 'add', arguments: '{"a":1,"b":2}' }])
 * ```
 * @module
 */
import type { ToolDefinition } from './deferred/exposure.ts'
import type { DispatcherOptions } from './dispatcher-options.ts'
import { createShared, type Shared } from './engine.ts'
import { DispatchError } from './errors.ts'
import type { EventListener, RunEvent } from './events.ts'
import type { Exposure } from './preflight/gate.ts'
import type { RoundResult, ToolCall } from './round.ts'
import {
  copyCalls,
  type DispatchOptions,
  type OpenRun,
  openRun,
  type UnfinishedRound,
} from './run.ts'
import type { ReadEvents } from './run-state/event-log.ts'
import { type CatalogueEntry, catalogueOf } from './tools/catalogue.ts'
import type { Diagnostic } from './tools/registry.ts'
import { healthOf, type SourceHealth } from './tools/source.ts'
import type { Toolset } from './tools/toolset.ts'

/** Options of `dispatcher.run`. */
export interface RunOptions {
  /** The conversation; 1 to 512 characters. Default: the stored run's, else a fresh one. */
  readonly sessionId?: string
  /** Opens a run or resumes the one that the store has; 1 to 512 characters. Default: a fresh one. */
  readonly runId?: string
  /** Ends every round of this run. */
  readonly signal?: AbortSignal
  /** Hears this run's events from now on. */
  readonly onEvent?: EventListener
}

/** A run, opened or resumed. */
export interface Run {
  readonly runId: string
  /** The request's tools array, in MCP's form: sorted by name, the same bytes for the whole run. */
  readonly tools: readonly ToolDefinition[]
  /** The names block of `deferred` mode; `''` in the others. */
  readonly turnContext: string
  /**
   * Dispatches one round. Resolves with one result a call, in call order, on every path; what a model
   * does wrong is an outcome. Rejects with `THREEPASS_BAD_ROUND` (no array), `THREEPASS_ROUND_MISMATCH`
   * (this roundId came with other calls), `THREEPASS_BAD_OPTION` (the run is another session's) or
   * `THREEPASS_STORE_FAILED`, and then nothing has run.
   */
  dispatch(calls: readonly ToolCall[], options?: DispatchOptions): Promise<RoundResult>
  /**
   * Rounds with an id of the client's that a crash broke off, in order: `dispatch(calls, { roundId, … })`
   * takes each up where it was. What is under way in this process is not among them.
   */
  unfinished(): Promise<readonly UnfinishedRound[]>
  /** The run's events, from the first on or after `after`, then as they happen. */
  events(options?: ReadEvents): AsyncGenerator<RunEvent, void, void>
  /** Aborts what is under way, waits until it is committed, and stops the run for good. */
  cancel(reason?: unknown): Promise<void>
}

export interface Dispatcher {
  run(options?: RunOptions): Run
  /** The mode in force, `auto` decided; like what follows, as it is now. */
  readonly exposure: Exposure
  readonly tools: readonly ToolDefinition[]
  /** Every registered tool with its schema and traits, in name order; `find_tools` among them. */
  readonly catalogue: readonly CatalogueEntry[]
  /** Names of the tools that a search finds, best first: what find_tools ranks by. */
  search(query: string): Promise<string[]>
  /** What registration repaired or left out. */
  readonly diagnostics: readonly Diagnostic[]
  /** The sources and how they are, in their order. */
  readonly sources: readonly SourceEntry[]
}

/** What a run's model is shown. */
type Shown = Pick<Toolset, 'exposure' | 'tools' | 'turnContext'>

/** Runs for which that is kept; with thousands of tools, and changes between them, each may weigh a megabyte. */
const mostShown = 32
/** Idle runs that stay open in this process; an older one is opened from the store again. */
const mostIdleRuns = 1_000

/**
 * Creates a dispatcher. Throws `THREEPASS_BAD_OPTION`, `THREEPASS_BAD_TOOL`, `THREEPASS_BAD_SCHEMA` or
 * `THREEPASS_DUPLICATE_TOOL`, with what to do about it.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const shared = createShared(options)
  const opened = new Map<string, Promise<OpenRun>>()
  const idle = new Set<string>()
  /** The tools that a run's model is shown: the same for the whole run, whatever the sources do meanwhile. */
  const shown = new Map<string, Shown>()

  function open(runId: string, sessionId: string | undefined): Promise<OpenRun> {
    const { onEvent } = shared.options
    let run = opened.get(runId)
    if (!run) {
      run = openRun(runId, sessionId, shared, shownTo(runId).exposure, onEvent ? [onEvent] : [])
      opened.set(runId, run)
      // A run that could not be opened is tried anew next time.
      run.catch(() => opened.delete(runId))
    }
    idle.delete(runId)
    idle.add(runId)
    if (idle.size > mostIdleRuns) evict(opened, idle)
    return run
  }

  function shownTo(runId: string): Shown {
    const { exposure, tools, turnContext } = shown.get(runId) ?? shared.toolset()
    shown.delete(runId)
    // Not the whole set: its registry would be kept for each run that saw another one.
    shown.set(runId, { exposure, tools, turnContext })
    const [oldest] = shown.keys()
    if (shown.size > mostShown && oldest !== undefined) shown.delete(oldest)
    return { exposure, tools, turnContext }
  }

  return {
    get exposure() {
      return shared.toolset().exposure
    },
    get tools() {
      return shared.toolset().tools
    },
    get catalogue() {
      return catalogueOf(shared.toolset().registry)
    },
    get diagnostics() {
      return shared.toolset().diagnostics
    },
    get sources() {
      return sourcesOf(shared)
    },
    search: shared.search,
    run: (given = {}) => createRun(given, shownTo, open),
  }
}

/** How a source is, for a tools page. */
export interface SourceEntry extends SourceHealth {
  readonly name: string
  readonly prefix: string
  /** Its tools that can be called. */
  readonly tools: number
}

function sourcesOf({ sources, toolset }: Shared): SourceEntry[] {
  const counts = new Map<string, number>()
  for (const { source } of toolset().registry.values()) {
    if (source !== undefined) counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  return sources.map((source) => {
    const { name, prefix } = source
    return { name, prefix, tools: counts.get(name) ?? 0, ...healthOf(source) }
  })
}

async function evict(opened: Map<string, Promise<OpenRun>>, idle: Set<string>): Promise<void> {
  const [oldest] = idle
  if (oldest === undefined) return
  idle.delete(oldest)
  const run = await opened.get(oldest)?.catch(() => undefined)
  if (run?.busy() || idle.has(oldest)) idle.add(oldest)
  else opened.delete(oldest)
}

function createRun(
  given: RunOptions,
  shownTo: (runId: string) => Shown,
  open: (runId: string, sessionId: string | undefined) => Promise<OpenRun>,
): Run {
  checkId('runId', given.runId)
  checkId('sessionId', given.sessionId)
  const runId = given.runId ?? crypto.randomUUID()
  const { tools, turnContext } = shownTo(runId)
  let heard: OpenRun | undefined
  const opened = async () => {
    const run = await open(runId, given.sessionId)
    // A run that was idle for long may have been opened anew since.
    if (given.onEvent && heard !== run) run.log.listen(given.onEvent)
    heard = run
    return run
  }
  return {
    runId,
    tools,
    turnContext,
    async dispatch(calls, options = {}) {
      checkId('roundId', options.roundId)
      const own = copyCalls(calls)
      return (await opened()).dispatch(own, options, given.signal)
    },
    async unfinished() {
      return (await opened()).unfinished()
    },
    async *events(options) {
      yield* (await opened()).log.read(options)
    },
    async cancel(reason) {
      await (await opened()).cancel(reason)
    },
  }
}

function checkId(name: string, id: unknown): void {
  if (id === undefined || (typeof id === 'string' && id.length >= 1 && id.length <= 512)) return
  throw new DispatchError('THREEPASS_BAD_OPTION', `${name} must be a text of 1 to 512 characters.`)
}
