/**
 * A workspace over any backend: paths, versions, places and bounds.
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import { DispatchError } from '../errors.ts'
import { byteLength, wellFormed } from '../execute/text.ts'
import { positiveInteger } from '../option.ts'
import type { Content, StoredChange, WorkspaceBackend } from './backend.ts'
import { normalisePath } from './path.ts'
import type { Change, FileChange, Workspace, WorkspaceEntry, WorkspaceFile } from './workspace.ts'

export interface WorkspaceBounds {
  /** Default 1,000. */
  readonly maxFiles?: number
  /** Bytes of all files together, as they are now; default 16,777,216. */
  readonly maxBytes?: number
  /** Versions of a file that are kept, the current one among them; default 24. */
  readonly keepVersions?: number
  readonly clock?: Clock
}

/** How often a commit is tried anew after somebody else's; more often than that nobody writes. */
const mostAttempts = 20

/** Throws `THREEPASS_BAD_OPTION` for bounds that are no whole numbers from 1. */
export function workspaceOver(backend: WorkspaceBackend, options: WorkspaceBounds = {}): Workspace {
  const maxFiles = positiveInteger('maxFiles', options.maxFiles ?? 1_000)
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 16_777_216)
  const keepVersions = positiveInteger('keepVersions', options.keepVersions ?? 24)
  const clock = options.clock ?? systemClock
  let known: { version: number; files: Map<string, WorkspaceEntry> } | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const load = async () => {
    if (known && (await backend.version()) === known.version) return known
    const { version, files } = await backend.index()
    known = { version, files: new Map(files.map((entry) => [entry.path, entry])) }
    return known
  }

  const attempt = async (wanted: readonly Wanted[]): Promise<FileChange[] | undefined> => {
    const { version, files } = await load()
    const after = new Map(files)
    const stored = wanted.map((change, index): StoredChange => {
      checkVersion(change, files)
      const { path, content, origin } = change
      const bytes = content === null ? 0 : sizeOf(content)
      const entry = { path, version: version + index + 1, bytes }
      if (content === null) after.delete(path)
      else after.set(path, entry)
      return {
        ...entry,
        at: clock(),
        action: content === null ? 'remove' : 'write',
        ...(origin && { origin }),
        ...(content !== null && { content }),
      }
    })
    for (const { path, content } of wanted) if (content !== null) checkPlace(path, after)
    checkBounds(files, after)
    if (!(await backend.commit(version, stored, keepVersions))) return undefined
    known = { version: version + stored.length, files: after }
    return stored.map(({ content: _content, ...change }) => change)
  }

  const checkBounds = (
    before: ReadonlyMap<string, WorkspaceEntry>,
    after: ReadonlyMap<string, WorkspaceEntry>,
  ): void => {
    // What makes a full workspace smaller is always allowed.
    const bytes = total(after)
    if (after.size > maxFiles && after.size > before.size) {
      fail(`the workspace is full: ${maxFiles} files`)
    }
    if (bytes > maxBytes && bytes > total(before)) {
      fail(`the workspace is full: at most ${maxBytes} bytes in all`)
    }
  }

  const apply = (changes: readonly Change[]): Promise<FileChange[]> => {
    const work = queue.then(async () => {
      const wanted = changes.map(normalised)
      const paths = new Set(wanted.map(({ path }) => path))
      if (paths.size < wanted.length) fail('a file can change only once at a time')
      for (let tried = 0; tried < mostAttempts; tried += 1) {
        const done = await attempt(wanted)
        if (done) return done
      }
      return fail('others are writing all the time: try again')
    })
    queue = work.catch(() => {})
    return work
  }

  const fileOf = (path: string, version: number, content: Content): WorkspaceFile =>
    typeof content === 'string'
      ? { path, text: content, version }
      : { path, text: '', data: content, version }

  return {
    apply,
    async read(path, { version } = {}) {
      const at = normalisePath(path)
      const wanted = version ?? (await load()).files.get(at)?.version
      const content = wanted === undefined ? undefined : await backend.content(at, wanted)
      return wanted === undefined || content === undefined ? undefined : fileOf(at, wanted, content)
    },
    async write(path, content, writeOptions = {}) {
      const [done] = await apply([{ ...writeOptions, path, content }])
      const { path: at, version } = done as FileChange
      return fileOf(at, version, stored(content))
    },
    async remove(path, writeOptions = {}) {
      const at = normalisePath(path)
      if (!(await load()).files.has(at)) {
        checkVersion({ ...writeOptions, path: at, content: null }, new Map())
        return false
      }
      await apply([{ ...writeOptions, path: at, content: null }])
      return true
    },
    async list(path) {
      const at = normalisePath(path)
      return [...(await load()).files.values()]
        .filter((entry) => entry.path === at || isBelow(entry.path, at))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async history({ path, limit = 24, before = Number.MAX_SAFE_INTEGER } = {}) {
      const at = path === undefined ? undefined : normalisePath(path)
      return backend.changes(at, Math.max(0, Math.floor(limit)), before)
    },
  }
}

type Wanted = Change & { readonly content: Content | null }

function normalised(change: Change): Wanted {
  const { path, content } = change
  return {
    ...change,
    path: normalisePath(path),
    content: content === null ? null : stored(content),
  }
}

/** A copy: what the caller goes on with is its own. */
function stored(content: Content): Content {
  return typeof content === 'string' ? wellFormed(content) : content.slice()
}

function sizeOf(content: Content): number {
  return typeof content === 'string' ? byteLength(content) : content.byteLength
}

function total(files: ReadonlyMap<string, WorkspaceEntry>): number {
  let bytes = 0
  for (const entry of files.values()) bytes += entry.bytes
  return bytes
}

function checkVersion(
  { path, ifVersion }: Change,
  files: ReadonlyMap<string, WorkspaceEntry>,
): void {
  const current = files.get(path)?.version ?? 0
  if (ifVersion === undefined || ifVersion === current) return
  fail(`${path} has changed: version ${current}, not ${ifVersion}. Read it again.`)
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

/** A path is a file or a directory, never both. */
function checkPlace(path: string, files: ReadonlyMap<string, WorkspaceEntry>): void {
  if (path === '/') fail('/ is the root directory: name a file')
  for (const other of files.keys()) {
    if (isBelow(other, path)) fail(`${path} is a directory`)
    if (isBelow(path, other)) fail(`${other} is a file: nothing can be below it`)
  }
}

function fail(message: string): never {
  throw new DispatchError('THREEPASS_WORKSPACE', message)
}
