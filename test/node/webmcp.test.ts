/** WebMCP in real Chromium with the feature on; agents of the browser come over the DevTools protocol. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type * as Core from '../../src/index.ts'
import type * as WebMcp from '../../src/webmcp/index.ts'
import { chromiumOptions } from '../support/chromium.ts'

/** What the test's page has at hand. */
interface InPage {
  readonly threepass: typeof Core & typeof WebMcp
  readonly bridge: WebMcp.Bridge
  readonly tools: Core.ClientTools
  readonly offer: WebMcp.Offer
  readonly asked: string[]
  readonly aborted: string[]
  changes: number
}
declare const window: InPage & { modelContextTools: AbortController }
declare const document: { readonly modelContext: WebMcp.ModelContext }

const source = `
  import * as core from './src/index.ts'
  import * as webmcp from './src/webmcp/index.ts'
  window.threepass = { ...core, ...webmcp }
`

let script = ''
let url = ''
const server = createServer((request, response) => {
  if (request.url === '/page.js') {
    return response.setHeader('content-type', 'text/javascript').end(script)
  }
  response.setHeader('content-security-policy', "default-src 'self'")
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>t</title><script src="/page.js"></script>')
})
let browser: Browser
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: new URL('../../', import.meta.url).pathname },
    bundle: true,
    format: 'iife',
    write: false,
  })
  script = outputFiles[0]?.text ?? ''
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const args = [...chromiumOptions.args, '--enable-features=WebMCP']
  browser = await chromium.launch({ ...chromiumOptions, args })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  server.close()
})

let page: Page
beforeEach(async () => {
  const context = await browser.newContext()
  page = await context.newPage()
  await page.goto(url)
  return () => context.close()
})

describe("the page's WebMCP tools", { timeout: 30_000 }, () => {
  const bridged = () =>
    page.evaluate(async () => {
      const { createClientTools, bridgeModelContext } = window.threepass
      const { modelContext } = document
      const gone = new AbortController()
      await modelContext.registerTool(
        {
          name: 'cart.add',
          description: 'Adds to the cart.',
          inputSchema: {
            type: 'object',
            properties: { item: { type: 'string' } },
            required: ['item'],
          },
          execute: (input) => ({ added: (input as { item: string }).item }),
        },
        { signal: gone.signal },
      )
      await modelContext.registerTool({
        name: 'read',
        description: 'Reads.',
        annotations: { readOnlyHint: true },
        execute: () => 'text',
      })
      await modelContext.registerTool({
        name: 'fails',
        description: 'Fails.',
        annotations: { readOnlyHint: true },
        execute: () => {
          throw new Error('secret')
        },
      })
      const tools = createClientTools()
      tools.registerClientTool({ name: 'read', description: 'The page’s first.', execute: () => 1 })
      const bridge = bridgeModelContext(tools, {
        onChange: () => {
          window.changes = (window.changes ?? 0) + 1
        },
      })
      await bridge.ready
      Object.assign(window, { tools, bridge, modelContextTools: gone })
      return {
        names: tools.tools().map(({ name }) => name),
        problems: bridge.problems(),
        isAvailable: bridge.isAvailable,
      }
    })

  it('are client tools: validated, asked about, run; a name that is taken stays', async () => {
    expect(await bridged()).toEqual({
      isAvailable: true,
      names: ['read', 'cart.add', 'fails'],
      problems: [{ definition: 'read', message: expect.stringContaining('named "read" already') }],
    })
    const results = await page.evaluate(async () => {
      const asked: string[] = []
      const { results } = await window.threepass
        .createDispatcher({
          tools: window.tools.tools(),
          mode: 'full',
          approver: (batch) =>
            batch.requests.map(({ callId }) => {
              asked.push(callId)
              return { callId, decision: 'approve' }
            }),
        })
        .run()
        .dispatch([
          { id: 'a', name: 'cart.add', arguments: { item: 'x' } },
          { id: 'b', name: 'cart.add', arguments: {} },
          { id: 'c', name: 'fails', arguments: {} },
        ])
      return {
        asked,
        results: results.map(({ outcome, content, value }) => ({ outcome, content, value })),
      }
    })
    expect(results.asked).toEqual(['a'])
    expect(results.results).toMatchObject([
      { outcome: 'completed', value: { added: 'x' } },
      { outcome: 'invalid', content: expect.stringContaining('item') },
      { outcome: 'failed', content: expect.stringContaining("the page's tool failed") },
    ])
  })

  it('come and go as the page registers them, and go when the bridge is closed', async () => {
    await bridged()
    await page.evaluate(async () => {
      window.modelContextTools.abort()
      await document.modelContext.registerTool({
        name: 'late',
        description: 'Late.',
        execute: () => 1,
      })
    })
    const names = () => page.evaluate(() => window.tools.tools().map(({ name }) => name))
    await expect.poll(names).toEqual(['read', 'fails', 'late'])
    await page.evaluate(() => window.bridge.close())
    expect(await names()).toEqual(['read'])
  })

  it('declarative forms are among them', async () => {
    await page.evaluate(() => {
      const form = (globalThis as unknown as { document: Document }).document.createElement('form')
      form.setAttribute('toolname', 'search_form')
      form.setAttribute('tooldescription', 'Searches.')
      form.innerHTML = '<input name="q" toolparamdescription="What to look for">'
      ;(globalThis as unknown as { document: Document }).document.body.append(form)
    })
    expect((await bridged()).names).toContain('search_form')
  })
})

describe('tools that are offered to the browser', { timeout: 30_000 }, () => {
  let devtools: CDPSession
  let frameId: string
  const offered = async () => {
    devtools = await page.context().newCDPSession(page)
    const send = devtools.send.bind(devtools) as (
      method: string,
      params?: object,
    ) => Promise<unknown>
    const tree = (await send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } }
    frameId = tree.frameTree.frame.id
    const names = await page.evaluate(async () => {
      const { createDispatcher, offerTools } = window.threepass
      const asked: string[] = []
      const aborted: string[] = []
      const dispatcher = createDispatcher({
        mode: 'full',
        approver: (batch) =>
          batch.requests.map(({ callId, name, arguments: args }) => {
            asked.push(name)
            return { callId, decision: (args as { n?: number }).n === 1 ? 'approve' : 'deny' }
          }),
        tools: [
          {
            name: 'add',
            description: 'Adds.',
            readOnly: true,
            inputSchema: {
              type: 'object',
              properties: { a: { type: 'number' }, b: { type: 'number' } },
              required: ['a', 'b'],
            },
            execute: ({ a, b }) => ({ sum: a + b }),
          },
          { name: 'pay', description: 'Pays.', execute: ({ n }) => `paid ${n}` },
          {
            name: 'slow',
            description: 'Waits.',
            readOnly: true,
            execute: (_, { signal }) =>
              new Promise((_, reject) => {
                signal.addEventListener('abort', () => {
                  aborted.push('slow')
                  reject(signal.reason)
                })
              }),
          },
          { name: 'odd name', description: 'Cannot.', readOnly: true, execute: () => 1 },
          { name: 'own', description: 'Of the page.', origin: 'client', execute: () => 1 },
        ],
      })
      await document.modelContext.registerTool({
        name: 'foreign',
        description: 'Of somebody else.',
        execute: () => 'foreign',
      })
      const offer = offerTools({ dispatcher })
      Object.assign(window, { offer, asked, aborted })
      return [...(await offer.ready)]
    })
    return names
  }
  /** As an agent of the browser calls. */
  const invoke = async (toolName: string, input: object) => {
    const send = devtools.send.bind(devtools) as (
      method: string,
      params?: object,
    ) => Promise<unknown>
    const answered = new Promise<{ status: string; output: unknown }>((resolve) => {
      ;(devtools as unknown as { once(event: string, hear: (params: never) => void): void }).once(
        'WebMCP.toolResponded',
        (params: { status: string; output: unknown }) => resolve(params),
      )
    })
    await send('WebMCP.enable')
    await send('WebMCP.invokeTool', { frameId, toolName, input })
    return answered
  }

  it('run through the three passes', async () => {
    expect(await offered()).toEqual(['add', 'pay', 'slow'])
    const output = async (name: string, input: object) => {
      const { output: said } = await invoke(name, input)
      return typeof said === 'string' ? said : JSON.stringify(said)
    }
    expect(await output('add', { a: 1, b: 2 })).toBe('{"sum":3}')
    expect(await output('add', { a: 'x' })).toContain('invalid')
    expect(await output('pay', { n: 1 })).toContain('paid 1')
    expect(await output('pay', { n: 2 })).toContain('denied')
    expect(await page.evaluate(() => window.asked)).toEqual(['pay', 'pay'])
    expect(await page.evaluate(() => window.offer.problems())).toEqual([
      { definition: 'odd name', message: expect.stringContaining('1 to 128 letters') },
    ])
  })

  it('end with the agent’s signal, are taken away again, and are not bridged back', async () => {
    await offered()
    const listed = await page.evaluate(async () => {
      const { modelContext } = document
      const all = (await modelContext.getTools?.()) ?? []
      const stop = new AbortController()
      const slow = all.find(({ name }) => name === 'slow')
      if (!slow) throw new Error('no slow')
      const running = modelContext.executeTool?.(slow, {}, { signal: stop.signal })
      stop.abort()
      await running?.catch(() => {})
      const tools = window.threepass.createClientTools()
      const bridge = window.threepass.bridgeModelContext(tools)
      await bridge.ready
      return {
        all: all.map(({ name }) => name).sort(),
        back: tools.tools().map(({ name }) => name),
      }
    })
    expect(listed).toEqual({ all: ['add', 'foreign', 'pay', 'slow'], back: ['foreign'] })
    await expect.poll(() => page.evaluate(() => window.aborted)).toEqual(['slow'])
    const left = await page.evaluate(async () => {
      window.offer.close()
      return (await document.modelContext.getTools?.())?.map(({ name }) => name)
    })
    expect(left).toEqual(['foreign'])
  })

  it('a name that somebody else has is theirs', async () => {
    const told = await page.evaluate(async () => {
      const { createDispatcher, offerTools } = window.threepass
      await document.modelContext.registerTool({
        name: 'add',
        description: 'Of somebody else.',
        execute: () => 'theirs',
      })
      const tools = [{ name: 'add', description: 'Ours.', readOnly: true, execute: () => 'ours' }]
      const offer = offerTools({ dispatcher: createDispatcher({ tools, mode: 'full' }) })
      const names = await offer.ready
      offer.close()
      const left = (await document.modelContext.getTools?.())?.map(({ description }) => description)
      return { names, problems: offer.problems(), left }
    })
    expect(told).toEqual({
      names: [],
      problems: [{ definition: 'add', message: expect.stringContaining('Duplicate') }],
      left: ['Of somebody else.'],
    })
  })
})

it('where the feature is off there is nothing, and nothing fails', {
  timeout: 30_000,
}, async () => {
  const plain = await chromium.launch(chromiumOptions)
  try {
    const off = await plain.newPage()
    await off.goto(url)
    const told = await off.evaluate(async () => {
      const { createClientTools, bridgeModelContext, createDispatcher, offerTools } =
        window.threepass
      const bridge = bridgeModelContext(createClientTools())
      await bridge.ready
      const offer = offerTools({ dispatcher: createDispatcher({ tools: [], mode: 'full' }) })
      return [bridge.isAvailable, offer.isAvailable, await offer.ready]
    })
    expect(told).toEqual([false, false, []])
  } finally {
    await plain.close()
  }
})
