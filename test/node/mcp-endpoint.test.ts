/** /mcp of the real Worker: its built-in tools for the official client and the inspector's command line. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker, type TestWorker } from '../support/worker.ts'
import { workerRounds } from '../support/worker-rounds.ts'

let worker: TestWorker
const endings: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  worker = await startWorker({ bindings: { API_TOKEN: 'secret' } })
}, 60_000)
afterAll(async () => {
  await Promise.all(endings.map((end) => end()))
  await worker?.stop()
})

async function connect(
  era: 'legacy' | 'modern',
  {
    query = '',
    token = 'secret',
    asked,
  }: { query?: string; token?: string; asked?: string[] } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: asked ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  )
  if (asked) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { decision: 'approve' } }
    })
  }
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const url = new URL(`${worker.url}/mcp${query}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  endings.push(() => client.close())
  return client
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  const [first] = content
  return first?.type === 'text' ? first.text : ''
}

const write = { mode: 'write', path: '/a.md', content: 'hello' }
const read = { files: [{ path: '/a.md' }] }

describe.each(['legacy', 'modern'] as const)(
  'a client of the %s versions',
  { timeout: 60_000 },
  (era) => {
    it('is offered what needs no page, works on files, and asks its person', async () => {
      const asked: string[] = []
      const client = await connect(era, { asked })
      const { tools } = await client.listTools()
      const names = tools.map(({ name }) => name)
      expect(names).toContain('calculate')
      expect(names).not.toContain('ask_user')
      expect(tools.find(({ name }) => name === 'read_files')?.annotations).toMatchObject({
        readOnlyHint: true,
      })
      expect(await call(client, 'calculate', { expressions: ['2^64'] })).toContain(
        '18446744073709551616',
      )
      expect(await call(client, 'edit_file', write)).toContain('/a.md')
      expect(asked).toEqual([expect.stringContaining('May edit_file run')])
      expect(await call(client, 'read_files', read)).toContain('hello')
      expect(await call(client, 'calculate', { expression: 1 })).toContain('expressions')
    })

    it('without a way to ask is denied', async () => {
      const client = await connect(era)
      expect(await call(client, 'edit_file', write)).toMatch(/denied|did not run/)
    })

    it('may have find_tools and run_tool alone', async () => {
      const client = await connect(era, { query: '?expose=deferred' })
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name).sort()).toEqual(['find_tools', 'run_tool'])
      expect(await call(client, 'find_tools', { query: 'select:calculate' })).toContain('calculate')
      const inner = { name: 'calculate', args: { expressions: ['6*7'] } }
      expect(await call(client, 'run_tool', inner)).toContain('42')
    })

    it('shares the files of a session that its address names', async () => {
      const { open, done } = workerRounds(() => ({
        ...worker,
        post: (path, body) => worker.post(path, body, { authorization: 'Bearer secret' }),
      }))
      const session = `shared-${era}`
      const run = await open({ sessionId: session })
      await done(run, {
        id: 'w',
        name: 'edit_file',
        arguments: { ...write, content: 'from the API' },
      })
      const client = await connect(era, { query: `?session=${session}` })
      expect(await call(client, 'read_files', read)).toContain('from the API')
    })
  },
)

describe('who may', { timeout: 60_000 }, () => {
  it('a session of its own for each client that opens one', async () => {
    const asked: string[] = []
    const one = await connect('legacy', { asked })
    const other = await connect('legacy', { asked })
    await call(one, 'edit_file', write)
    expect(await call(other, 'read_files', read)).not.toContain('hello')
  })

  it('nobody without a token; a run token for its own session alone', async () => {
    const tokens = await worker.post(
      '/v1/tokens',
      { sessionId: 'mine' },
      { authorization: 'Bearer secret' },
    )
    const { token } = (await tokens.json()) as { token: string }
    await expect(connect('modern', { token: 'wrong' })).rejects.toThrow()
    const own = await connect('modern', { token })
    expect(await call(own, 'calculate', { expressions: ['1+1'] })).toContain('2')
    await expect(connect('modern', { token, query: '?session=other' })).rejects.toThrow()
    for (const [headers, status] of [
      [{ 'mcp-session-id': 'nonsense' }, 404],
      [{ 'mcp-session-id': `other.${crypto.randomUUID()}` }, 403],
    ] as const) {
      const authorization = `Bearer ${token}`
      const { status: answered } = await worker.send('/mcp', {
        method: 'POST',
        headers: { ...headers, authorization, 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      expect(answered).toBe(status)
    }
  })

  it('the inspector’s command line', async () => {
    const path = '@modelcontextprotocol/inspector-cli/build/index.js'
    const cli = createRequire(import.meta.url).resolve(path)
    const args = [
      cli,
      `${worker.url}/mcp`,
      '--transport',
      'http',
      '--header',
      'Authorization: Bearer secret',
    ]
    const inspect = async (...more: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [...args, ...more], {
        cwd: dirname(cli),
      })
      return JSON.parse(stdout)
    }
    const { tools } = await inspect('--method', 'tools/list')
    expect(tools.length).toBeGreaterThan(15)
    const time = await inspect('--method', 'tools/call', '--tool-name', 'current_time')
    expect(time.isError ?? false).toBe(false)
  })
})
