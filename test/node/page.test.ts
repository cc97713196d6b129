/** The page itself: the built files, served by the real Worker, in real Chromium. */
import { describe, expect, it } from 'vitest'
import { call, checkAxe, finished, outcomes, runRound, servedPage } from '../support/page.ts'

const { open } = servedPage()

const round = [
  call('a', 'calculate', { expressions: ['0.1+0.2'] }),
  { id: 'b', name: 'calculate', arguments: '{"expressions": ["0.1+0.2"],}' },
  call('c', 'calculate', { expressions: 5 }),
  call('d', 'nothing_like_it'),
  { id: 'e', name: 'edit_file', arguments: '{"mode":"write","path":"/a","content":"cut' },
]

describe('the page', { timeout: 30_000 }, () => {
  it('runs a round here and on the Worker with the same outcomes', async () => {
    const { page, complaints, close } = await open()
    await runRound(page, round)
    await finished(page)
    const here = await outcomes(page)
    expect(here).toEqual(['completed', 'duplicate', 'invalid', 'unknown', 'invalid'])
    await page.getByRole('radio', { name: 'On the Worker' }).check()
    await runRound(page, round)
    await finished(page)
    expect(await outcomes(page)).toEqual(here)
    await page.locator('.call-line').first().click()
    expect(await page.locator('.details pre').nth(1).textContent()).toContain('0.3')
    expect(complaints).toEqual([])
    await close()
  })

  it('asks in a dialog, here and on the Worker, and runs what was approved', async () => {
    const { page, close } = await open()
    const edit = call('e', 'edit_file', { mode: 'write', path: '/x.md', content: 'one' })
    for (const place of ['In this page', 'On the Worker']) {
      await page.getByRole('radio', { name: place }).check()
      await runRound(page, [
        edit,
        call('f', 'edit_file', { mode: 'write', path: '/y.md', content: 'two' }),
      ])
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      expect(await dialog.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
        'edit_file e',
        'edit_file f',
      ])
      await dialog
        .getByLabel(/^Arguments/)
        .first()
        .fill('{"mode":"write","path":"/x.md","content":"changed"}')
      await dialog.getByRole('button', { name: 'Approve changed' }).click()
      const second = dialog.getByRole('region', { name: 'edit_file f' })
      await second.getByLabel('Reason for a denial').fill('not this one')
      await second.getByRole('button', { name: 'Deny' }).click()
      await finished(page)
      expect(await outcomes(page)).toEqual(['completed', 'denied'])
      await page.locator('.call-line').nth(1).click()
      expect(await page.locator('.details').textContent()).toContain('not this one')
    }
    await close()
  })

  it('has page tools: theme, chart, selection, form', async () => {
    const { page, complaints, close } = await open({ colorScheme: 'light' })
    await page.evaluate(() =>
      getSelection()?.selectAllChildren(document.querySelector('h2') as Element),
    )
    await runRound(page, [
      call('t', 'set_theme', { theme: 'dark' }),
      call('c', 'draw_chart', { title: 'T', labels: ['a', 'b'], values: [1, 2] }),
      call('w', 'draw_chart', { title: 'T', labels: ['a'], values: [1, 2] }),
      call('f', 'ask_form', { question: 'Where to?' }),
      call('s', 'read_selection'),
    ])
    await page.getByLabel('City').fill('Rome')
    await page.getByLabel('City').press('Enter')
    await finished(page)
    expect(await outcomes(page)).toEqual([
      'completed',
      'completed',
      'failed',
      'completed',
      'completed',
    ])
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    expect(await page.locator('canvas').getAttribute('aria-label')).toBe('T: a 1, b 2')
    expect(complaints).toEqual([])
    await close()
  })

  it('keeps its runs in IndexedDB', async () => {
    const { page, close } = await open()
    await runRound(page, [call('a', 'calculate', { expressions: ['6*7'] })])
    await finished(page)
    await page.reload()
    const stored = await page.evaluate(async () => {
      const opening = indexedDB.open('threepass-runs')
      const database = await new Promise<IDBDatabase>((resolve) => {
        opening.onsuccess = () => resolve(opening.result)
      })
      const counts = [...database.objectStoreNames].map((name) => {
        const count = database.transaction(name).objectStore(name).count()
        return new Promise<[string, number]>((resolve) => {
          count.onsuccess = () => resolve([name, count.result])
        })
      })
      return Promise.all(counts)
    })
    expect(Object.fromEntries(stored)).toMatchObject({ rounds: 1 })
    await close()
  })

  it('says what is wrong with a text, and recognises provider messages', async () => {
    const { page, close } = await open()
    const said = page.locator('#recognised')
    const run = page.getByRole('button', { name: /^Run/ })
    await page.locator('#round').fill('{"role":')
    expect(await said.textContent()).toContain('not JSON')
    expect(await run.isDisabled()).toBe(true)
    await page.locator('#round').fill('{"role":"user"}')
    expect(await said.textContent()).toContain('No tool calls')
    for (const [example, form] of [
      ['OpenAI message', 'OpenAI Chat Completions message, 2 calls'],
      ['Anthropic message', 'Anthropic message, 1 call'],
      ['Gemini message', 'Gemini content, 2 calls'],
    ] as const) {
      await page.getByLabel('Example').selectOption(example)
      expect(await said.textContent()).toBe(form)
    }
    await close()
  })

  it('can be cancelled while it runs, here and on the Worker', async () => {
    const { page, close } = await open()
    for (const place of ['In this page', 'On the Worker']) {
      await page.getByRole('radio', { name: place }).check()
      await runRound(page, [call('a', 'wait', { seconds: 30 })])
      await page.locator('.call.running').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await finished(page)
      expect(await outcomes(page)).toEqual(['cancelled'])
    }
    await close()
  })

  it('works by keyboard alone', async () => {
    const { page, close } = await open()
    await page
      .locator('#round')
      .fill(JSON.stringify([call('a', 'calculate', { expressions: ['1+1'] })]))
    await page.keyboard.press('Control+Enter')
    await finished(page)
    await page.locator('.call-line').focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.call-line').getAttribute('aria-expanded')).toBe('true')
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
      const { page, close } = await open({ viewport: { width, height: 800 }, colorScheme })
      const check = (where: string) => checkAxe(page, where)
      await check('start')
      await runRound(page, [
        ...round,
        call('f', 'edit_file', { mode: 'write', path: '/z', content: 'z' }),
      ])
      await page.getByRole('dialog').waitFor()
      await check('dialog')
      await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
      await finished(page)
      await page.locator('.call-line').first().click()
      await check('done')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      )
      await close()
    },
  )
})
