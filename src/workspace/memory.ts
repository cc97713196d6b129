/**
 * A workspace in memory: lives as long as the object does.
 * @module
 */
import { DispatchError } from '../errors.ts'
import { byteLength } from '../execute/text.ts'
import { positiveInteger } from '../option.ts'
import { normalisePath } from './path.ts'
import type { Workspace, WorkspaceFile, WriteOptions } from './workspace.ts'

export interface MemoryWorkspaceOptions {
  /** Default 1,000. */
  readonly maxFiles?: number
  /** UTF-8 bytes of all texts together; default 16,777,216. */
  readonly maxBytes?: number
}

interface Kept {
  readonly file: WorkspaceFile
  readonly bytes: number
}

/** Makes an empty workspace. Throws `THREEPASS_BAD_OPTION` for bounds that are no whole numbers from 1. */
export function memoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const maxFiles = positiveInteger('maxFiles', options.maxFiles ?? 1_000)
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 16_777_216)
  const files = new Map<string, Kept>()
  let total = 0
  let version = 0

  const checkVersion = (path: string, { ifVersion }: WriteOptions = {}): void => {
    const current = files.get(path)?.file.version ?? 0
    if (ifVersion === undefined || ifVersion === current) return
    fail(`${path} has changed: version ${current}, not ${ifVersion}. Read it again.`)
  }

  return {
    async read(path) {
      return files.get(normalisePath(path))?.file
    },

    async write(path, text, writeOptions) {
      const at = normalisePath(path)
      checkVersion(at, writeOptions)
      checkPlace(at, files)
      const before = files.get(at)
      const bytes = byteLength(text)
      const after = total - (before?.bytes ?? 0) + bytes
      if (!before && files.size >= maxFiles) fail(`the workspace is full: ${maxFiles} files`)
      if (after > maxBytes) fail(`the workspace is full: at most ${maxBytes} bytes in all`)
      version += 1
      total = after
      const file: WorkspaceFile = { path: at, text, version }
      files.set(at, { file, bytes })
      return file
    },

    async list(path) {
      const at = normalisePath(path)
      return [...files.values()]
        .filter(({ file }) => file.path === at || isBelow(file.path, at))
        .map(({ file, bytes }) => ({ path: file.path, version: file.version, bytes }))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
    },

    async remove(path, writeOptions) {
      const at = normalisePath(path)
      checkVersion(at, writeOptions)
      const before = files.get(at)
      if (!before) return false
      files.delete(at)
      version += 1
      total -= before.bytes
      return true
    },
  }
}

function fail(message: string): never {
  throw new DispatchError('THREEPASS_WORKSPACE', message)
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

/** A path is a file or a directory, never both. */
function checkPlace(path: string, files: ReadonlyMap<string, Kept>): void {
  if (path === '/') fail('/ is the root directory: name a file')
  for (const other of files.keys()) {
    if (isBelow(other, path)) fail(`${path} is a directory`)
    if (isBelow(path, other)) fail(`${other} is a file: nothing can be below it`)
  }
}
