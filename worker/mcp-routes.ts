/**
 * /mcp: the tools of a session for MCP clients, served inside its object.
 * @module
 */
import type { Approver, Dispatcher } from '../src/index.ts'
import { type McpHandler, mcpHandler } from '../src/mcp-server/index.ts'
import { type Env, listed } from './env.ts'
import { newRunId } from './run-id.ts'

/** Requests of the newer versions name no session, and share this one unless their address names another. */
const sharedSession = 'mcp'

/** Which session a request belongs to: an MCP session's id, which this Worker has given, begins with it. */
export function mcpSessionOf(request: Request): string | undefined {
  const id = request.headers.get('mcp-session-id')
  if (id !== null) return /^([A-Za-z0-9_-]{1,64})\.[A-Za-z0-9-]+$/.exec(id)?.[1]
  return new URL(request.url).searchParams.get('session') ?? undefined
}

/** For a request that names none: one that opens an MCP session gets files of its own. */
export function freshMcpSession(text: string): string {
  return /"method"\s*:\s*"initialize"/.test(text) ? crypto.randomUUID() : sharedSession
}

/** The request as its session's object is given it: with the session in its address. */
export function mcpRequest({ url, method, headers, signal }: Request, id: string, text: string) {
  const address = new URL(url)
  address.searchParams.set('session', id)
  return new Request(address, { method, headers, signal, ...(text !== '' && { body: text }) })
}

/** `?expose=deferred`: find_tools and run_tool alone. */
export function mcpRoutes(
  env: Env,
  dispatcher: (approver: Approver) => Dispatcher,
): (request: Request) => Promise<Response> {
  const handlers = new Map<'all' | 'deferred', McpHandler>()
  const open = (expose: 'all' | 'deferred'): McpHandler => {
    let made: Dispatcher | undefined
    return mcpHandler({
      dispatcher(approver) {
        made = dispatcher(approver)
        return made
      },
      expose,
      allowedOrigins: listed(env.ALLOWED_ORIGINS),
      newSessionId: (request) => `${sessionIn(request)}.${crypto.randomUUID()}`,
      openRun({ request, ...given }) {
        const sessionId = sessionIn(request)
        return (made as Dispatcher).run({ ...given, sessionId, runId: newRunId(sessionId) })
      },
    })
  }
  return (request) => {
    const wish = new URL(request.url).searchParams.get('expose')
    const expose = wish === 'deferred' ? 'deferred' : 'all'
    const handler = handlers.get(expose) ?? open(expose)
    handlers.set(expose, handler)
    return handler(request)
  }
}

/** The Worker puts it into each address. */
function sessionIn(request: Request): string {
  return new URL(request.url).searchParams.get('session') ?? sharedSession
}
