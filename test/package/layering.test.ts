/** Imports point one way; read from the sources, so that no bundler hides one. */
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

interface Import {
  readonly from: string
  /** Path from the project's root, or a package's name. */
  readonly to: string
  readonly typeOnly: boolean
}

function importsOf(folder: string): Import[] {
  const files = readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /\.ts$/.test(file))
    .flatMap((file) => importsIn(`${folder}/${file.replaceAll('\\', '/')}`))
}

function importsIn(from: string): Import[] {
  const text = readFileSync(root + from, 'utf8').replace(/^\s*\/?\*.*$/gm, '')
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/gm,
  )
  return [...found].map(([, type, fixed, lazy]) => {
    const to = fixed ?? lazy ?? ''
    const path = to.startsWith('.') ? posix.join(posix.dirname(from), to) : to
    return { from, to: path, typeOnly: type !== undefined }
  })
}

const lines = (imports: readonly Import[]) => imports.map(({ from, to }) => `${from} → ${to}`)
const source = importsOf('src')

/** Beside the core: a host takes these by their own subpath. */
const apart =
  /^src\/(agent|api|builtin|client|extension|history|mcp|mcp-server|net|openapi|workspace|providers|script|shell|testing|webmcp)(\/|\.ts)/
const core = source.filter(({ from }) => !apart.test(from))

describe('imports point one way', () => {
  it('the sources are read at all', () => {
    expect(source.length).toBeGreaterThan(200)
    expect(lines(source)).toContain('src/deferred/search-index.ts → minisearch')
    expect(lines(source)).toContain('src/deferred/search.ts → src/deferred/search-index.ts')
  })

  it.each(['src/round.ts', 'src/errors.ts', 'src/clock.ts'])('%s imports nothing', (file) => {
    expect(lines(source.filter(({ from }) => from === file))).toEqual([])
  })

  it('the events know the data of a round and nothing else', () => {
    const own = source.filter(({ from }) => from === 'src/events.ts')
    expect(own.every(({ to, typeOnly }) => to === 'src/round.ts' && typeOnly)).toBe(true)
  })

  it('the core imports none of what stands beside it', () => {
    expect(lines(core.filter(({ to }) => apart.test(to)))).toEqual([])
  })

  it('only the index is a barrel: nothing in src imports it', () => {
    expect(lines(source.filter(({ to }) => to === 'src/index.ts'))).toEqual([])
  })

  it('each package of the core stands behind one folder, canonicalize behind two', () => {
    const users = new Map<string, Set<string>>()
    for (const { from, to, typeOnly } of core) {
      if (typeOnly || to.startsWith('src/')) continue
      users.set(to, (users.get(to) ?? new Set()).add(posix.dirname(from)))
    }
    const shared = [...users].filter(([, folders]) => folders.size > 1)
    expect(shared.map(([name, folders]) => [name, [...folders].sort()])).toEqual([
      ['canonicalize', ['src/dedupe', 'src/schema']],
    ])
  })

  it('src imports neither the Worker nor the page', () => {
    expect(lines(source.filter(({ to }) => /^(worker|web-demo)\//.test(to)))).toEqual([])
  })

  it('the Worker and the page import src and never each other', () => {
    const wrong = [...importsOf('worker'), ...importsOf('web-demo')].filter(
      ({ from, to }) =>
        /^(worker|web-demo|test)\//.test(to) && to.split('/', 1)[0] !== from.split('/', 1)[0],
    )
    expect(lines(wrong)).toEqual([])
  })
})
