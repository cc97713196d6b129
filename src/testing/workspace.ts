/**
 * The contract of PORT Workspace.
 * @module
 */
import type { WorkspaceBounds } from '../workspace/over-backend.ts'
import type { Workspace } from '../workspace/workspace.ts'
import {
  type ContractOptions,
  type ContractTest,
  type Expect,
  registerContract,
  type TestApi,
} from './contract.ts'

export interface WorkspaceContractOptions extends Omit<ContractOptions<Workspace>, 'make'> {
  readonly make: (bounds?: WorkspaceBounds) => Workspace | Promise<Workspace>
  /** A second workspace on the same files, as another tab has it or the same object after a restart. */
  readonly reopen?: (workspace: Workspace) => Workspace | Promise<Workspace>
}

interface Extra {
  readonly bounded: (bounds: WorkspaceBounds) => Promise<Workspace>
  readonly reopen: (workspace: Workspace) => Promise<Workspace>
}

/** Registers the tests that every workspace has to pass. */
export function workspaceContract(
  api: TestApi,
  name: string,
  options: WorkspaceContractOptions,
): void {
  registerContract<Workspace, Extra>(api, {
    name: `Workspace: ${name}`,
    tests,
    options: { ...options, make: () => options.make() },
    extra: {
      bounded: async (bounds) => options.make(bounds),
      reopen: async (workspace) => options.reopen?.(workspace) ?? workspace,
    },
  })
}

async function refused(expect: Expect, work: Promise<unknown>, why: RegExp): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as { code?: string; message?: string },
  )
  expect(error?.code).toBe('THREEPASS_WORKSPACE')
  expect([why.test(error?.message ?? ''), error?.message]).toEqual([true, error?.message])
}

const bytes = new Uint8Array([0, 255, 1, 254])

const tests: readonly ContractTest<Workspace, Extra>[] = [
  {
    name: 'gives back what was written, under any spelling of its path, also to another who opens it',
    async run({ make, expect, reopen }) {
      const files = await make()
      const texts = [
        '',
        'one',
        'é🔑\r\n\u0000',
        '\ufeffmark',
        'x'.repeat(2_500_000),
        'ü'.repeat(900_000),
      ]
      for (const [index, text] of texts.entries()) await files.write(`a/./${index}`, text)
      await files.write('/bin', bytes)
      const other = await reopen(files)
      for (const [index, text] of texts.entries()) {
        expect((await other.read(`//a/${index}`))?.text === text).toBe(true)
      }
      const read = await other.read('/bin')
      expect([read?.text, [...(read?.data ?? [])]]).toEqual(['', [...bytes]])
      expect(await other.read('/none')).toBe(undefined)
      expect(await other.read('/a')).toBe(undefined)
    },
  },
  {
    name: 'what was handed in or out stays the caller’s own',
    async run({ make, expect }) {
      const files = await make()
      const own = bytes.slice()
      await files.write('/a', own)
      own[0] = 9
      expect([...((await files.read('/a'))?.data ?? [])]).toEqual([...bytes])
    },
  },
  {
    name: 'lists a file, or all below a directory, sorted, with sizes in bytes',
    async run({ make, expect }) {
      const files = await make()
      for (const path of ['/b/x', '/a', '/b/a/y', '/bc']) await files.write(path, 'é')
      const paths = async (path: string) => (await files.list(path)).map((entry) => entry.path)
      expect(await paths('/')).toEqual(['/a', '/b/a/y', '/b/x', '/bc'])
      expect(await paths('/b/')).toEqual(['/b/a/y', '/b/x'])
      expect(await paths('/a')).toEqual(['/a'])
      expect(await paths('/none')).toEqual([])
      expect((await files.list('/a'))[0]?.bytes).toBe(2)
    },
  },
  {
    name: 'a version is never used twice, not even after a removal or by another',
    async run({ make, expect, reopen }) {
      const files = await make()
      const other = await reopen(files)
      const one = (await files.write('/a', '1')).version
      expect(await other.remove('/a')).toBe(true)
      expect(await files.remove('/a')).toBe(false)
      const two = (await files.write('/a', '1')).version
      const three = (await other.write('/b', '1')).version
      expect(one < two && two < three).toBe(true)
      expect((await files.list('/')).map(({ path, version }) => [path, version])).toEqual([
        ['/a', two],
        ['/b', three],
      ])
    },
  },
  {
    name: 'writes only over the version that was read',
    async run({ make, expect, reopen }) {
      const files = await make()
      const { version } = await files.write('/a', '1', { ifVersion: 0 })
      const other = await reopen(files)
      await other.write('/a', '2', { ifVersion: version })
      await refused(expect, files.write('/a', '3', { ifVersion: version }), /has changed/)
      await refused(expect, files.write('/a', '3', { ifVersion: 0 }), /has changed/)
      await refused(expect, files.remove('/a', { ifVersion: version }), /has changed/)
      await refused(expect, files.remove('/none', { ifVersion: 7 }), /has changed/)
      expect((await files.read('/a'))?.text).toBe('2')
    },
  },
  {
    name: 'a path is a file or a directory, never both',
    async run({ make, expect }) {
      const files = await make()
      await files.write('/a/b', '1')
      await refused(expect, files.write('/a', '2'), /is a directory/)
      await refused(expect, files.write('/a/b/c', '2'), /is a file/)
      await refused(expect, files.write('/', '2'), /root directory/)
      await refused(expect, files.write('../x', '2'), /climbs above/)
      const both = [
        { path: '/d', content: '1' },
        { path: '/d/e', content: '1' },
      ]
      await refused(expect, files.apply(both), /directory|file/)
      // Both at once: the file goes, the directory comes.
      const moved = [
        { path: '/a/b', content: null },
        { path: '/a', content: '3' },
      ]
      await files.apply(moved)
      expect((await files.list('/')).map(({ path }) => path)).toEqual(['/a'])
    },
  },
  {
    name: 'applies all changes or none',
    async run({ make, expect }) {
      const files = await make()
      await files.write('/a', '1')
      const bad = [
        { path: '/b', content: '2' },
        { path: '/a', content: '2', ifVersion: 99 },
      ]
      await refused(expect, files.apply(bad), /has changed/)
      const twice = [
        { path: '/b', content: '1' },
        { path: 'b', content: '2' },
      ]
      await refused(expect, files.apply(twice), /only once/)
      expect((await files.list('/')).map(({ path }) => path)).toEqual(['/a'])
      const done = await files.apply([
        { path: '/b', content: '22' },
        { path: '/a', content: null },
      ])
      expect(done.map(({ path, action, bytes: size }) => [path, action, size])).toEqual([
        ['/b', 'write', 2],
        ['/a', 'remove', 0],
      ])
      expect(await files.apply([])).toEqual([])
    },
  },
  {
    name: 'tells what changed, newest first, and by whom',
    async run({ make, expect, reopen }) {
      const files = await make()
      const origin = { tool: 'edit_file', runId: 'r', callId: 'c' }
      await files.write('/a', '1', { origin })
      await files.write('/b', '1')
      await files.write('/a', '22')
      await files.remove('/a')
      const other = await reopen(files)
      const seen = async (options: Parameters<Workspace['history']>[0]) =>
        (await other.history(options)).map(({ path, action, bytes: size }) => [path, action, size])
      expect(await seen({})).toEqual([
        ['/a', 'remove', 0],
        ['/a', 'write', 2],
        ['/b', 'write', 1],
        ['/a', 'write', 1],
      ])
      const own = await other.history({ path: 'a' })
      expect(own.map(({ version }) => version)).toEqual([4, 3, 1])
      expect(own[2]?.origin).toEqual(origin)
      expect(own[1]?.origin).toBe(undefined)
      expect((await other.history({ path: '/a', limit: 1, before: 4 }))[0]?.version).toBe(3)
      expect((await other.read('/a', { version: 3 }))?.text).toBe('22')
      expect(await other.read('/b', { version: 3 })).toBe(undefined)
      expect(await other.read('/a', { version: 4 })).toBe(undefined)
    },
  },
  {
    name: 'keeps so many versions of a file, and all files',
    async run({ bounded, expect }) {
      const files = await bounded({ keepVersions: 2 })
      for (const text of ['1', '2', '3']) await files.write('/a', text)
      await files.write('/b', 'b')
      expect((await files.history({ path: '/a' })).map(({ version }) => version)).toEqual([3, 2])
      expect(await files.read('/a', { version: 1 })).toBe(undefined)
      expect((await files.read('/a', { version: 2 }))?.text).toBe('2')
      expect((await files.read('/a'))?.text).toBe('3')
      expect((await files.list('/')).length).toBe(2)
    },
  },
  {
    name: 'holds its bounds; what makes it smaller is always allowed',
    async run({ bounded, expect }) {
      const files = await bounded({ maxFiles: 2, maxBytes: 4 })
      await files.write('/a', 'éé')
      await refused(expect, files.write('/b', '1'), /full: at most 4 bytes/)
      await files.write('/a', 'é')
      await files.write('/b', '1')
      await refused(expect, files.write('/c', ''), /full: 2 files/)
      await files.remove('/b')
      await files.write('/c', '12')
      expect((await files.list('/')).length).toBe(2)
    },
  },
  {
    name: 'two who write at once lose nothing',
    async run({ make, expect, reopen }) {
      const files = await make()
      const other = await reopen(files)
      const writes = Array.from({ length: 8 }, (_, n) =>
        (n % 2 ? other : files).write(`/${n}`, String(n)),
      )
      const versions = (await Promise.all(writes)).map(({ version }) => version)
      expect(new Set(versions).size).toBe(8)
      expect((await files.list('/')).length).toBe(8)
      expect((await other.list('/')).length).toBe(8)
    },
  },
]
