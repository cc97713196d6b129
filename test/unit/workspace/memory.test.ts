import { describe, expect, it } from 'vitest'
import { isDispatchError } from '../../../src/errors.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { fileResource, fileResources, normalisePath } from '../../../src/workspace/path.ts'

describe('normalisePath', () => {
  it.each([
    ['/a/./b/../c', '/a/c'],
    ['a/b', '/a/b'],
    ['//a///b/', '/a/b'],
    ['', '/'],
    ['.', '/'],
    ['/a/..', '/'],
    ['/..a/b..', '/..a/b..'],
    ['/ü/日本', '/ü/日本'],
    ['/a b/c*', '/a b/c*'],
    ['C:\\x', '/C:\\x'],
  ])('%j is %j', (path, expected) => {
    expect(normalisePath(path)).toBe(expected)
    expect(fileResource(path)).toBe(`file:${expected}`)
  })

  it.each(['..', '/../a', 'a/../../b', '/a\0b', `/${'x'.repeat(1_024)}`])(
    '%j is refused',
    (path) => {
      expect(() => normalisePath(path)).toThrowError(/^bad path/)
      expect(fileResources([path, 7, 'ok'])).toEqual(['file:/ok'])
    },
  )
})

describe('memoryWorkspace', () => {
  async function failure(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(() => undefined).catch((thrown: unknown) => thrown)
    if (!isDispatchError(error)) throw new Error('did not fail', { cause: error })
    expect(error.code).toBe('THREEPASS_WORKSPACE')
    return error.message
  }

  it('one file has one spelling', async () => {
    const files = memoryWorkspace()
    expect(await files.write('a/./b.md', 'one')).toEqual({
      path: '/a/b.md',
      text: 'one',
      version: 1,
    })
    expect((await files.read('/a//b.md'))?.text).toBe('one')
    expect(await files.read('/a')).toBeUndefined()
    expect(await files.read('/none')).toBeUndefined()
  })

  it('a version is never used twice, not even after a removal', async () => {
    const files = memoryWorkspace()
    const versions = [
      (await files.write('/a', '1')).version,
      (await files.write('/a', '2')).version,
    ]
    expect(await files.remove('/a')).toBe(true)
    expect(await files.remove('/a')).toBe(false)
    versions.push((await files.write('/a', '1')).version)
    expect(new Set(versions).size).toBe(3)
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
  })

  it('writes and removes only the version that is asked for', async () => {
    const files = memoryWorkspace()
    const { version } = await files.write('/a', '1', { ifVersion: 0 })
    expect(await failure(files.write('/a', '2', { ifVersion: 0 }))).toMatch(/has changed/)
    await files.write('/a', '2', { ifVersion: version })
    expect(await failure(files.write('/a', '3', { ifVersion: version }))).toMatch(/has changed/)
    expect(await failure(files.remove('/a', { ifVersion: version }))).toMatch(/has changed/)
    expect((await files.read('/a'))?.text).toBe('2')
  })

  it('lists a file, or what is below a directory, by path', async () => {
    const files = memoryWorkspace()
    for (const path of ['/b', '/a/2', '/a/1', '/ab']) await files.write(path, 'é')
    const paths = async (at: string) => (await files.list(at)).map(({ path }) => path)
    expect(await paths('/a')).toEqual(['/a/1', '/a/2'])
    expect(await paths('/')).toEqual(['/a/1', '/a/2', '/ab', '/b'])
    expect(await files.list('/b')).toEqual([{ path: '/b', version: 1, bytes: 2 }])
    expect(await paths('/none')).toEqual([])
  })

  it('a path is a file or a directory, not both', async () => {
    const files = memoryWorkspace()
    await files.write('/a/b', '')
    expect(await failure(files.write('/a', ''))).toMatch(/is a directory/)
    expect(await failure(files.write('/a/b/c', ''))).toMatch(/is a file/)
    expect(await failure(files.write('/', ''))).toMatch(/root/)
  })

  it('keeps its bounds, and a removal makes room', async () => {
    const files = memoryWorkspace({ maxFiles: 2, maxBytes: 4 })
    await files.write('/a', 'éé')
    expect(await failure(files.write('/b', 'x'))).toMatch(/at most 4 bytes/)
    await files.write('/a', 'ab')
    await files.write('/b', 'x')
    expect(await failure(files.write('/c', ''))).toMatch(/2 files/)
    await files.write('/b', 'xy')
    await files.remove('/a')
    await files.write('/c', 'xy')
    expect(() => memoryWorkspace({ maxFiles: 0 })).toThrowError(/maxFiles/)
    expect(() => memoryWorkspace({ maxBytes: 1.5 })).toThrowError(/maxBytes/)
  })
})
