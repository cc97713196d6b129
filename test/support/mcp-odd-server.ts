/** An MCP server over the official SDK whose tools and misdeeds a test chooses. */
import {
  createMcpHandler,
  type EventStore,
  isLegacyRequest,
  type JSONRPCMessage,
  Server,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { serveFetch } from './mcp-serve.ts'

/** What the server does when a tool is called. */
export type Does = (args: Record<string, unknown>, context: ServerContext) => unknown

/** A request to the server, as a test looks at it. */
export interface SeenRequest {
  readonly method: string
  readonly headers: Headers
  /** The JSON-RPC method of a POST, and its id. */
  readonly rpc?: string
  readonly id?: unknown
}

export interface OddServerOptions {
  /** `legacy` (default): sessions, as of 2025-11-25. `modern`: 2026-07-28. */
  readonly era?: 'legacy' | 'modern'
  readonly tools?: readonly object[]
  readonly does?: { readonly [tool: string]: Does }
  readonly instructions?: string
  /** Answers in place of the server. */
  readonly instead?: (request: SeenRequest) => Response | Promise<Response | undefined> | undefined
  /** Streams can be taken up again. */
  readonly resumable?: boolean
  /** Answers calls with JSON and has no streams. */
  readonly json?: boolean
  readonly listChanged?: boolean
  readonly port?: number
}

export interface OddServer {
  readonly url: string
  /** The list, by pages. */
  pages: readonly (readonly object[])[]
  /** Cursor of the page after this one; default: its number. */
  cursorAfter: (page: number) => string | undefined
  readonly does: { [tool: string]: Does }
  /** Tools that were run, in order. */
  readonly ran: string[]
  readonly requests: SeenRequest[]
  /** Times that a request of this kind came. */
  readonly count: (rpc: string) => number
  instead: OddServerOptions['instead']
  /** Tells all sessions that the tools are other ones now. */
  readonly tellChange: () => void
  /** As after a restart: no session is known any more. */
  readonly forgetSessions: () => void
  /** Breaks the connections of the calls that are under way. */
  readonly cutCalls: () => void
  /** Breaks the streams on which the server speaks unasked. */
  readonly cutStreams: () => void
  /** Resolves when so many streams of that kind are or have been open. */
  readonly whenStreams: (count: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export async function oddServer(options: OddServerOptions = {}): Promise<OddServer> {
  const { era = 'legacy', resumable, json, listChanged = true, port = 0 } = options
  const sessions = new Map<string, { server: Server; transport: Transport }>()
  const calls = new WeakSet<Request>()
  const listens = new WeakSet<Request>()
  const watchers = new Set<() => void>()
  let streams = 0

  const create = () => {
    const server = new Server(
      { name: 'odd', version: '1' },
      {
        capabilities: { tools: { listChanged } },
        ...(options.instructions !== undefined && { instructions: options.instructions }),
      },
    )
    server.setRequestHandler('tools/list', ({ params }) => {
      const page = Number(params?.cursor ?? 0) || 0
      const nextCursor = odd.cursorAfter(page)
      const tools = (odd.pages[page] ?? []) as never[]
      return { tools, ...(nextCursor !== undefined && { nextCursor }) }
    })
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      odd.ran.push(params.name)
      const does = odd.does[params.name] ?? (() => `${params.name} ran`)
      const given = await does(params.arguments ?? {}, context)
      const result =
        typeof given === 'string' ? { content: [{ type: 'text', text: given }] } : given
      return result as { content: [] }
    })
    return server
  }

  const sessionful = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : sessions.get(id)
    if (id !== null && !known) {
      const error = { code: -32_001, message: 'Session not found' }
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 })
    }
    if (known) return known.transport.handleRequest(request)
    const server = create()
    const transport: Transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => {
        sessions.set(session, { server, transport })
      },
      ...(json && { enableJsonResponse: true }),
      ...(resumable && { eventStore: eventStore(), retryInterval: 1 }),
    })
    await server.connect(transport)
    return transport.handleRequest(request)
  }
  const modern = createMcpHandler(create, { legacy: 'reject' })

  const http = await serveFetch(async (request) => {
    const { method, headers } = request
    const body = method === 'POST' ? await request.clone().json() : {}
    const { method: rpc, id } = body as { method?: string; id?: unknown }
    const seen: SeenRequest = { method, headers, ...(rpc && { rpc, id }) }
    odd.requests.push(seen)
    if (rpc === 'tools/call') calls.add(request)
    if (rpc === 'subscriptions/listen') listens.add(request)
    const instead = await odd.instead?.(seen)
    if (instead) return instead
    const isLegacy = era === 'legacy' || (await isLegacyRequest(request.clone()))
    const response = isLegacy ? await sessionful(request) : await modern.fetch(request)
    if (response.ok && (method === 'GET' || rpc === 'subscriptions/listen')) {
      streams += 1
      for (const watch of [...watchers]) watch()
    }
    return response
  }, port)

  const odd: OddServer = {
    url: `${http.url}/mcp`,
    pages: [options.tools ?? []],
    cursorAfter: (page) => (page + 1 < odd.pages.length ? String(page + 1) : undefined),
    does: { ...options.does },
    ran: [],
    requests: [],
    count: (rpc) => odd.requests.filter((each) => each.rpc === rpc).length,
    instead: options.instead,
    tellChange() {
      for (const { server } of sessions.values()) void server.sendToolListChanged()
      modern.notify.toolsChanged()
    },
    forgetSessions: () => sessions.clear(),
    cutCalls: () => http.cut((request) => calls.has(request)),
    cutStreams: () => http.cut((request) => request.method === 'GET' || listens.has(request)),
    whenStreams: (count) =>
      new Promise((resolve) => {
        const watch = () => {
          if (streams < count) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    stop: () => http.stop(),
  }
  return odd
}

type Transport = WebStandardStreamableHTTPServerTransport

function eventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = []
  return {
    async storeEvent(stream, message) {
      const id = String(events.length)
      events.push({ id, stream, message })
      return id
    },
    async replayEventsAfter(last, { send }) {
      const at = Number(last)
      const stream = events[at]?.stream ?? ''
      for (const event of events.slice(at + 1)) {
        if (event.stream === stream) await send(event.id, event.message)
      }
      return stream
    },
  }
}
