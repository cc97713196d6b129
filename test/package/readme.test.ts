/** README and docs say what is so: snippets run, documented answers come back, figures are the code's. */
import { readdirSync, readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentDefaults } from '../../src/agent/options.ts'
import { defaults } from '../../src/dispatcher-options.ts'
import { maxArgumentDepth } from '../../src/preflight/normalise.ts'
import { defaultCacheSeconds } from '../../src/result-cache/policy.ts'
import { requireBanner, subpathAliases } from '../support/subpaths.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

const root = new URL('../../', import.meta.url).pathname
const readme = readFileSync(`${root}README.md`, 'utf8')

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (block) => block[1] ?? '',
  )
}

/** Runs a snippet that imports `threepass`, and gives what it printed. */
async function printed(snippet: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: snippet, loader: 'ts', resolveDir: root },
    alias: subpathAliases(),
    bundle: true,
    format: 'esm',
    platform: 'node',
    // Packages in the older form ask for Node's modules by require.
    banner: { js: requireBanner },
    write: false,
  })
  const lines: string[] = []
  const log = console.log
  console.log = (...parts: unknown[]) => void lines.push(parts.join(' '))
  try {
    await import(
      `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? '').toString('base64')}`
    )
  } finally {
    console.log = log
  }
  return `${lines.join('\n')}\n`
}

describe('README', () => {
  it('the example prints what it says', async () => {
    expect(await printed(blocks(readme, 'ts')[0] ?? '')).toBe(blocks(readme, 'text')[0])
  })

  it('starts with one sentence and names the two commands of package.json', () => {
    expect(readme.split('\n')[2]).toMatch(/^[A-Z][^.]*: [^.]*\.$/)
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
    for (const command of readme.match(/npm (start|test)\b/g) ?? [])
      expect(scripts[command.slice(4)]).toBeDefined()
  })

  it("its limits are the code's", () => {
    const rows = [...readme.matchAll(/^\| [^|]+ \| ([\d,]+)[^|]*\| ([^|]*) ?\|$/gm)]
    const figures = rows.map(([, figure, option]) => [
      /`(\w+)`/.exec(option ?? '')?.[1] ?? '',
      Number(figure?.replaceAll(',', '')),
    ])
    const known: Record<string, unknown> = {
      ...defaults,
      ttl: defaultCacheSeconds,
      ...agentDefaults,
      '': maxArgumentDepth,
    }
    expect(figures.length).toBe(11)
    for (const [option, figure] of figures)
      expect([option, known[String(option)]]).toEqual([option, figure])
  })

  it('its sizes are the budgets', () => {
    const budgets = JSON.parse(readFileSync(`${root}test/package/sizes.json`, 'utf8')) as Record<
      string,
      number
    >
    const rows = [...readme.matchAll(/^\| `threepass(\/[\w/-]+)?`[^|]*\| ([\d.]+) KB \|$/gm)]
    expect(rows.length).toBe(Object.keys(budgets).length - 1)
    for (const [, subpath, size] of rows) {
      expect([subpath, size]).toEqual([
        subpath,
        ((budgets[`.${subpath ?? ''}`] ?? 0) / 1000).toFixed(1),
      ])
    }
  })

  it('names files, pages and subpaths that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((link) => link[1] ?? '')
    for (const link of links.filter((each) => !each.startsWith('http'))) {
      expect([link, readFileSync(`${root}${link}`, 'utf8').length > 0]).toEqual([link, true])
    }
    const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
    for (const [, subpath] of readme.matchAll(/`threepass(\/[\w/-]+)`/g))
      expect(exports[`.${subpath}`]).toBeDefined()
  })
})

describe('docs', () => {
  const pages = readdirSync(`${root}docs`)
  it.each(pages)('%s: its snippets run, its links lead somewhere', async (page) => {
    const text = readFileSync(`${root}docs/${page}`, 'utf8')
    for (const snippet of blocks(text, 'ts')) await printed(snippet)
    expect(text).toMatch(/^# .*\?$/m)
    expect(readme).toContain(`docs/${page}`)
  })
})

describe('the round over HTTP', () => {
  let worker: TestWorker
  beforeAll(async () => {
    worker = await startWorker({ bindings: { TOOL_MODE: 'deferred' } })
  })
  afterAll(() => worker.stop())

  it('gives the documented answer', async () => {
    const commands = blocks(readme, 'sh').find((block) => block.includes('curl')) ?? ''
    const [open, round] = [...commands.matchAll(/-d '([^']*)'/g)].map((body) => body[1] ?? '')
    const opened = await worker.send('/v1/runs', { method: 'POST', body: open ?? '' })
    const { runId } = (await opened.json()) as { runId: string }
    const answer = await worker.send(`/v1/runs/${runId}/rounds`, {
      method: 'POST',
      body: round ?? '',
    })
    expect(await answer.json()).toMatchObject(JSON.parse(blocks(readme, 'json')[0] ?? ''))
  })
})
