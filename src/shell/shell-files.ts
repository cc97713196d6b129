/**
 * The files of a workspace as a shell sees them, and what it made of them.
 * @module
 */
import type { InMemoryFs } from 'just-bash/browser'
import { plainText } from '../execute/text.ts'
import type { Change, Workspace } from '../workspace/workspace.ts'

export interface ShellFiles {
  /** What the shell wrote and removed, as changes of the versions that it started from. */
  readonly changes: () => Promise<Change[]>
}

/** A file that the shell has not looked at, found after it has ended. */
class Untouched extends Error {
  readonly path: string
  constructor(path: string) {
    super('untouched')
    this.path = path
  }
}

/**
 * Puts the workspace's files into the file system of a shell that is made but has not run; each is read when
 * the shell reads it. What the shell brings along itself (`/bin/ls`, `/dev/null`) is no file of the
 * workspace, unless the workspace has one there.
 */
export async function shellFiles(fs: InMemoryFs, workspace: Workspace): Promise<ShellFiles> {
  const own = new Set(fs.getAllPaths())
  const entries = new Map((await workspace.list('/')).map((entry) => [entry.path, entry]))
  const read = new Map<string, Content>()
  let over = false
  for (const { path, version } of entries.values()) {
    fs.writeFileLazy(path, async () => {
      if (over) throw new Untouched(path)
      const content = await contentAt(path, version)
      read.set(path, content)
      return content
    })
  }

  /** As it was when the shell began. */
  async function contentAt(path: string, version: number | undefined): Promise<Content> {
    const file = version === undefined ? undefined : await workspace.read(path, { version })
    if (!file) throw new Error(`${path} has changed meanwhile`)
    return file.data ?? file.text
  }
  /** What is at a path that the shell has left behind; `undefined` for a directory. */
  const lookAt = async (path: string): Promise<Uint8Array | 'untouched' | undefined> => {
    try {
      const { isFile } = await fs.lstat(path)
      return isFile ? await fs.readFileBuffer(path) : undefined
    } catch (error) {
      if (!(error instanceof Untouched)) throw error
      if (error.path === path) return 'untouched'
      // Moved without having been read.
      return bytesOf(await contentAt(error.path, entries.get(error.path)?.version))
    }
  }

  return {
    async changes() {
      over = true
      const changes: Change[] = []
      const left = new Set(entries.keys())
      for (const path of fs.getAllPaths()) {
        const entry = entries.get(path)
        if (!entry && own.has(path)) continue
        const found = await lookAt(path)
        if (found === undefined) continue
        left.delete(path)
        if (found === 'untouched') continue
        const before = read.get(path)
        if (before !== undefined && isSame(found, bytesOf(before))) continue
        const content = plainText(found) ?? found
        if (typeof content === 'string') checkText(path, content, before)
        changes.push({ path, content, ifVersion: entry?.version ?? 0 })
      }
      const removed = [...left].map((path) => ({
        path,
        content: null,
        ifVersion: entries.get(path)?.version ?? 0,
      }))
      return [...removed, ...changes]
    },
  }
}

/** UTF-8 that was read as Latin-1 and written as UTF-8 again: `Ã©` for `é`. */
const garbled =
  /[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3}/

/** The shell's `read` does that. Such a file must not come to be without a word. */
function checkText(path: string, content: string, before: Content | undefined): void {
  if (!garbled.test(content) || (typeof before === 'string' && garbled.test(before))) return
  throw new Error(
    `${path} would hold garbled text: read and mapfile of this shell take other letters than ASCII apart. Use sed, awk or jq; nothing was saved`,
  )
}

type Content = string | Uint8Array

function bytesOf(content: Content): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
