/** MCP servers as their authors publish them, each a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  isInitializeRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { serveFetch } from './mcp-serve.ts'

export interface ServerProcess {
  readonly url: string
  readonly stop: () => Promise<void>
}

const programOf = (name: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`)

/** server-everything, which speaks Streamable HTTP itself. */
export async function everythingServer(port?: number): Promise<ServerProcess> {
  const own = port ?? (await freePort())
  const env = { ...process.env, PORT: String(own) }
  const program = programOf('server-everything')
  const child = spawn(process.execPath, [program, 'streamableHttp'], { env, stdio: 'pipe' })
  await untilSaid(child, 'listening on port')
  return { url: `http://127.0.0.1:${own}/mcp`, stop: () => ended(child) }
}

/** A server on standard input and output behind a Streamable HTTP port: a process for each session. */
export async function bridged(name: string, args: string[] = [], env = {}): Promise<ServerProcess> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const children: StdioClientTransport[] = []
  const begin = async () => {
    const child = new StdioClientTransport({
      command: process.execPath,
      args: [programOf(name), ...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: 'ignore',
    })
    children.push(child)
    const http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, http)
      },
      onsessionclosed: () => child.close(),
    })
    http.onmessage = (message) => void child.send(message as JSONRPCMessage)
    child.onmessage = (message) => void http.send(message as JSONRPCMessage).catch(() => {})
    await child.start()
    await http.start()
    return http
  }
  const server = await serveFetch(async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : sessions.get(id)
    if (known) return known.handleRequest(request)
    const body = request.method === 'POST' ? await request.clone().json() : undefined
    if (id !== null || !isInitializeRequest(body)) return new Response(null, { status: 404 })
    return (await begin()).handleRequest(request)
  })
  return {
    url: `${server.url}/mcp`,
    async stop() {
      await Promise.all(children.map((child) => child.close()))
      await server.stop()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function untilSaid(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (chunk: Buffer) => {
      said += chunk
      if (said.includes(words)) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)))
  })
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.on('exit', resolve))
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await gone
}
