import { describe, expect, it } from 'vitest'
import { editFileTool } from '../../../src/builtin/edit-file.ts'
import { findFilesTool } from '../../../src/builtin/find-files.ts'
import { patchText } from '../../../src/builtin/patch.ts'
import { readFilesTool } from '../../../src/builtin/read-files.ts'
import { createDispatcher } from '../../../src/index.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { call } from './call.ts'

async function workspaceOf(files: Record<string, string>) {
  const workspace = memoryWorkspace()
  for (const [path, text] of Object.entries(files)) await workspace.write(path, text)
  return workspace
}

describe('read_files', () => {
  const files = { '/a.md': 'one\ntwo\r\nthree\n', '/b': 'x', '/empty': '' }
  const read = async (...requests: object[]) =>
    call(readFilesTool({ workspace: await workspaceOf(files) }), { files: requests })

  it('numbers rows with a tab and says which file and version', async () => {
    const { content, value } = await read({ path: 'a.md' }, { path: '/b' })
    expect(content).toBe(
      '==> /a.md (version 1, rows 1-3 of 3)\n1\tone\n2\ttwo\n3\tthree\n\n==> /b (version 2, rows 1-1 of 1)\n1\tx',
    )
    expect(value).toEqual({
      files: [
        { path: '/a.md', version: 1, rows: 3, from: 1, to: 3 },
        { path: '/b', version: 2, rows: 1, from: 1, to: 1 },
      ],
    })
  })

  it('offset and limit, with the offset to go on at', async () => {
    const { content } = await read({ path: '/a.md', offset: 2, limit: 1 })
    expect(content).toBe('==> /a.md (version 1, rows 2-2 of 3)\n2\ttwo\n[1 rows follow: offset 3]')
  })

  it('reports a file that cannot be read in its place', async () => {
    const { outcome, content } = await read({ path: '/none' }, { path: '/empty' }, { path: '..' })
    expect(outcome).toBe('completed')
    expect(content).toContain('/none: error: there is no such file')
    expect(content).toContain('/empty is empty')
    expect(content).toContain('climbs above the root')
  })

  it.each([
    [{ path: '/none' }, 'failed', 'no such file'],
    [{ path: '/a.md', offset: 4 }, 'failed', 'offset 4 is past the end: 3 rows'],
    [{ path: '/a.md', offset: 0 }, 'invalid', 'offset'],
    [{ path: '/a.md', x: 1 }, 'invalid', 'x'],
  ])('%j alone is %s', async (request, outcome, reason) => {
    const result = await read(request)
    expect([result.outcome, result.content]).toEqual([outcome, expect.stringContaining(reason)])
  })
})

describe('find_files', () => {
  const files = { '/n/a.md': '', '/n/sub/b.md': '', '/n/sub/c.txt': '', '/Top.MD': '' }
  const find = async (args: object) => {
    const result = await call(findFilesTool({ workspace: await workspaceOf(files) }), args)
    return result.outcome === 'completed' ? result.value : result.content
  }
  const matches = async (query: object) =>
    ((await find({ queries: [query] })) as { matches: string[] }).matches

  it.each([
    [{}, ['/Top.MD', '/n/']],
    [{ dir: '/n' }, ['/n/a.md', '/n/sub/']],
    [{ dir: 'n/', recursive: true }, ['/n/a.md', '/n/sub/b.md', '/n/sub/c.txt']],
    [{ pattern: '*.md' }, ['/n/a.md', '/n/sub/b.md']],
    [{ pattern: '**/*.md' }, ['/n/a.md', '/n/sub/b.md']],
    [{ pattern: 'n/*.md' }, ['/n/a.md']],
    [{ dir: '/n', pattern: './sub/?.txt' }, ['/n/sub/c.txt']],
    [{ pattern: 'top' }, ['/Top.MD']],
    [{ pattern: 'sub/' }, ['/n/sub/b.md', '/n/sub/c.txt']],
    [{ pattern: 'sub' }, []],
  ])('%j finds %j', async (query, expected) => {
    expect(await matches(query)).toEqual(expected)
  })

  it('pages, merges queries, and reports those that fail', async () => {
    expect(await find({ queries: [{ pattern: '*' }, { pattern: '*.md' }], limit: 2 })).toEqual({
      matches: ['/Top.MD', '/n/a.md'],
      total: 4,
      next_offset: 2,
    })
    expect(await find({ queries: [{}, { dir: '/none' }, { dir: '/n/a.md' }] })).toMatchObject({
      total: 2,
      errors: ['/none: there is no such directory', '/n/a.md is a file'],
    })
    expect(await find({ queries: [{ dir: '/none' }] })).toMatch(/no such directory/)
    expect(await find({ queries: [{}], mode: 'glob' })).toMatch(/needs a pattern/)
  })

  it('an empty workspace is an empty list', async () => {
    const tool = findFilesTool({ workspace: memoryWorkspace() })
    expect((await call(tool, { queries: [{}] })).value).toEqual({ matches: [], total: 0 })
  })
})

describe('edit_file', () => {
  async function edit(
    args: object,
    files: Record<string, string> = { '/a': 'one two one\nthree\n' },
  ) {
    const workspace = await workspaceOf(files)
    const result = await call(editFileTool({ workspace }), { path: '/a', ...args })
    return { ...result, after: (await workspace.read('/a'))?.text }
  }
  const target = (old_string: string, new_string: string, replace_all?: boolean) => ({
    old_string,
    new_string,
    ...(replace_all !== undefined && { replace_all }),
  })

  it('writes', async () => {
    expect(await edit({ mode: 'write', content: 'é' })).toMatchObject({
      after: 'é',
      content: 'saved /a: 2 bytes, version 2',
      value: { path: '/a', bytes: 2, version: 2 },
    })
  })

  it('patches, all targets looked up in the file as it was', async () => {
    const targets = [target('two', 'three'), target('three', 'four')]
    expect((await edit({ mode: 'patch', targets })).after).toBe('one three one\nfour\n')
    const all = [target('one', '$&1', true)]
    expect(await edit({ mode: 'patch', targets: all })).toMatchObject({
      after: '$&1 two $&1\nthree\n',
      content: expect.stringContaining('2 replaced'),
    })
  })

  it.each([
    [
      { mode: 'patch', targets: [target('two', '2'), target('none', 'x')] },
      'target 2: old_string is not in',
    ],
    [{ mode: 'patch', targets: [target('one', '1')] }, 'is there 2 times (rows 1, 1)'],
    [
      { mode: 'patch', targets: [target('one two', 'x'), target('two one', 'y')] },
      'overlap in row 1',
    ],
    [{ mode: 'patch', targets: [target('two', 'two')] }, 'are the same'],
    [{ mode: 'patch', targets: [target('one two one\nthree\n', '')] }, 'would leave nothing'],
    [{ mode: 'patch', targets: [target('thre e', 'x')] }, 'similar rows: 2 "three"'],
    [{ mode: 'patch' }, 'needs targets'],
    [{ mode: 'write' }, 'needs content'],
    [{ mode: 'write', content: 'x', targets: [target('a', 'b')] }, 'not targets'],
    [{ mode: 'remove', content: 'x' }, 'only a path'],
    [{ mode: 'write', content: 'x'.repeat(1_048_577) }, 'too large'],
    [{ mode: 'write', content: 'x', path: '/a/b' }, '/a is a file'],
    [{ mode: 'patch', path: '/none', targets: [target('a', 'b')] }, 'no such file'],
    [{ mode: 'remove', path: '/none' }, 'no such file'],
  ])('%# changes nothing: %s', async (args, reason) => {
    const { outcome, content, after } = await edit(args)
    expect([outcome, content]).toEqual(['failed', expect.stringContaining(reason)])
    expect(after).toBe('one two one\nthree\n')
  })

  it('removes', async () => {
    expect(await edit({ mode: 'remove' })).toMatchObject({
      after: undefined,
      content: 'removed /a',
    })
  })

  it('does not write over a change that came between reading and writing', async () => {
    const workspace = await workspaceOf({ '/a': 'one' })
    const slow = {
      ...workspace,
      read: async (path: string) => {
        const file = await workspace.read(path)
        await workspace.write(path, 'other')
        return file
      },
    }
    const args = { mode: 'patch', path: '/a', targets: [target('one', 'two')] }
    expect((await call(editFileTool({ workspace: slow }), args)).content).toContain('has changed')
    expect((await workspace.read('/a'))?.text).toBe('other')
  })

  it('asks; for remove whatever the rules say', async () => {
    const { confirm } = editFileTool({ workspace: memoryWorkspace() })
    const verdictOf = (mode: string) =>
      typeof confirm === 'function' ? confirm({ mode, path: '/a' }) : confirm
    expect(['write', 'patch', 'remove'].map(verdictOf)).toEqual([true, true, 'always'])
    const tools = [editFileTool({ workspace: memoryWorkspace() })]
    const run = createDispatcher({ tools, mode: 'full' }).run()
    const args = { mode: 'write', path: '/a', content: 'x' }
    const { results } = await run.dispatch([{ name: 'edit_file', arguments: args }])
    expect(results[0]?.outcome).toBe('denied')
  })

  it('read, edit, read in one round gives old, then new', async () => {
    const workspace = await workspaceOf({ '/a': 'old', '/ab': 'other' })
    const tools = [readFilesTool({ workspace }), editFileTool({ workspace })]
    const run = createDispatcher({ tools, mode: 'full', unattended: 'allow' }).run()
    const read = { name: 'read_files', arguments: { files: [{ path: '/a' }] } }
    const edit = { name: 'edit_file', arguments: { mode: 'write', path: 'a', content: 'new' } }
    const { results } = await run.dispatch([read, edit, read])
    expect(results.map(({ content }) => content.split('\t')[1])).toEqual(['old', undefined, 'new'])
  })
})

describe('patchText', () => {
  it('neighbours do not overlap', () => {
    const targets = [
      { old_string: 'ab', new_string: '1' },
      { old_string: 'cd', new_string: '2' },
    ]
    expect(patchText('abcd', targets)).toEqual({ text: '12', replaced: 2 })
  })
})
