/**
 * The files of a workspace as a shell sees them, and what it made of them.
 * @module
 */
import type { InMemoryFs } from 'just-bash/browser'
import type { Change, Workspace } from '../workspace/workspace.ts'

export interface ShellFiles {
  readonly fs: InMemoryFs
  /** What the shell wrote and removed, as changes of the versions that it started from. */
  readonly changes: () => Promise<{ changes: Change[]; links: string[] }>
}

/** A file that the shell has not looked at, found after it has ended. */
class Untouched extends Error {
  readonly path: string
  constructor(path: string) {
    super('untouched')
    this.path = path
  }
}

/** The shell's own places: what it leaves there is not kept. */
const ownPlaces = /^\/(bin|usr|dev|proc|tmp)(\/|$)/

/** Files are read when the shell reads them. */
export async function shellFiles(
  Fs: typeof InMemoryFs,
  workspace: Workspace,
  maxBytes: number,
): Promise<ShellFiles> {
  const fs = new Fs({}, { maxTotalBytes: maxBytes })
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
  /** What is at a path that the shell has left behind. */
  const lookAt = async (path: string): Promise<Found> => {
    try {
      const { isFile, isSymbolicLink } = await fs.lstat(path)
      if (!isFile) return { kind: isSymbolicLink ? 'link' : 'directory' }
      const bytes = await fs.readFileBuffer(path)
      return { kind: 'file', bytes }
    } catch (error) {
      if (!(error instanceof Untouched)) throw error
      if (error.path === path) return { kind: 'untouched' }
      // Moved without having been read.
      const content = await contentAt(error.path, entries.get(error.path)?.version)
      return { kind: 'file', bytes: bytesOf(content) }
    }
  }

  return {
    fs,
    async changes() {
      over = true
      const links: string[] = []
      const changes: Change[] = []
      const left = new Set(entries.keys())
      for (const path of fs.getAllPaths()) {
        const entry = entries.get(path)
        if (!entry && ownPlaces.test(path)) continue
        const found = await lookAt(path)
        if (found.kind === 'link') links.push(path)
        if (found.kind === 'untouched') left.delete(path)
        if (found.kind !== 'file') continue
        left.delete(path)
        const before = read.get(path)
        if (before !== undefined && isSame(found.bytes, bytesOf(before))) continue
        const content = textOf(found.bytes) ?? found.bytes
        changes.push({ path, content, ifVersion: entry?.version ?? 0 })
      }
      const removed = [...left].map((path) => ({
        path,
        content: null,
        ifVersion: entries.get(path)?.version ?? 0,
      }))
      return { changes: [...removed, ...changes], links }
    },
  }
}

type Content = string | Uint8Array

type Found =
  | { readonly kind: 'untouched' | 'link' | 'directory' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function bytesOf(content: Content): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
