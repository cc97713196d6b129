/** A dispatcher's tools for MCP clients, served from workerd: a session of clients in a Durable Object. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

/** As a host wires it: the session's name is the object's. */
const code = `
import { DurableObject } from 'cloudflare:workers'
import { createDispatcher } from './src/index.ts'
import { mcpHandler } from './src/mcp-server/index.ts'
import { durableObjectRunStore } from './src/run-state/durable-object.ts'

export class Session extends DurableObject {
  paid = []
  constructor(state, env) {
    super(state, env)
    this.handler = mcpHandler({
      newSessionId: (request) => request.headers.get('x-session'),
      dispatcher: (approver) => createDispatcher({
        mode: 'full',
        approver,
        store: durableObjectRunStore(state.storage),
        tools: [
          { name: 'look', description: 'Looks.', readOnly: true, execute: () => this.paid },
          {
            name: 'pay',
            description: 'Pays.',
            inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
            execute: ({ n }, { progress }) => {
              progress({ progress: 1, total: 1 })
              this.paid.push(n)
              return 'paid ' + n
            },
          },
        ],
      }),
    })
  }
  fetch(request) {
    return this.handler(request)
  }
}

export default {
  fetch(request, env) {
    const id = request.headers.get('mcp-session-id') ?? crypto.randomUUID()
    const named = new Request(request, { headers: [...request.headers, ['x-session', id]] })
    return env.SESSIONS.get(env.SESSIONS.idFromName(id)).fetch(named)
  },
}`

describe('a Worker', { timeout: 60_000 }, () => {
  let worker: Miniflare
  let url: URL

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['cloudflare:*'],
      target: 'es2022',
      write: false,
    })
    worker = new Miniflare({
      modules: [{ type: 'ESModule', path: 'index.mjs', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: '2026-04-26',
      cf: false,
      host: '127.0.0.1',
      port: 0,
      durableObjects: { SESSIONS: { className: 'Session', useSQLite: true } },
    })
    url = new URL('/mcp', await worker.ready)
  }, 60_000)
  afterAll(() => worker.dispose())

  it.each(['legacy', 'modern'] as const)('serves clients of the %s versions', async (era) => {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      },
    )
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      const decision = asked.length === 1 ? 'approve' : 'deny'
      return { action: 'accept', content: { decision } }
    })
    await client.connect(new StreamableHTTPClientTransport(url))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['look', 'pay'])
    if (era === 'modern') {
      // Each request comes to another object here, so a question has nobody to come back to.
      const looked = await client.callTool({ name: 'look', arguments: {} })
      expect(looked.isError).toBeUndefined()
    } else {
      const news: number[] = []
      const onprogress = ({ progress }: { progress: number }) => news.push(progress)
      const paid = await client.callTool({ name: 'pay', arguments: { n: 1 } }, { onprogress })
      expect(paid.content).toEqual([{ type: 'text', text: 'paid 1' }])
      const denied = await client.callTool({ name: 'pay', arguments: { n: 2 } })
      expect(denied._meta?.['threepass/outcome']).toBe('denied')
      const looked = await client.callTool({ name: 'look', arguments: {} })
      expect(looked.content).toEqual([{ type: 'text', text: '[1]' }])
      expect(news).toEqual([1])
      expect(asked).toHaveLength(2)
    }
    await client.close()
  })
})
