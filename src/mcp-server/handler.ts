/**
 * mcpHandler: a dispatcher's tools for MCP clients, over Streamable HTTP.
 *
 * ```ts
 * const handler = mcpHandler({
 *   dispatcher: (approver) => createDispatcher({ tools, mode: 'full', approver }),
 * })
 * export default { fetch: (request) => handler(request) }
 * ```
 * @module
 */

import { createEndpoint, type Endpoint } from './endpoint.ts'
import { rpcError } from './http.ts'
import { checkOptions, type McpHandlerOptions } from './options.ts'
import { createConversations } from './questions.ts'

/** Answers the requests of MCP clients. */
export interface McpHandler {
  (request: Request): Promise<Response>
  /**
   * Tells clients that the tools changed. Each request looks by itself; call it when a source has changed
   * and nobody calls.
   */
  readonly toolsChanged: () => Promise<void>
  /** Ends all sessions and what is under way. */
  readonly close: () => Promise<void>
}

/**
 * Every call goes through the three passes of the dispatcher. It checks no token: put your own check before
 * it. Needs the package `@modelcontextprotocol/server`, which is loaded with the first request. Throws
 * `THREEPASS_BAD_OPTION`.
 */
export function mcpHandler(given: McpHandlerOptions): McpHandler {
  const conversations = createConversations()
  const options = checkOptions(given, conversations.approver)
  let endpoint: Promise<Endpoint> | undefined
  const open = () => {
    if (!endpoint) {
      endpoint = createEndpoint(options, conversations)
      endpoint.catch(() => {
        endpoint = undefined
      })
    }
    return endpoint
  }
  const handler = async (request: Request) => {
    const refused = refuseOrigin(request, options.allowedOrigins)
    return refused ?? (await open()).fetch(request)
  }
  return Object.assign(handler, {
    toolsChanged: async () => (await endpoint)?.announce(),
    close: async () => (await endpoint)?.close(),
  })
}

/** A page of another origin is not let in, whatever its browser would let it read. */
function refuseOrigin(request: Request, allowed: readonly string[]): Response | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(request.url).origin || allowed.includes(origin)) {
    return undefined
  }
  return rpcError(403, `The origin ${origin} may not use this server.`)
}
