/**
 * Local servers that speak the vendors' protocols: requests are held to the rules that the vendors hold
 * them to, answers come in the shapes that they stream, one byte at a time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '../../../src/index.ts'
import { anthropicProtocol } from './anthropic.ts'
import { bedrockProtocol } from './bedrock.ts'
import { geminiProtocol } from './gemini.ts'
import { openAIChatProtocol } from './openai-chat.ts'
import { openAIResponsesProtocol } from './openai-responses.ts'

export interface SaidCall {
  readonly id: string
  readonly name: string
  /** The text as the model writes it. */
  readonly args: string
}

/** What the model says next; a `status` makes it an error. */
export interface Said {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly SaidCall[]
  readonly cut?: boolean
  readonly status?: number
  readonly retryAfter?: string
  /** The connection breaks in the middle of the stream. */
  readonly breaks?: boolean
}

export interface Protocol {
  readonly path: RegExp
  /** Why the vendor would refuse the request. */
  readonly problem: (body: JsonObject, headers: IncomingMessage['headers']) => string | undefined
  readonly error: (status: number, message: string) => Json
  /** The stream's text: server-sent events. */
  readonly stream: (said: Said, body: JsonObject) => string
  /** The answer to a request that does not ask for a stream. */
  readonly whole?: (said: Said, body: JsonObject) => Json
}

const protocols = [
  openAIChatProtocol,
  openAIResponsesProtocol,
  anthropicProtocol,
  geminiProtocol,
  bedrockProtocol,
]

export interface ModelServer {
  readonly url: string
  readonly requests: { readonly path: string; readonly body: JsonObject }[]
  readonly stop: () => Promise<void>
}

export async function startModelServer(script: readonly Said[]): Promise<ModelServer> {
  const requests: ModelServer['requests'] = []
  const left = [...script]
  const server = createServer((request, response) => {
    void answer(request, response).catch((error) => {
      response.writeHead(500).end(String(error))
    })
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    const protocol = protocols.find((each) => each.path.test(path))
    if (!protocol) return response.writeHead(404).end()
    const body = JSON.parse(await textOf(request)) as JsonObject
    requests.push({ path, body })
    const problem = protocol.problem(body, request.headers)
    if (problem) return reply(response, 400, protocol.error(400, problem))
    const said = left.shift()
    if (!said) return reply(response, 500, protocol.error(500, 'nothing is scripted'))
    if (said.status !== undefined) {
      if (said.retryAfter) response.setHeader('retry-after', said.retryAfter)
      return reply(response, said.status, protocol.error(said.status, 'refused for the test'))
    }
    if (body.stream !== true && protocol.whole) {
      return reply(response, 200, protocol.whole(said, body))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(protocol.stream(said, body))
    const end = said.breaks ? Math.floor(bytes.length / 2) : bytes.length
    for (let at = 0; at < end; at += 1) response.write(bytes.subarray(at, at + 1))
    if (!said.breaks) return response.end()
    // What was written goes out; the end of the body never comes.
    return response.socket?.end()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function reply(response: ServerResponse, status: number, body: Json) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
