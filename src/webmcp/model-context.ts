/**
 * WebMCP as browsers have it: the tools of a page, for agents in the browser.
 * https://webmachinelearning.github.io/webmcp/
 * @module
 */

/** What a page says of a tool beside its schema; all of it is a hint. */
export interface ModelContextAnnotations {
  readonly readOnlyHint?: boolean
  readonly consequentialHint?: boolean
  readonly untrustedContentHint?: boolean
}

/** A tool as a page registers it. */
export interface ModelContextTool {
  readonly name: string
  readonly description: string
  readonly inputSchema?: object
  readonly annotations?: ModelContextAnnotations
  readonly execute: (input: unknown, client?: { readonly signal?: AbortSignal }) => unknown
}

/** A tool as the browser lists it. */
export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
  readonly annotations?: ModelContextAnnotations
  /** Of the document that registered it. */
  readonly origin?: string
}

/**
 * `document.modelContext`, or `navigator.modelContext` of earlier browsers, whose `registerTool` may answer at
 * once and give something to take the tool away with.
 */
export interface ModelContext extends Partial<EventTarget> {
  registerTool(
    tool: ModelContextTool,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown> | { unregister(): void } | undefined
  unregisterTool?(name: string): void
  getTools?(): Promise<readonly ListedTool[]>
  executeTool?(
    tool: ListedTool,
    input: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>
}

/** The page's, or `undefined` where the browser has none or keeps it shut. */
export function findModelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as {
    document?: { modelContext?: ModelContext }
    navigator?: { modelContext?: ModelContext }
  }
  try {
    const found = document?.modelContext ?? navigator?.modelContext
    return typeof found?.registerTool === 'function' ? found : undefined
  } catch {
    // A frame that may not use it.
    return undefined
  }
}

/** Names that stand in a browser's list because they were offered from here. */
const offered = new WeakMap<ModelContext, Set<string>>()

export function offeredTo(context: ModelContext): Set<string> {
  const names = offered.get(context) ?? new Set()
  offered.set(context, names)
  return names
}
