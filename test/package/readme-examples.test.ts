/** The examples "In your stack" of the README, each where it lives: against servers, in workerd, in Chromium. */
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { chromium } from 'playwright-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { chromiumOptions } from '../support/chromium.ts'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'
import { requireBanner, subpathAliases } from '../support/subpaths.ts'
import { startWorker } from '../support/worker.ts'

const root = new URL('../../', import.meta.url).pathname
const readme = readFileSync(`${root}README.md`, 'utf8')

/** The code below a heading. */
function example(heading: string): string {
  const section = readme.slice(readme.indexOf(`\n### ${heading}\n`))
  const [, code] = /```ts\n([\s\S]*?)```/.exec(section) ?? []
  if (!code) throw new Error(`README has no example under ${heading}`)
  return code
}

async function bundled(code: string, platform: 'node' | 'browser'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: root },
    alias: subpathAliases(),
    bundle: true,
    format: 'esm',
    platform,
    target: 'es2022',
    external: ['cloudflare:*'],
    write: false,
    ...(platform === 'node' && { banner: { js: requireBanner } }),
  })
  return outputFiles[0]?.text ?? ''
}

let server: ModelServer | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  await server?.stop()
})

const script = [
  {
    text: 'Let me see.',
    calls: [{ id: 'c1', name: 'calculate', args: '{"expressions":["2^64"]}' }],
  },
  { text: '18446744073709551616' },
]

describe('the examples of the README', () => {
  it.each([
    ['OpenAI SDK', { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: '/v1' }],
    ['Anthropic SDK', { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: '' }],
    ['AI SDK', { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: '/v1' }],
  ])('%s', async (heading, env) => {
    server = await startModelServer(script)
    for (const [name, value] of Object.entries(env)) {
      vi.stubEnv(name, name.endsWith('URL') ? server.url + value : value)
    }
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const code = await bundled(example(heading), 'node')
    await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
    expect(JSON.stringify(log.mock.calls.at(-1))).toContain('18446744073709551616')
    expect(JSON.stringify(server.requests[1]?.body)).toContain('18446744073709551616')
  })

  it('Worker', { timeout: 30_000 }, async () => {
    const miniflare = new Miniflare({
      modules: [
        {
          type: 'ESModule',
          path: 'index.mjs',
          contents: await bundled(example('Worker'), 'browser'),
        },
      ],
      compatibilityDate: '2026-04-26',
      cf: false,
      kvNamespaces: ['RESULTS'],
      durableObjects: { SESSIONS: { className: 'Session', useSQLite: true } },
    })
    try {
      const round = {
        runId: 'r',
        roundId: '1',
        calls: [{ id: 'c1', name: 'calculate', arguments: '{"expressions":["2^64"]}' }],
      }
      const url = await miniflare.ready
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(round) })
      expect(await answer.json()).toMatchObject({ results: [{ outcome: 'completed' }] })
    } finally {
      await miniflare.dispose()
    }
  })

  it('Page', { timeout: 30_000 }, async () => {
    const worker = await startWorker()
    const browser = await chromium.launch(chromiumOptions)
    try {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage()
      await page.goto(`${worker.url}/docs`)
      const said = page.waitForEvent('console', (message) => message.type() === 'log')
      await page.addScriptTag({
        type: 'module',
        content: await bundled(example('Page'), 'browser'),
      })
      expect((await said).text()).toBe('threepass API')
    } finally {
      await browser.close()
      await worker.stop()
    }
  })
})
