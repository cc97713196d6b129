/**
 * mcpSource: the tools of an MCP server, as they come, change and go.
 *
 * ```ts
 * const source = mcpSource({
 *   server: 'tickets',
 *   url: 'https://tickets.example.com/mcp',
 *   fetch: guardedFetch(),
 *   auth: () => token,
 * })
 * const dispatcher = createDispatcher({ tools, sources: [source] })
 * ```
 * @module
 */
import { pause } from '../clock.ts'
import type { ToolSource } from '../tools/source.ts'
import { callTool } from './call.ts'
import { toolMaker } from './list.ts'
import { prefixOf } from './names.ts'
import { checkOptions, type McpSourceOptions } from './options.ts'
import { createReading, type Reading } from './reading.ts'
import { createSession } from './session.ts'

export interface McpSource extends ToolSource {
  readonly load: () => Promise<void>
  /** What the server says about itself, for a system prompt; `''` when it says nothing or is not known yet. */
  readonly instructions: () => string
  /**
   * Ends OAuth's question to a person: takes the query of the address that the person's browser was sent
   * back to, then loads. Rejects with `THREEPASS_REQUEST_FAILED` when that is refused.
   */
  readonly authorize: (callback: URLSearchParams) => Promise<void>
  /** Ends the session with the server. The source has no tools any more. */
  readonly close: () => Promise<void>
}

/**
 * The source `mcp:<server>`. Nothing is sent before its tools are first asked for. A server that is slow
 * or gone delays nobody: its last tools stay, `health` says what is wrong, and tries are 1 to 60 seconds
 * apart. Throws `THREEPASS_BAD_OPTION`.
 */
export function mcpSource(given: McpSourceOptions): McpSource {
  const options = checkOptions(given)
  const { server, loadTimeoutMs } = options
  const prefix = prefixOf(server)
  const session = createSession(options, {
    onChange() {
      reading.changed()
      read().catch(() => {})
    },
    // Read when it is next used: an idle source costs nothing.
    onGap: () => reading.changed(),
  })
  const toTools = toolMaker(prefix, options, (called, args, context) =>
    callTool(called, args, context, {
      connect: () => session.connect(true),
      async drop(link, { why, unauthorized }) {
        session.drop(link)
        return unauthorized ? session.failed(why, true) : why
      },
    }),
  )
  const reading: Reading = createReading(session, options, toTools)
  const read = shared(reading.read)
  let recalled: Promise<void> | undefined
  const load = shared(async () => {
    recalled ??= reading.recall().catch(() => {})
    await recalled
    if (!reading.isStale() || !(await session.mayTry())) return
    await atMost(2 * loadTimeoutMs, read()).catch(() => {})
  })

  return {
    name: `mcp:${server}`,
    prefix,
    tools() {
      if (reading.isStale()) void load()
      return reading.tools()
    },
    health: reading.health,
    load,
    instructions: reading.instructions,
    async authorize(callback) {
      await session.authorize(callback)
      await load()
    },
    async close() {
      await session.close()
      reading.forget()
    },
  }
}

/** Work under way is joined, not begun a second time. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Settles as the work does, or after so many milliseconds. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController()
  const late = pause(ms, over.signal).catch(() => {})
  try {
    await Promise.race([work, late])
  } finally {
    over.abort()
  }
}
