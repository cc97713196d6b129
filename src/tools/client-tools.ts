/**
 * Tools whose `execute` lives in a page: registered there, plain tools to a dispatcher in the page,
 * and definitions without code to send to a server.
 * @module
 */
import { DispatchError } from '../errors.ts'
import { jsonSchemaOf } from '../schema/standard.ts'
import type { AnyTool, JsonSchema, Tool } from './tool.ts'

/** What a page tells a server of one of its tools: plain JSON, no code. */
export interface ClientToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly readOnly?: boolean
  /** It may run beside other calls. */
  readonly concurrent?: boolean
  /** Milliseconds. */
  readonly timeout?: number
}

export interface ClientTools {
  /**
   * Registers a page tool; the returned function takes exactly this one away again.
   * Throws `THREEPASS_DUPLICATE_TOOL` while another tool has the name.
   */
  readonly registerClientTool: <Args>(tool: Tool<Args>) => () => void
  /** For `createDispatcher({ tools })`: marked as client tools, so always in the tools array. */
  readonly tools: () => readonly AnyTool[]
  /** For a server, in name order. */
  readonly definitions: () => readonly ClientToolDefinition[]
}

export function createClientTools(): ClientTools {
  const registered = new Map<string, AnyTool>()
  return {
    registerClientTool(tool) {
      const { name } = tool
      if (registered.has(name)) {
        throw new DispatchError(
          'THREEPASS_DUPLICATE_TOOL',
          `The page has a tool named "${name}" already: take it away first, or name this one otherwise.`,
        )
      }
      const own: AnyTool = { ...tool, origin: 'client' }
      registered.set(name, own)
      return () => {
        if (registered.get(name) === own) registered.delete(name)
      }
    },
    tools: () => [...registered.values()],
    definitions: () =>
      [...registered.values()].map(definitionOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function definitionOf(tool: AnyTool): ClientToolDefinition {
  const { name, description, inputSchema, readOnly, concurrent, timeout } = tool
  return {
    name,
    description: description ?? '',
    inputSchema: jsonSchemaOf(name, inputSchema),
    ...(readOnly && { readOnly }),
    ...(concurrent && { concurrent }),
    ...(timeout !== undefined && Number.isFinite(timeout) && { timeout }),
  }
}
