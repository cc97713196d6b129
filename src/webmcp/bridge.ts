/**
 * The page's own WebMCP tools as client tools.
 *
 * ```ts
 * const tools = createClientTools()
 * const bridge = bridgeModelContext(tools)
 * await bridge.ready
 * createDispatcher({ tools: tools.tools() })
 * ```
 * @module
 */
import { errorText } from '../execute/render-result.ts'
import type { Json, JsonObject } from '../round.ts'
import type { ClientTools } from '../tools/client-tools.ts'
import type { SourceProblem } from '../tools/source.ts'
import type { AnyTool, JsonSchema } from '../tools/tool.ts'
import { findModelContext, type ListedTool, type ModelContext, offeredTo } from './model-context.ts'

export interface BridgeOptions {
  /** Default: the page's, where there is one. */
  readonly modelContext?: ModelContext | undefined
  /** Called when tools have come or gone. */
  readonly onChange?: () => void
}

export interface Bridge {
  /** Whether this browser lists the page's tools. Without it the bridge has none, and that is all. */
  readonly isAvailable: boolean
  /** The first list has been read. */
  readonly ready: Promise<void>
  /** Tools that could not be taken. */
  readonly problems: () => readonly SourceProblem[]
  /** Takes its tools away again. */
  readonly close: () => void
}

/**
 * Registers what stands in the browser's list, and follows it as it changes. They run serially; what says
 * `readOnlyHint` and comes from this very origin is read-only, what says `consequentialHint` always asks. A
 * name that a client tool has already stays with that one. Tools that were offered from here are left out.
 */
export function bridgeModelContext(tools: ClientTools, options: BridgeOptions = {}): Bridge {
  const { modelContext: context = findModelContext(), onChange } = options
  if (!context?.getTools || !context.executeTool) {
    return { isAvailable: false, ready: Promise.resolve(), problems: () => [], close: () => {} }
  }
  const taken = new Map<string, { readonly told: string; readonly remove: () => void }>()
  let problems: SourceProblem[] = []
  let isOpen = true

  const sync = async () => {
    const listed = await context.getTools?.()
    if (!isOpen) return
    const own = offeredTo(context)
    const found = new Map((listed ?? []).map((tool) => [tool.name, tool]))
    // One that is bridged is the page's: an offer of its name will be refused.
    for (const name of own) if (!taken.has(name)) found.delete(name)
    for (const [name, { told, remove }] of taken) {
      const now = found.get(name)
      if (now && toldOf(now) === told) continue
      remove()
      taken.delete(name)
    }
    problems = []
    for (const [name, tool] of found) {
      if (taken.has(name)) continue
      try {
        const remove = tools.registerClientTool(clientTool(tool, context))
        taken.set(name, { told: toldOf(tool), remove })
      } catch (error) {
        problems.push({ definition: name, message: errorText(error) })
      }
    }
    onChange?.()
  }
  /** One after another; what a browser throws leaves the tools as they were. */
  let last = Promise.resolve()
  const follow = () => {
    last = last.then(sync).catch((error: unknown) => {
      problems = [{ definition: '*', message: errorText(error) }]
    })
    return last
  }
  const onToolChange = () => void follow()
  context.addEventListener?.('toolchange', onToolChange)
  return {
    isAvailable: true,
    ready: follow(),
    problems: () => problems,
    close() {
      isOpen = false
      context.removeEventListener?.('toolchange', onToolChange)
      for (const { remove } of taken.values()) remove()
      taken.clear()
    },
  }
}

function toldOf({ description, inputSchema, annotations, origin }: ListedTool): string {
  return JSON.stringify([description, inputSchema, annotations, origin])
}

function clientTool(tool: ListedTool, context: ModelContext): AnyTool {
  const { name, description, inputSchema, annotations = {}, origin } = tool
  const { location } = globalThis as { location?: { readonly origin: string } }
  const isOurs = origin === undefined || origin === location?.origin
  return {
    name,
    description: description || `The page's tool ${name}.`,
    inputSchema: (inputSchema ?? { type: 'object' }) as JsonSchema,
    readOnly: isOurs && annotations.readOnlyHint === true,
    ...(annotations.consequentialHint && { confirm: 'always' }),
    async execute(args: JsonObject, { signal }): Promise<Json> {
      // As it is now: the browser takes the tool itself, and the page may have made it anew.
      const now = (await context.getTools?.())?.find((each) => each.name === name)
      if (!now) throw new Error(`the page has no tool ${name} any more`)
      try {
        return fromText(await context.executeTool?.(now, args, { signal }))
      } catch (error) {
        signal.throwIfAborted()
        throw new Error(`the page's tool failed: ${errorText(error)}`)
      }
    },
  }
}

/** The browser gives text: what a tool answered that was no text comes as JSON. */
function fromText(answer: unknown): Json {
  const text = String(answer ?? '')
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
