/** A source of an MCP server behind a dispatcher, for tests. */
import {
  type AnyTool,
  createDispatcher,
  type DispatcherOptions,
  type JsonObject,
  type Run,
  type RunEvent,
  type ToolResult,
} from '../../src/index.ts'
import { type McpSource, type McpSourceOptions, mcpSource } from '../../src/mcp/index.ts'
import { guardedFetch } from '../../src/net/guarded-fetch.ts'

/** Servers of the tests live on this machine. */
export const localFetch: typeof fetch = guardedFetch({ allowHosts: ['127.0.0.1'] })

export interface OpenSource {
  readonly source: McpSource
  readonly run: Run
  readonly events: RunEvent[]
  /** Calls a tool by its full name or by the server's own. */
  readonly call: (name: string, args?: JsonObject, signal?: AbortSignal) => Promise<ToolResult>
  readonly names: () => string[]
}

/** Everything is approved unless the options say otherwise. */
export function openSource(
  url: string,
  options: Partial<McpSourceOptions> = {},
  dispatcher: Partial<DispatcherOptions> = {},
): OpenSource {
  const source = mcpSource({ server: 'odd', url, fetch: localFetch, ...options })
  const events: RunEvent[] = []
  const run = createDispatcher({
    tools: [] as AnyTool[],
    sources: [source],
    mode: 'full',
    ...(!dispatcher.approver && { unattended: 'allow' }),
    onEvent: (event) => events.push(event),
    ...dispatcher,
  }).run()
  let calls = 0
  return {
    source,
    run,
    events,
    async call(name, args = {}, signal) {
      calls += 1
      const full = name.startsWith(source.prefix) ? name : source.prefix + name
      const call = { id: `c${calls}`, name: full, arguments: args }
      const { results } = await run.dispatch([call], signal ? { signal } : {})
      return results[0] as ToolResult
    },
    names: () => source.tools().map(({ name }) => name),
  }
}

/** A tool of a server's list. */
export function listed(name: string, more: object = {}): object {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more }
}
