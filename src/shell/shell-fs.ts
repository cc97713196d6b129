/**
 * The file system of a shell: just-bash's own in memory, made to behave where a workspace differs.
 * @module
 */
import type { InMemoryFs } from 'just-bash/browser'

/** Looks at files between two breaths: every command of the shell takes at least one. */
const looksPerBreath = 64

/** No symbolic links, nothing below a file, and the thread is let go now and then. */
export function shellFileSystem(make: typeof InMemoryFs, maxTotalBytes: number): InMemoryFs {
  const fs = new make({}, { maxTotalBytes })
  // What is written through its links to directories is lost; and a workspace has none.
  fs.symlink = (_, path) => Promise.reject(new Error(`EPERM: no symbolic links here: ${path}`))
  withRealParents(fs)
  withBreaths(fs)
  return fs
}

function withRealParents(fs: InMemoryFs): void {
  const { lstat, writeFile, appendFile, mkdir, cp, mv, link } = bound(fs)
  const check = async (path: string) => {
    const names = path.split('/').filter(Boolean)
    for (let depth = 1; depth < names.length; depth += 1) {
      const parent = await lstat(`/${names.slice(0, depth).join('/')}`).catch(() => undefined)
      if (!parent) return
      if (parent.isFile) throw new Error(`ENOTDIR: not a directory, open '${path}'`)
    }
  }
  fs.writeFile = (path, ...rest) => check(path).then(() => writeFile(path, ...rest))
  fs.appendFile = (path, ...rest) => check(path).then(() => appendFile(path, ...rest))
  fs.mkdir = (path, ...rest) => check(path).then(() => mkdir(path, ...rest))
  fs.cp = (from, to, ...rest) => check(to).then(() => cp(from, to, ...rest))
  fs.mv = (from, to) => check(to).then(() => mv(from, to))
  fs.link = (from, to) => check(to).then(() => link(from, to))
}

/** A shell that never waits for anything outside keeps timers, aborts and everybody else from their turn. */
function withBreaths(fs: InMemoryFs): void {
  const { stat } = bound(fs)
  let looks = 0
  fs.stat = async (path) => {
    looks += 1
    if (looks % looksPerBreath === 0) await new Promise((resolve) => setTimeout(resolve))
    return stat(path)
  }
}

/** Its methods as they are now, to be called by those that take their place. */
function bound(fs: InMemoryFs): Pick<InMemoryFs, Wrapped> {
  const names = ['stat', 'lstat', 'writeFile', 'appendFile', 'mkdir', 'cp', 'mv', 'link'] as const
  return Object.fromEntries(names.map((name) => [name, fs[name].bind(fs)])) as Pick<
    InMemoryFs,
    Wrapped
  >
}

type Wrapped = 'stat' | 'lstat' | 'writeFile' | 'appendFile' | 'mkdir' | 'cp' | 'mv' | 'link'
