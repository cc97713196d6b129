/** The page's chat in real Chromium: in the page, on the Worker, over tabs, reloads, broken connections and restarts. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumOptions } from '../support/chromium.ts'
import { cutProxy } from '../support/cut-proxy.ts'
import { buildPage, checkAxe, openPage } from '../support/page.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

let built: string
let worker: TestWorker
let browser: Browser
beforeAll(async () => {
  built = buildPage()
  worker = await startWorker({ page: built })
  browser = await chromium.launch(chromiumOptions)
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await worker?.stop()
})

const open = (url = worker.url, options: BrowserContextOptions = {}) =>
  openPage(browser, url, options)

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text)
  await page.getByLabel('Message').press('Enter')
}

/** Resolves when the last answer says it. */
const answered = (page: Page, text: string | RegExp) =>
  page.locator('.message.assistant .said').getByText(text).last().waitFor()

describe('the chat of the page', { timeout: 60_000 }, () => {
  it('answers in the page with no Worker behind it: calls, passes, a question', async () => {
    const { page, complaints, close } = await open()
    // From here on only what the page itself has.
    await page.route('**/v1/**', (route) => route.abort())
    await say(
      page,
      '/calculate expressions=["6*7"]; /edit_file mode=write path=/a.md content=hi then /read_files {"files":[{"path":"/a.md"}]}',
    )
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await answered(page, 'hi')
    await answered(page, '42')
    expect(await page.locator('.round').count()).toBe(2)
    expect(await page.locator('.call .chip').allTextContents()).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    await page.locator('.made summary').first().click()
    expect(await page.locator('.made pre').first().textContent()).toContain('6*7')
    expect(complaints).toEqual([])
    await close()
  })

  it('answers on the Worker; tools of the page run here', async () => {
    const { page, complaints, close } = await open(worker.url, { colorScheme: 'light' })
    await page.getByRole('radio', { name: 'On the Worker' }).check()
    await say(page, '/set_theme theme=dark; /calculate expressions=["2^64"]')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await answered(page, '18446744073709551616')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    expect(await page.locator('.call .chip').allTextContents()).toEqual(['completed', 'completed'])
    expect(complaints).toEqual([])
    await close()
  })

  it('stops a turn, here and on the Worker', async () => {
    const { page, close } = await open()
    for (const place of ['In this page', 'On the Worker']) {
      await page.getByRole('radio', { name: place }).check()
      await say(page, '/wait seconds=30')
      await page.locator('.call.running').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await page.locator('.call .chip', { hasText: 'cancelled' }).waitFor()
    }
    await close()
  })

  it('says what the Worker refuses, and asks for its token', async () => {
    const locked = await startWorker({ page: built, bindings: { API_TOKEN: 'secret' } })
    try {
      const { page, close } = await open(locked.url)
      await page.getByRole('radio', { name: 'On the Worker' }).check()
      await say(page, 'say hi')
      await page.getByLabel('API token of the Worker').fill('secret')
      await say(page, 'say hello')
      await answered(page, 'hello')
      await close()
    } finally {
      await locked.stop()
    }
  })

  it('goes on in two tabs, over a reload, a broken connection and a restart of the Worker', async () => {
    const persist = await mkdtemp(join(tmpdir(), 'threepass-story-'))
    const proxy = await cutProxy()
    let own = await startWorker({ page: built, persist })
    proxy.to(own.url)
    const first = await open(proxy.url, { colorScheme: 'light' })
    const second = await open(proxy.url, { colorScheme: 'light' })
    try {
      const { page } = first
      await page.getByRole('radio', { name: 'On the Worker' }).check()
      await say(
        page,
        '/set_theme theme=dark; /edit_file mode=write path=/a.md content=hi then /wait seconds=2 then /calculate expressions=["6*7"]',
      )
      const questions = (tab: Page) => tab.getByRole('dialog').locator('.question')
      await questions(page).nth(1).waitFor()

      // Another tab, and the first one loaded anew: both are asked.
      await second.page.goto(page.url())
      await second.page.reload()
      await page.reload()
      await questions(second.page).nth(1).waitFor()
      await questions(page).nth(1).waitFor()

      // One answer in the first tab; then the Worker is gone, and comes back.
      await page
        .getByRole('region', { name: /^set_theme/ })
        .getByRole('button', { name: 'Approve' })
        .click()
      await expect.poll(() => questions(page).count()).toBe(1)
      proxy.to(undefined)
      await own.stop()
      proxy.cut()
      await page.getByText('The connection broke').waitFor()
      own = await startWorker({ page: built, persist })
      proxy.to(own.url)
      await page.getByText('Working …').waitFor()
      const edit = second.page.getByRole('region', { name: /^edit_file/ })
      await edit.getByRole('button', { name: 'Approve' }).click()

      // The connections break once more while a tool runs.
      await page.locator('.call.running', { hasText: 'wait' }).waitFor()
      proxy.cut()
      for (const tab of [page, second.page]) await answered(tab, '42')

      // The page tool ran in one of the tabs, and all is told once.
      const themes = await Promise.all(
        [page, second.page].map((tab) =>
          tab.evaluate(() => document.documentElement.dataset.theme),
        ),
      )
      expect(themes.filter((theme) => theme === 'dark')).toHaveLength(1)
      for (const tab of [page, second.page]) {
        expect(await tab.locator('.message').count()).toBe(2)
        expect(await tab.locator('.made summary b').allTextContents()).toEqual([
          'set_theme',
          'edit_file',
          'wait',
          'calculate',
        ])
      }
    } finally {
      await first.close()
      await second.close()
      await own.stop()
      await proxy.stop()
      await rm(persist, { recursive: true, force: true })
    }
  })

  it('shows the answer of a turn that ends between the look at the chat and the look at its stream', async () => {
    const first = await open()
    const second = await open()
    try {
      const { page } = first
      await page.getByRole('radio', { name: 'On the Worker' }).check()
      await say(page, '/edit_file mode=write path=/a.md content=hi then say all done')
      const approve = page.getByRole('dialog').getByRole('button', { name: 'Approve' })
      await approve.waitFor()
      await second.page.route('**/v1/chat/*/stream?**', async (route) => {
        await approve.click()
        await answered(page, 'all done')
        await page.getByRole('button', { name: 'Send' }).waitFor()
        await route.continue()
      })
      await second.page.goto(page.url())
      await second.page.reload()
      await answered(second.page, 'all done')
      await second.page.getByRole('button', { name: 'Send' }).waitFor()
    } finally {
      await first.close()
      await second.close()
    }
  })

  it('goes on when a Worker that is put down ends the stream in good order', async () => {
    const { page, close } = await open()
    await page.getByRole('radio', { name: 'On the Worker' }).check()
    await page.route('**/v1/chat', async (route) => {
      const response = await route.fetch()
      const whole = await response.text()
      const head = whole.slice(0, whole.indexOf('"type":"tool-output-available"') - 7)
      await route.fulfill({ response, body: head })
    })
    await say(page, '/calculate expressions=["6*7"]')
    await answered(page, '42')
    await close()
  })

  it('works by keyboard: tabs by arrows, Shift+Enter for a line, Enter sends', async () => {
    const { page, close } = await open()
    await page.getByRole('tab', { name: 'Chat' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { name: 'Round' }).getAttribute('aria-selected')).toBe(
      'true',
    )
    await page.keyboard.press('ArrowLeft')
    await page.getByLabel('Message').focus()
    await page.keyboard.type('say one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('say two')
    await page.keyboard.press('Enter')
    await answered(page, 'one')
    await close()
  })

  it.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)(
    'at %i px, %s: no axe violation, nothing wider than the screen',
    async (width, colorScheme) => {
      const { page, close } = await open(worker.url, {
        viewport: { width, height: 800 },
        colorScheme,
      })
      await checkAxe(page, 'start')
      await say(
        page,
        '/calculate expressions=["2^200"]; /nothing_here; /edit_file mode=write path=/z content=z',
      )
      await page.getByRole('dialog').waitFor()
      await checkAxe(page, 'dialog')
      await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click()
      await answered(page, 'gave no answer')
      await page.locator('.made summary').first().click()
      await checkAxe(page, 'done')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      )
      await close()
    },
  )
})
