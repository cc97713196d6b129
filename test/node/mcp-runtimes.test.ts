/** The same story of MCP servers in Node, in workerd and in Chromium under a strict policy. */
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOptions } from '../support/chromium.ts'
import { listed } from '../support/mcp-client.ts'
import { type OddServer, oddServer } from '../support/mcp-odd-server.ts'
import { everythingServer } from '../support/mcp-process.ts'
import { serveFetch } from '../support/mcp-serve.ts'
import { mcpStory, type StoryServers } from '../support/mcp-story.ts'

const root = new URL('../../', import.meta.url).pathname

async function bundle(contents: string, conditions: string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions,
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

describe('MCP servers', { timeout: 60_000 }, () => {
  let servers: StoryServers
  let legacy: OddServer
  const endings: (() => Promise<void>)[] = []

  beforeAll(async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const tools = [listed('plain'), listed('checked', { outputSchema }), listed('break')]
    legacy = await oddServer({
      tools,
      does: {
        checked: () => ({ content: [], structuredContent: { n: 'one' } }),
        break: () => {
          legacy.cutCalls()
          // What comes next is a session that the server does not know.
          legacy.forgetSessions()
          return ''
        },
      },
    })
    const modern = await oddServer({ era: 'modern', tools })
    const everything = await everythingServer()
    endings.push(legacy.stop, modern.stop, everything.stop)
    servers = { everything: everything.url, legacy: legacy.url, modern: modern.url }
  }, 60_000)
  afterEach(() => {
    // A browser sends what a broken connection swallowed once more; the tool has run once all the same.
    expect(legacy.ran.filter((tool) => tool === 'break')).toHaveLength(1)
    legacy.ran.length = 0
  })
  afterAll(() => Promise.all(endings.map((end) => end())))

  const expected = {
    health: ['ready', 'ready', 'ready'],
    echo: 'completed: Echo: hello',
    image: 'image/png',
    structured: ['temperature', 'conditions', 'humidity'],
    checked: expect.stringMatching(
      /^completed: \[The structured answer does not fit the tool's output schema/,
    ),
    legacy: 'completed: plain ran',
    modern: 'completed: plain ran',
    broken: 'interrupted',
    forgotten: 'completed: plain ran',
  }

  it('in Node', async () => {
    expect(await mcpStory(servers)).toEqual(expected)
  })

  it('in workerd', async () => {
    const code = `
      import { mcpStory } from './test/support/mcp-story.ts'
      export default {
        fetch: async (request) => Response.json(await mcpStory(await request.json())),
      }`
    const contents = await bundle(code, ['workerd', 'worker', 'browser'])
    const worker = new Miniflare({
      modules: [{ type: 'ESModule', path: 'index.mjs', contents }],
      compatibilityDate: '2026-04-26',
      cf: false,
    })
    try {
      const body = JSON.stringify(servers)
      const answer = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
      expect(await answer.json()).toEqual(expected)
    } finally {
      await worker.dispose()
    }
  })

  it('in Chromium, where no code may be made from text', async () => {
    // Begun by the page itself: what a debugger evaluates is excused from the policy.
    const script = await bundle(
      `import { mcpStory } from './test/support/mcp-story.ts'
      const story = await mcpStory(JSON.parse(decodeURIComponent(location.hash.slice(1))))
      document.querySelector('output').textContent = JSON.stringify(story)`,
      ['browser'],
    )
    const page = await serveFetch((request) =>
      new URL(request.url).pathname === '/story.js'
        ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
        : new Response(
            '<!doctype html><output></output><script type="module" src="/story.js"></script>',
            {
              headers: {
                'content-type': 'text/html',
                'content-security-policy': "script-src 'self'",
              },
            },
          ),
    )
    const browser = await chromium.launch(chromiumOptions)
    try {
      const tab = await browser.newPage()
      await tab.goto(`${page.url}#${encodeURIComponent(JSON.stringify(servers))}`)
      const output = tab.locator('output:not(:empty)')
      expect(JSON.parse((await output.textContent()) ?? '')).toEqual(expected)
    } finally {
      await browser.close()
      await page.stop()
    }
  })
})
