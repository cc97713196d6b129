/**
 * Sessions of clients of the older versions, in memory: a client whose session is over opens another, as the
 * protocol says.
 * @module
 */
import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { rpcError } from './http.ts'
import type { CheckedOptions } from './options.ts'

export interface Sessions {
  /** A POST comes with its body, parsed. */
  readonly fetch: (request: Request, body: unknown) => Promise<Response>
  readonly forEach: (visit: (server: Server) => void) => void
  readonly close: () => Promise<void>
}

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
}

type Sdk = typeof import('@modelcontextprotocol/server')

export function createSessions(
  sdk: Sdk,
  options: CheckedOptions,
  serverFor: (sessionId: string, request: Request) => Server,
): Sessions {
  const { newSessionId, maxSessions, maxRequestBytes, eventStore } = options
  /** The one not used for longest stands first. */
  const sessions = new Map<string, Session>()

  const begin = async (request: Request, body: unknown): Promise<Response> => {
    const id = newSessionId(request)
    const server = serverFor(id, request)
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: maxRequestBytes,
      ...(eventStore && { eventStore }),
      onsessioninitialized: () => {
        sessions.set(id, { server, transport })
        endOldest()
      },
    })
    transport.onclose = () => {
      if (sessions.get(id)?.server === server) sessions.delete(id)
    }
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody: body })
  }

  const endOldest = () => {
    const [oldest] = sessions.values()
    if (sessions.size > maxSessions && oldest) void oldest.server.close().catch(() => {})
  }

  return {
    async fetch(request, body) {
      const id = request.headers.get('mcp-session-id')
      const session = id === null ? undefined : sessions.get(id)
      if (id !== null && session) {
        sessions.delete(id)
        sessions.set(id, session)
        return session.transport.handleRequest(request, { parsedBody: body })
      }
      if (id !== null) return rpcError(404, 'Session not found', -32_001)
      if (request.method === 'POST' && sdk.isInitializeRequest(body)) return begin(request, body)
      return rpcError(400, 'Bad Request: a session begins with initialize')
    },
    forEach(visit) {
      for (const { server } of sessions.values()) visit(server)
    },
    async close() {
      const open = [...sessions.values()]
      sessions.clear()
      await Promise.all(open.map(({ server }) => server.close().catch(() => {})))
    },
  }
}
