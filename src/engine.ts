/**
 * The parts that all runs of a dispatcher share, and what one round is given of them.
 * @module
 */
import { type Clock, systemClock } from './clock.ts'
import type { Bounds } from './commit/record.ts'
import type { Search } from './deferred/search.ts'
import { type DispatcherOptions, type Options, withDefaults } from './dispatcher-options.ts'
import type { Exposure } from './preflight/gate.ts'
import { createFlights, type Flights } from './result-cache/flights.ts'
import { memoryCacheStore } from './result-cache/memory.ts'
import type { CacheStore } from './result-cache/store.ts'
import type { ToolCall } from './round.ts'
import { memoryRunStore } from './run-state/memory.ts'
import type { RunStore } from './run-state/store.ts'
import { cfworkerValidator } from './schema/cfworker.ts'
import { loadSources } from './tools/load-sources.ts'
import type { Registry } from './tools/registry.ts'
import type { ToolSource } from './tools/source.ts'
import { createToolsets, type Toolset } from './tools/toolset.ts'

/** What a round is given: what all runs of a dispatcher share, and the tools as they are. */
export interface Engine extends Shared, Toolset {
  readonly bounds: Bounds
}

/** What all runs of a dispatcher share. */
export interface Shared {
  readonly options: Options
  readonly search: Search
  readonly sources: readonly ToolSource[]
  /** The tools as they are now. */
  readonly toolset: () => Toolset
  readonly store: RunStore
  readonly cache?: CacheStore
  readonly flights: Flights
  readonly clock: Clock
  readonly waitUntil: (work: Promise<unknown>) => void
}

export function createShared(given: DispatcherOptions): Shared {
  const options = withDefaults(given)
  const sources = options.sources ?? []
  const validator = options.validator ?? cfworkerValidator()
  const { current, search } = createToolsets({ ...options, validator, sources })
  const cache = options.cache === false ? undefined : (options.cache ?? memoryCacheStore())
  return {
    options,
    search,
    sources,
    toolset: current,
    store: options.store ?? memoryRunStore(),
    ...(cache && { cache }),
    flights: createFlights(),
    clock: options.clock ?? systemClock,
    waitUntil: options.waitUntil ?? ((work) => void work.catch(() => {})),
  }
}

/**
 * For one round: the tools as they are now, in the mode in which the run's model was shown them. Waits for
 * the sources that alone could know a name that the round calls.
 */
export async function engineFor(
  shared: Shared,
  exposure: Exposure,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<Engine> {
  await loadSources(shared.sources, calls, () => shared.toolset().registry, signal)
  const toolset = shared.toolset()
  const bounds = { ...shared.options, readOn: readOn(toolset.registry, exposure) }
  return { ...shared, ...toolset, exposure, bounds }
}

/** Names of the tool that pages a cut result, when the host has registered it. */
const readResultName = 'read_result'

function readOn(registry: Registry, exposure: Exposure): Bounds['readOn'] {
  if (!registry.has(readResultName)) return () => ''
  return (callId) => {
    const args = { call_id: callId, offset: 0 }
    const call =
      exposure === 'deferred'
        ? `run_tool(${JSON.stringify({ name: readResultName, args })})`
        : `${readResultName}(${JSON.stringify(args)})`
    return `Read the rest with ${call}.`
  }
}
