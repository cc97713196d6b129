/** The built-in tools in a page: real Chromium, IndexedDB, the shell, the sandbox and the forms. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { templates } from '../../src/builtin/guides/templates.ts'
import { call, checkAxe, finished, outcomes, runRound, servedPage } from '../support/page.ts'

const { browser, open } = servedPage()

/** What the model reads of the n-th call. */
async function contentOf(page: Page, at: number): Promise<string> {
  const row = page.locator('.call').nth(at)
  await row.locator('.call-line').click()
  const text = await row.locator('.details pre').nth(1).textContent()
  await row.locator('.call-line').click()
  return text ?? ''
}

describe('the built-in tools in the page', { timeout: 60_000 }, () => {
  it('a shell over IndexedDB, a script in the sandbox, a subagent, units, histories', async () => {
    const { page, complaints, close } = await open()
    const approve = async () => {
      const dialog = page.locator('#approvals')
      await dialog.waitFor({ state: 'visible' })
      const buttons = dialog.getByRole('button', { name: 'Approve' })
      for (let left = await buttons.count(); left > 0; left -= 1) await buttons.first().click()
    }
    const about = JSON.stringify({ name: 'twice', description: 'Doubles.' })
    const code = 'export default ({ n }) => n * 2'
    const write = (path: string, content: string) =>
      call(path, 'edit_file', { mode: 'write', path, content })
    await runRound(page, [
      call('c1', 'run_command', {
        argv: ['seq 1 3 > rows; awk "{ s += \\$1 } END { print s }" rows'],
      }),
      write('/tools/twice/tool.json', about),
      write('/tools/twice/script.js', code),
      call('t', 'test_tool', { name: 'twice', input: '{"n":21}' }),
      call('e', 'error_history', {
        tool_name: 'test_tool',
        keywords: ['no script tool'],
        symptom: 'there is no script tool',
        action: 'wrote the definition first',
        outcome: 'resolved',
      }),
    ])
    await approve()
    await finished(page)
    expect(await outcomes(page)).toEqual(Array(5).fill('completed'))
    expect(await contentOf(page, 0)).toBe('6\n[wrote /rows]')
    expect(await contentOf(page, 3)).toBe('output:\n42')

    await page.reload()
    await runRound(page, [
      call('r', 'run_command', { argv: ['tail -n 1 rows'] }),
      call('s', 'subagents', { task: '/calculate expressions=["100 km/h to m/s"]' }),
      call('x', 'test_tool', { name: 'none' }),
      call('h', 'error_history', { keyword: 'definition' }),
      call('c', 'chat_history', {}),
      call('d', 'write_todo', { todos: [{ content: 'Look', status: 'completed' }] }),
    ])
    await finished(page)
    expect(await page.locator('.checklist').textContent()).toContain('1 of 1 done')
    expect(await outcomes(page)).toEqual([
      'completed',
      'completed',
      'failed',
      'completed',
      'completed',
      'completed',
    ])
    expect(await contentOf(page, 0)).toBe('3')
    expect(await contentOf(page, 1)).toContain('27.7777777777777777777777777778 m/s')
    expect(await contentOf(page, 2)).toContain('related_errors: [{"symptom"')
    expect(await contentOf(page, 3)).toContain('wrote the definition first')
    expect(await contentOf(page, 4)).toContain('"did":["run_command","edit_file"')
    expect(complaints).toEqual([])
    await close()
  })

  it('questions are a form, here and on the Worker, with keyboard alone; the secret is nowhere', async () => {
    const { page, complaints, close } = await open()
    const questions = [
      { question: 'Which colour?', options: ['red', 'blue'] },
      { question: 'Which days?', options: ['Mon', 'Tue', 'Wed'], multi_select: true },
      { question: 'Your key?', secret: true, name: 'page_key' },
    ]
    for (const place of ['In this page', 'On the Worker']) {
      await page.getByRole('radio', { name: place }).check()
      await runRound(page, [
        call('q', 'ask_user', { questions }),
        call('k', 'calculate', { expressions: ['1'] }),
      ])
      const form = page.locator('.ask-form')
      await form.waitFor()
      // The first field has the focus.
      await page.keyboard.press('Space')
      await form.getByRole('checkbox', { name: 'Tue' }).focus()
      await page.keyboard.press('Space')
      await form.getByLabel('Your key?').fill('hunter2-secret')
      await checkAxe(page, place)
      await page.keyboard.press('Enter')
      await finished(page)
      expect(await outcomes(page)).toEqual(['completed', 'completed'])
      const content = await contentOf(page, 0)
      expect(JSON.parse(content).answers).toMatchObject([
        { answer: 'red' },
        { answer: ['Tue'] },
        { secret: 'page_key' },
      ])
      expect(await page.content()).not.toContain('hunter2-secret')
      expect(await form.count()).toBe(0)
      await page.getByRole('button', { name: 'New run' }).click()
    }
    await runRound(page, [call('q', 'ask_user', { questions: [{ question: 'Sure?' }] })])
    await page.getByRole('button', { name: 'Decline' }).click()
    await finished(page)
    expect(await contentOf(page, 0)).toContain('the person declined to answer')
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('templates render in the preview, %i px, %s', async (width, colorScheme) => {
    const { page, complaints, close } = await open({
      viewport: { width, height: 900 },
      colorScheme,
    })
    await runRound(
      page,
      templates.map(({ name }) => call(name, 'html_template', { mode: 'read', name })),
    )
    await finished(page)
    for (const [at, { title }] of templates.entries()) {
      const row = page.locator('.call').nth(at)
      await row.locator('.call-line').click()
      const frame = row.frameLocator('iframe')
      await frame.locator('h1').first().waitFor()
      expect(await row.locator('iframe').getAttribute('sandbox')).toBe('')
      expect(title).not.toBe('')
      await row.locator('.call-line').click()
    }
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('templates are readable by themselves, %i px, %s', async (width, colorScheme) => {
    const context = await browser().newContext({ viewport: { width, height: 900 }, colorScheme })
    for (const { name, html } of templates) {
      const page = await context.newPage()
      await page.setContent(html)
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
      expect([name, wide]).toEqual([name, false])
      await checkAxe(page, name)
      await page.close()
    }
    await context.close()
  })
})
