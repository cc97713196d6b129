/**
 * A source that is read as a whole from somewhere: a folder, a list of packages, a store.
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import { inTime } from '../execute/copy.ts'
import { errorText } from '../execute/render-result.ts'
import { createTurns } from '../turns.ts'
import type { SourceHealth, SourceProblem, ToolSource } from './source.ts'
import type { AnyTool } from './tool.ts'

/** What a source read: tools whose `version` changes with all that they are made of. */
export interface SourceReading {
  readonly tools: readonly AnyTool[]
  readonly problems: readonly SourceProblem[]
}

export interface ReadSourceOptions {
  readonly name: string
  readonly prefix: string
  readonly read: () => Promise<SourceReading>
  /** Milliseconds that a reading may take; default 10,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** A source whose tools are read anew by `load`. */
export type LoadedSource = ToolSource & { readonly load: () => Promise<void> }

/**
 * The first look at its tools starts the first reading. A tool whose version is the same stays the same object; a reading
 * that fails leaves the tools as they were.
 */
export function readSource(options: ReadSourceOptions): LoadedSource {
  const { name, prefix, read, timeoutMs = 10_000, clock = systemClock } = options
  let tools: readonly AnyTool[] = []
  let health: SourceHealth = { status: 'loading', problems: [] }
  let started = false
  const turns = createTurns()

  const readOnce = async () => {
    try {
      const found = await inTime<SourceReading | undefined>(read(), timeoutMs, () => undefined)
      if (!found) throw new Error(`it was not read within ${timeoutMs / 1_000} s`)
      tools = unchanged(tools, found.tools)
      health = { status: 'ready', updatedAt: clock(), problems: found.problems }
    } catch (error) {
      health = { ...health, status: 'failed', message: errorText(error) }
    }
  }

  const load = () => {
    started = true
    // One after another: whoever asks gets what was there when it asked, or newer.
    return turns('', readOnce)
  }

  return {
    name,
    prefix,
    tools() {
      if (!started) void load()
      return tools
    },
    health: () => health,
    load,
  }
}

/** The same array when nothing has changed, and the same objects where nothing has. */
function unchanged(before: readonly AnyTool[], now: readonly AnyTool[]): readonly AnyTool[] {
  const known = new Map(before.map((tool) => [`${tool.name}\n${tool.version}`, tool]))
  const kept = now.map((tool) => known.get(`${tool.name}\n${tool.version}`) ?? tool)
  const isSame = kept.length === before.length && kept.every((tool, at) => tool === before[at])
  return isSame ? before : kept
}
