/**
 * The server's list of tools: read, taken in one step, and kept for the next start.
 * @module
 */
import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from '../dedupe/call-key.ts'
import { errorText } from '../execute/render-result.ts'
import type { Json, JsonObject } from '../round.ts'
import type { SourceHealth, SourceProblem } from '../tools/source.ts'
import type { AnyTool } from '../tools/tool.ts'
import { fateOf } from './fate.ts'
import type { Link, Listed } from './link.ts'
import type { ToolList } from './list.ts'
import type { CheckedOptions, McpToolList } from './options.ts'
import type { Session } from './session.ts'

export interface Reading {
  readonly tools: () => readonly AnyTool[]
  readonly instructions: () => string
  readonly health: () => SourceHealth
  /** The list must be read before it is relied on. */
  readonly isStale: () => boolean
  /** The tools are other ones now, or may be. */
  readonly changed: () => void
  /** Takes what was kept at an earlier time, unless the server has been heard since. */
  readonly recall: () => Promise<void>
  /** Reads the list, and again while it changes meanwhile. Rejects when it cannot be read. */
  readonly read: () => Promise<void>
  readonly forget: () => void
}

const keepListMs = 30 * 24 * 3_600_000
/** Readings one after another because the list has changed meanwhile. */
const mostReadings = 5

export function createReading(
  session: Session,
  options: CheckedOptions,
  toTools: (given: readonly Tool[]) => ToolList,
): Reading {
  const { clock, server, refreshMs } = options
  let tools: readonly AnyTool[] = []
  let problems: readonly SourceProblem[] = []
  let instructions = ''
  /** When the server was last heard; what was kept does not count. */
  let updatedAt: number | undefined
  /** The session that the list was read in. */
  let readIn: Link | undefined
  let made = ''
  let hasChanged = false

  /** The same tools stay the same array. */
  const take = (given: readonly Tool[], found: readonly SourceProblem[], told: string) => {
    const list = toTools(given)
    const now = canonicalJson(given as unknown as Json)
    if (now !== made) tools = list.tools
    made = now
    problems = [...found, ...list.problems]
    instructions = told
  }

  return {
    tools: () => tools,
    instructions: () => instructions,
    health() {
      const message = session.failure()
      const rest = { problems, ...(updatedAt !== undefined && { updatedAt }) }
      if (message !== undefined) return { status: 'failed', message, ...rest }
      return { status: updatedAt === undefined ? 'loading' : 'ready', ...rest }
    },
    isStale() {
      if (updatedAt === undefined || hasChanged || session.failure() !== undefined) return true
      const link = session.current()
      // In a new session the server may be a new one.
      if (link !== undefined && link !== readIn) return true
      return link?.hears() !== true && clock() - updatedAt > refreshMs
    },
    changed() {
      hasChanged = true
    },
    async recall() {
      const kept = await options.store?.load(keyOf(options))
      if (kept?.url !== addressOf(options) || updatedAt !== undefined) return
      take(kept.tools as unknown as Tool[], [], kept.instructions)
    },
    async read() {
      for (let times = 0; times < mostReadings; times += 1) {
        hasChanged = false
        const { link, ...listed } = await listIn(session, server)
        take(listed.tools, listed.problems, link.instructions)
        updatedAt = clock()
        readIn = link
        session.succeeded()
        await keep(listed.tools, instructions, options).catch((error: unknown) => {
          problems = [...problems, notKept(error)]
        })
        if (!hasChanged) return
      }
    },
    forget() {
      tools = []
      made = ''
    },
  }
}

/** A session that is over is no reason not to have the list: it is read in a new one. */
async function listIn(
  session: Session,
  server: string,
  again = true,
): Promise<{ link: Link } & Listed> {
  const link = await session.connect()
  try {
    return { link, ...(await link.list()) }
  } catch (error) {
    const { over, unauthorized, why } = fateOf(error, link)
    if (over) session.drop(link)
    if (over && !unauthorized && again) return listIn(session, server, false)
    const what = `the list of tools of the MCP server "${server}" cannot be read: ${why}`
    await session.failed(what, unauthorized)
    throw error
  }
}

async function keep(
  tools: readonly Tool[],
  instructions: string,
  options: CheckedOptions,
): Promise<void> {
  const now = options.clock()
  const list: McpToolList = {
    url: addressOf(options),
    tools: tools as unknown as JsonObject[],
    instructions,
    readAt: now,
  }
  await options.store?.save(keyOf(options), list, { now, forgetAt: now + keepListMs })
}

function keyOf({ server }: CheckedOptions): string {
  return `mcp:${server}`
}

/** Without its query, which may hold a key. */
function addressOf({ url }: CheckedOptions): string {
  return url.origin + url.pathname
}

function notKept(error: unknown): SourceProblem {
  const message = `The list could not be kept for the next start: ${errorText(error)}.`
  return { definition: 'store', message }
}
