/** Files with a past, files that are no text, and what is in files. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { downloadFileTool } from '../../../src/builtin/download-file.ts'
import { editFileTool } from '../../../src/builtin/edit-file.ts'
import { fileHistoryTool } from '../../../src/builtin/file-history.ts'
import { findFilesTool } from '../../../src/builtin/find-files.ts'
import { readFilesTool } from '../../../src/builtin/read-files.ts'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { serve } from '../net/server.ts'
import { call } from './call.ts'

const png = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  (char) => char.charCodeAt(0),
)

describe('edit_file and the past', () => {
  it('brings a version back, also of a file that was removed, and asks whatever the rules say', async () => {
    const workspace = memoryWorkspace()
    const edit = editFileTool({ workspace })
    await call(edit, { mode: 'write', path: '/a', content: 'one' })
    await call(edit, { mode: 'write', path: '/a', content: 'two' })
    await call(edit, { mode: 'remove', path: '/a' })
    const back = await call(edit, { mode: 'restore', path: '/a', version: 1 })
    expect(back.content).toBe('saved /a: 3 bytes, version 4, as in version 1')
    expect((await workspace.read('/a'))?.text).toBe('one')
    const [change] = await workspace.history({ path: '/a', limit: 1 })
    expect(change?.origin).toMatchObject({ tool: 'edit_file', callId: 'c' })
    const verdict = edit.confirm as (args: object) => unknown
    expect(verdict({ mode: 'restore' })).toBe('always')
    for (const [args, why] of [
      [{ version: 3 }, 'version 3 is not kept, or removed the file'],
      [{}, 'needs a version'],
      [{ version: 1, content: 'x' }, 'takes a path and a version'],
    ] as const) {
      const { outcome, content } = await call(edit, { mode: 'restore', path: '/a', ...args })
      expect([outcome, content.includes(why)]).toEqual(['failed', true])
    }
  })

  it('refuses a write over what was not read', async () => {
    const workspace = memoryWorkspace()
    await workspace.write('/a', 'one')
    const edit = editFileTool({ workspace })
    await workspace.write('/a', 'two')
    const stale = await call(edit, { mode: 'write', path: '/a', content: 'x', version: 1 })
    expect(stale.content).toContain('has changed: version 2, not 1')
    const targets = [{ old_string: 'two', new_string: 'three' }]
    expect((await call(edit, { mode: 'patch', path: '/a', targets, version: 1 })).outcome).toBe(
      'failed',
    )
    expect((await call(edit, { mode: 'patch', path: '/a', targets, version: 2 })).outcome).toBe(
      'completed',
    )
    expect(
      (await call(edit, { mode: 'write', path: '/new', content: 'x', version: 0 })).outcome,
    ).toBe('completed')
    expect(
      (await call(edit, { mode: 'write', path: '/new', content: 'y', version: 0 })).outcome,
    ).toBe('failed')
  })
})

describe('file_history', () => {
  async function setUp() {
    const workspace = memoryWorkspace({ clock: () => 0 })
    await workspace.write('/a', 'one\ntwo\n', { origin: { tool: 'edit_file', runId: 'r' } })
    await workspace.write('/b', 'x')
    await workspace.write('/a', 'one\n2\n')
    await workspace.write('/pic', png)
    return { workspace, ask: (args: object) => call(fileHistoryTool({ workspace }), args) }
  }

  it('lists changes, newest first, of one file, several or all', async () => {
    const { ask } = await setUp()
    expect((await ask({ path: 'a' })).value).toEqual({
      changes: [
        {
          path: '/a',
          version: 3,
          action: 'write',
          bytes: 6,
          changed_at: '1970-01-01T00:00:00.000Z',
        },
        {
          path: '/a',
          version: 1,
          action: 'write',
          bytes: 8,
          changed_at: '1970-01-01T00:00:00.000Z',
          tool: 'edit_file',
          run_id: 'r',
        },
      ],
    })
    const versions = async (args: object) =>
      ((await ask(args)).value as { changes: { version: number }[] }).changes.map(
        ({ version }) => version,
      )
    expect(await versions({})).toEqual([4, 3, 2])
    expect(await versions({ before: 3 })).toEqual([2, 1])
    expect(await versions({ paths: ['/a', '/b'], limit: 1 })).toEqual([3, 2])
    expect((await ask({ path: '/none' })).content).toBe('no recorded changes')
  })

  it('shows what has changed since a version', async () => {
    const { ask, workspace } = await setUp()
    const { content } = await ask({ path: '/a', version: 1 })
    expect(content).toContain('/a version 1')
    expect(content).toContain(
      '--- version 1\n+++ version 3 (now)\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    )
    expect((await ask({ path: '/a', version: 3 })).content).toContain('as it is now')
    expect((await ask({ path: '/pic', version: 4 })).content).toContain(
      'no text, so there is no diff',
    )
    await workspace.remove('/a')
    expect((await ask({ path: '/a', version: 1 })).content).toContain('+++ removed')
    expect((await ask({ path: '/a', version: 2 })).content).toContain('version 2 is not kept')
    expect((await ask({ mode: 'read', path: '/a' })).outcome).toBe('failed')
  })
})

describe('read_files, more of it', () => {
  it('gives windows around rows, merged where they meet', async () => {
    const workspace = memoryWorkspace()
    await workspace.write('/a', Array.from({ length: 30 }, (_, n) => `row ${n + 1}`).join('\n'))
    const { content } = await call(readFilesTool({ workspace }), {
      files: [{ path: '/a', around: [20, 4, 6], context: 1 }],
    })
    expect(content).toBe(
      '==> /a (version 1, around 4, 6, 20 of 30 rows)\n...\n3\trow 3\n4\trow 4\n5\trow 5\n6\trow 6\n7\trow 7\n...\n19\trow 19\n20\trow 20\n21\trow 21\n...',
    )
    const past = await call(readFilesTool({ workspace }), { files: [{ path: '/a', around: [99] }] })
    expect(past.content).toContain('none of these rows')
  })

  it('shows images, and says what is binary', async () => {
    const workspace = memoryWorkspace()
    await workspace.write('/pic', png)
    await workspace.write('/bin', new Uint8Array([0, 1, 2]))
    const result = await call(readFilesTool({ workspace }), {
      files: [{ path: '/pic' }, { path: '/bin' }],
    })
    expect(result.media).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
    expect(
      Uint8Array.from(atob(result.media?.[0]?.data ?? ''), (char) => char.charCodeAt(0)),
    ).toEqual(png)
    expect(result.content).toContain('/bin: error: it is a binary file of 3 bytes')
  })
})

describe('find_files in the content', () => {
  async function search(args: object, files: Record<string, string> = {}) {
    const workspace = memoryWorkspace()
    const all = {
      '/src/a.ts': 'let a = 1\nlet b = 2\nlet c = 3\n',
      '/doc.md': 'let it be\n',
      ...files,
    }
    for (const [path, text] of Object.entries(all)) await workspace.write(path, text)
    await workspace.write('/pic', png)
    return call(findFilesTool({ workspace }), { mode: 'search', ...args })
  }

  it('finds files by a regular expression, with the number of rows', async () => {
    expect((await search({ queries: [{ pattern: '^let \\w = ' }] })).value).toEqual({
      matches: ['/src/a.ts (3)'],
      total: 1,
    })
    const md = { queries: [{ pattern: 'let', file_pattern: '*.md' }] }
    expect((await search(md)).value).toMatchObject({ matches: ['/doc.md (1)'] })
    expect((await search({ queries: [{ dir: '/src', pattern: 'let' }] })).value).toMatchObject({
      total: 1,
    })
  })

  it('shows rows with their surroundings, and matches over rows', async () => {
    const rows = await search({ queries: [{ pattern: 'b =' }], output: 'content', context: 1 })
    expect(rows.value).toMatchObject({
      matches: ['/src/a.ts:1- let a = 1', '/src/a.ts:2: let b = 2', '/src/a.ts:3- let c = 3'],
    })
    const over = { queries: [{ pattern: '1.let b' }], multiline: true, output: 'content' }
    expect((await search(over)).value).toMatchObject({ matches: ['/src/a.ts:1: let a = 1'] })
  })

  it('says what is wrong with a pattern, and takes no time over an evil one', async () => {
    expect((await search({ queries: [{ pattern: '(' }] })).content).toContain('no RE2 expression')
    expect((await search({ queries: [{}] })).content).toContain('needs a pattern')
    const evil = await search(
      { queries: [{ pattern: '^(a+)+$' }] },
      { '/long': `${'a'.repeat(50_000)}!` },
    )
    expect(evil.value).toEqual({ matches: [], total: 0 })
  })
})

describe('download_file', () => {
  const get = async (
    listener: Parameters<typeof serve>[0],
    args: object = {},
    options: { maxBytes?: number } = {},
  ) => {
    const host = await serve(listener)
    const workspace = memoryWorkspace()
    const fetch = guardedFetch({ allowHosts: [host] })
    const tool = downloadFileTool({ workspace, fetch, ...options })
    const result = await call(tool, { url: `http://${host}/x`, output_file: 'got/x', ...args })
    return { ...result, file: await workspace.read('/got/x') }
  }

  it('saves text as text and bytes as bytes, each as they came', async () => {
    const text = '\ufeffé 🔑'
    const one = await get((_, response) => response.end(text))
    expect(one.file?.text).toBe(text)
    expect(one.value).toMatchObject({
      ok: true,
      output_file: '/got/x',
      size_bytes: 10,
      status_code: 200,
      sha256: createHash('sha256').update(text).digest('hex'),
    })
    const two = await get((_, response) => response.end(png))
    expect([...(two.file?.data ?? [])]).toEqual([...png])
    const latin = await get((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
      response.end(Buffer.from([0xe9]))
    })
    expect([...(latin.file?.data ?? [])]).toEqual([0xe9])
  })

  it('saves nothing that is not whole or not there', async () => {
    const missing = await get((_, response) => response.writeHead(404).end('gone'))
    expect([missing.outcome, missing.file]).toEqual(['failed', undefined])
    expect(missing.content).toContain('HTTP 404: gone')
    const large = await get((_, response) => response.end('x'.repeat(100)), {}, { maxBytes: 10 })
    expect([large.outcome, large.file]).toEqual(['failed', undefined])
    expect(large.content).toContain('more than 10 bytes')
  })

  it('goes through the guard', async () => {
    const workspace = memoryWorkspace()
    const tool = downloadFileTool({ workspace, fetch: guardedFetch({}) })
    const refused = await call(tool, { url: 'http://169.254.169.254/latest', output_file: '/x' })
    expect(refused.outcome).toBe('failed')
    expect(await workspace.list('/')).toEqual([])
  })
})
