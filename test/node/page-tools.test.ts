/** The page's tools from outside, in real Chromium: what there is, where it comes from, and that it runs. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelContext } from '../../src/webmcp/index.ts'
import { chromiumOptions } from '../support/chromium.ts'
import { everythingServer, type ServerProcess } from '../support/mcp-process.ts'
import { buildPage, checkAxe, openPage } from '../support/page.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

let worker: TestWorker
let everything: ServerProcess
let browser: Browser
beforeAll(async () => {
  everything = await everythingServer()
  worker = await startWorker({
    page: buildPage(),
    bindings: {
      ALLOWED_HOSTS: new URL(everything.url).host,
      MCP_SERVERS: JSON.stringify([{ server: 'everything', url: everything.url }]),
    },
  })
  browser = await chromium.launch(chromiumOptions)
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await worker?.stop()
  await everything?.stop()
})

const group = (page: Page, name: string) =>
  page.locator('.group').filter({ has: page.locator('summary > b', { hasText: name }) })

describe('the tools of the page', { timeout: 60_000 }, () => {
  it('tell where they come from; an MCP server is added, used, kept over a reload and removed', async () => {
    const { page, complaints, close } = await openPage(browser, `${worker.url}/#tools`)
    await page.locator('code', { hasText: 'calculate' }).waitFor({ state: 'attached' })
    await page.getByLabel('Name').fill('everything')
    await page.getByLabel('Streamable HTTP address').fill(everything.url)
    await page.getByRole('button', { name: 'Add server' }).click()
    await group(page, 'mcp:everything').locator('.chip.ready').waitFor()
    await page.getByLabel('Name').fill('everything')
    await page.getByLabel('Streamable HTTP address').fill(everything.url)
    await page.getByRole('button', { name: 'Add server' }).click()
    await page.getByText('There is a server named everything already.').waitFor()

    await page.getByLabel('What should the tool do?').fill('echo a message')
    const best = page.locator('.tool-list summary').first()
    await best.getByText('mcp__everything__echo').waitFor()
    await best.click()
    expect(await page.locator('.tool-list pre').first().textContent()).toContain('"message"')

    await page.reload()
    await group(page, 'mcp:everything').locator('.chip.ready').waitFor()
    await page.getByRole('tab', { name: 'Chat' }).click()
    await page.getByLabel('Message').fill('/mcp__everything__echo message=hello')
    await page.getByLabel('Message').press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.locator('.message.assistant .said').getByText('Echo: hello').last().waitFor()

    await page.getByRole('tab', { name: 'Tools' }).click()
    await page.getByRole('button', { name: 'Remove everything' }).click()
    await group(page, 'mcp:everything').waitFor({ state: 'detached' })
    // The browser's own word for each answer of that server which is none of 2xx.
    expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    await close()
  })

  it('a script that is written in the page is a tool of it', async () => {
    const { page, close } = await openPage(browser, worker.url)
    const code = 'export default ({ n }) => n * 2'
    const about = '{"name":"double","description":"Doubles."}'
    await page
      .getByLabel('Message')
      .fill(
        `/edit_file ${JSON.stringify({ mode: 'write', path: '/tools/double/script.js', content: code })}; /edit_file ${JSON.stringify({ mode: 'write', path: '/tools/double/tool.json', content: about })} then /script_double n=21`,
      )
    await page.getByLabel('Message').press('Enter')
    const dialog = page.getByRole('dialog')
    const approve = dialog.getByRole('button', { name: 'Approve', exact: true })
    await approve.nth(1).waitFor()
    await approve.first().click()
    await expect.poll(() => approve.count()).toBe(1)
    await approve.first().click()
    await page.locator('.message.assistant .said').getByText('42').last().waitFor()
    await close()
  })

  it('are shown for the Worker too, with how its sources are', async () => {
    const { page, close } = await openPage(browser, `${worker.url}/#tools`)
    await page.getByRole('radio', { name: 'On the Worker' }).check()
    await group(page, 'mcp:everything').locator('.chip.ready').waitFor()
    expect(await page.getByText('MCP servers').count()).toBe(0)
    await close()
  })

  it('are called by agents of the browser where they may, and its own tools by the chat', async () => {
    const args = [...chromiumOptions.args, '--enable-features=WebMCP']
    const withWebMcp = await chromium.launch({ ...chromiumOptions, args })
    try {
      const { page } = await openPage(withWebMcp, `${worker.url}/#tools`)
      await page.getByRole('checkbox', { name: /They may call/ }).check()
      const callAs = (name: string, input: object) =>
        page.evaluate(
          async ([tool, given]) => {
            const { modelContext } = document as unknown as { modelContext: ModelContext }
            const all = (await modelContext.getTools?.()) ?? []
            const found = all.find((each) => each.name === tool)
            return found ? modelContext.executeTool?.(found, given) : 'none'
          },
          [name, input] as const,
        )
      await expect.poll(() => callAs('calculate', { expressions: ['6*7'] })).toContain('42')
      await page.locator('.call', { hasText: 'calculate' }).first().waitFor()

      await page.evaluate(async () => {
        const { modelContext } = document as unknown as { modelContext: ModelContext }
        const annotations = { readOnlyHint: true }
        const execute = () => 'from the shop'
        await modelContext.registerTool({
          name: 'shop',
          description: 'A shop.',
          annotations,
          execute,
        })
      })
      await page.locator('code', { hasText: 'shop' }).waitFor({ state: 'attached' })
      await page.getByRole('tab', { name: 'Chat' }).click()
      await page.getByLabel('Message').fill('/shop')
      await page.getByLabel('Message').press('Enter')
      await page.locator('.message.assistant .said').getByText('from the shop').last().waitFor()

      await page.getByRole('tab', { name: 'Tools' }).click()
      await page.getByRole('checkbox', { name: /They may call/ }).uncheck()
      expect(await callAs('calculate', { expressions: ['1'] })).toBe('none')
    } finally {
      await withWebMcp.close()
    }
  })

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)(
    'at %i px, %s: no axe violation, nothing wider than the screen',
    async (width, colorScheme) => {
      const { page, close } = await openPage(browser, `${worker.url}/#tools`, {
        viewport: { width, height: 800 },
        colorScheme,
      })
      await group(page, 'Built in').locator('> summary').click()
      await page.locator('.tool-list summary').first().click()
      await checkAxe(page, `${width} px, ${colorScheme}`)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBeLessThanOrEqual(width)
      await close()
    },
  )
})
