/**
 * PORT ToolSource: tools from outside, which come, change and go while the dispatcher lives.
 * @module
 */
import { errorText } from '../execute/render-result.ts'
import type { AnyTool } from './tool.ts'

/** A definition that could not be used, or not as it stood; the others of its source are not touched by it. */
export interface SourceProblem {
  /** What it is called where it comes from: a file, an operation, a tool's name. */
  readonly definition: string
  /** What is wrong and how to put it right, one sentence. */
  readonly message: string
}

export interface SourceHealth {
  /**
   * `ready`: its tools are as it last said. `loading`: it has not answered yet. `failed`: it could not be
   * had; the tools that were known before, if any, stay.
   */
  readonly status: 'ready' | 'loading' | 'failed'
  /** Why it failed. */
  readonly message?: string
  /** When its tools were last read, in milliseconds since the epoch. */
  readonly updatedAt?: number
  readonly problems: readonly SourceProblem[]
}

/**
 * Gives `createDispatcher({ sources })` its tools. A source never delays a round that does not use it:
 * `tools` and `health` answer at once with what is known, and only a call of an unknown name that begins
 * with `prefix` waits for `load`.
 */
export interface ToolSource {
  /** Unique among a dispatcher's sources, such as `api` or `mcp:github`. */
  readonly name: string
  /** What all its tools' names begin with, such as `api_` or `mcp__github__`. */
  readonly prefix: string
  /** What is known now: the same array as long as nothing has changed, another one afterwards. */
  readonly tools: () => readonly AnyTool[]
  readonly health: () => SourceHealth
  /** Resolves when the source knows its tools or has given up, within its own time-out; never rejects. */
  readonly load?: () => Promise<void>
}

/** The source without the tools that `may` refuses. */
export function filteredSource(source: ToolSource, may: (tool: AnyTool) => boolean): ToolSource {
  let seen: readonly AnyTool[] | undefined
  let kept: readonly AnyTool[] = []
  const { name, prefix } = source
  return {
    name,
    prefix,
    health: () => source.health(),
    ...(source.load && { load: async () => source.load?.() }),
    tools() {
      const now = source.tools()
      if (now !== seen) kept = now.filter(may)
      seen = now
      return kept
    },
  }
}

/** What a source says of itself, also when it fails to. */
export function healthOf(source: ToolSource): SourceHealth {
  try {
    const { status, problems, ...rest } = source.health()
    return { ...rest, status, problems: problems ?? [] }
  } catch (error) {
    return { status: 'failed', message: errorText(error), problems: [] }
  }
}
