/** A fetch handler behind a real port, whose connections a test can break. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FetchServer {
  readonly url: string
  /** Breaks the connections of the requests that are under way. */
  readonly cut: (which?: (request: Request) => boolean) => void
  readonly stop: () => Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

/** `port` 0: any that is free. */
export async function serveFetch(handler: Handler, port = 0): Promise<FetchServer> {
  const open = new Map<Request, IncomingMessage>()
  const server = createServer((incoming, outgoing) => {
    const request = toRequest(incoming, outgoing)
    open.set(request, incoming)
    outgoing.on('close', () => open.delete(request))
    answer(handler, request, outgoing).catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(which = () => true) {
      for (const [request, { socket }] of open) if (which(request)) socket.destroy()
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = 'GET', url = '/', headers } = incoming
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init = {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
    signal: gone.signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }),
  }
  return new Request(`http://${headers.host}${url}`, init)
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(new Uint8Array(value))
    },
  })
}

/** Pages of any origin may use it. */
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*, authorization',
  'access-control-allow-methods': '*',
  'access-control-expose-headers': '*',
}

async function answer(handler: Handler, request: Request, outgoing: ServerResponse): Promise<void> {
  const isPreflight = request.headers.has('access-control-request-method')
  const response = isPreflight ? new Response() : await handler(request)
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...cors })
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  outgoing.on('close', () => reader?.cancel().catch(() => {}))
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) break
    outgoing.write(chunk.value)
  }
  outgoing.end()
}
