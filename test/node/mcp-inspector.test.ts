/** A dispatcher's tools through the inspector's command line, which is a process of its own. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDispatcher, defineTool } from '../../src/index.ts'
import { type McpHandler, mcpHandler } from '../../src/mcp-server/index.ts'
import { type FetchServer, serveFetch } from '../support/mcp-serve.ts'

const cli = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector-cli/build/index.js',
)
const run = promisify(execFile)

describe.each([true, false])('the inspector, sessions: %s', { timeout: 60_000 }, (sessions) => {
  let handler: McpHandler
  let http: FetchServer

  beforeAll(async () => {
    const add = defineTool<{ a: number; b: number }>({
      name: 'add',
      description: 'Adds.',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        required: ['a', 'b'],
      },
      execute: ({ a, b }) => ({ sum: a + b }),
    })
    const burn = defineTool({ name: 'burn', description: 'Burns.', execute: () => 'burnt' })
    const dispatcher = createDispatcher({ tools: [add, burn], mode: 'full' })
    handler = mcpHandler({ dispatcher, sessions })
    http = await serveFetch(handler)
  })
  afterAll(async () => {
    await handler.close()
    await http.stop()
  })

  const inspect = async (...args: string[]) => {
    const all = [cli, `${http.url}/mcp`, '--transport', 'http', ...args]
    // It looks for its own version in the folder that it is started from.
    const { stdout } = await run(process.execPath, all, { cwd: dirname(cli) })
    return JSON.parse(stdout)
  }

  it('lists the tools', async () => {
    const { tools } = await inspect('--method', 'tools/list')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['add', 'burn'])
  })

  it('calls them, and is refused what nobody has approved', async () => {
    const call = (name: string, ...args: string[]) =>
      inspect('--method', 'tools/call', '--tool-name', name, ...args)
    expect(await call('add', '--tool-arg', 'a=2', '--tool-arg', 'b=40')).toMatchObject({
      structuredContent: { sum: 42 },
    })
    expect(await call('burn')).toMatchObject({
      isError: true,
      _meta: { 'threepass/outcome': 'denied' },
    })
  })
})
