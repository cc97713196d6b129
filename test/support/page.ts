/** The built page in real Chromium. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { chromiumOptions } from './chromium.ts'
import { startWorker, type TestWorker } from './worker.ts'

/** Builds the page into a folder of its own. */
export function buildPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'threepass-page-'))
  // A process of its own: under Vitest's NODE_ENV the libraries would be built in their development form.
  const vite = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--logLevel',
    'warn',
    '--outDir',
    folder,
    '--emptyOutDir',
  ]
  execFileSync(process.execPath, vite, { env: { ...process.env, NODE_ENV: 'production' } })
  return folder
}

export interface OpenPage {
  readonly page: Page
  /** Errors and warnings of the console. */
  readonly complaints: string[]
  readonly close: () => Promise<void>
}

/** A page of its own profile, and whatever it complains about. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(url)
  await page.getByRole('tabpanel').waitFor()
  return { page, complaints, close: () => context.close() }
}

/** The page on the real Worker, for all tests of a file. */
export function servedPage() {
  let worker: TestWorker
  let browser: Browser
  beforeAll(async () => {
    worker = await startWorker({ page: buildPage() })
    browser = await chromium.launch(chromiumOptions)
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await worker?.stop()
  })
  return {
    browser: () => browser,
    /** Where rounds are run by hand. */
    open: (options?: BrowserContextOptions) => openPage(browser, `${worker.url}/#round`, options),
  }
}

export const call = (id: string, name: string, args: unknown = {}) => ({
  id,
  name,
  arguments: JSON.stringify(args),
})

/** Does not wait for its end. */
export async function runRound(page: Page, calls: object[]): Promise<void> {
  await page.locator('#round').fill(JSON.stringify(calls))
  await page.getByRole('button', { name: /^Run/ }).click()
}

export const finished = (page: Page) => page.getByText(/^\d+ calls? in /).waitFor()
export const outcomes = (page: Page) => page.locator('.call .chip').allTextContents()

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** No violation that axe finds. */
export async function checkAxe(page: Page, where: string): Promise<void> {
  await page.evaluate(readFileSync(axePath, 'utf8'))
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
    )
  })
  expect([where, violations]).toEqual([where, []])
}
