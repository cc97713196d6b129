/**
 * Paths of a workspace: POSIX-like, absolute, one spelling a file.
 * @module
 */
import { DispatchError } from '../errors.ts'

const longestPath = 1_024

/**
 * `a/./b//../c` becomes `/a/c`. A relative path starts at the root; `''` and `.` are the root `/`.
 * Throws `THREEPASS_WORKSPACE` for a path that climbs above the root, holds a NUL or is longer than
 * 1,024 characters.
 */
export function normalisePath(path: string): string {
  if (path.includes('\0')) bad(path, 'it holds a NUL character')
  if (path.length > longestPath) bad(path, `it is longer than ${longestPath} characters`)
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) bad(path, 'it climbs above the root of the workspace')
    } else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

function bad(path: string, reason: string): never {
  throw new DispatchError(
    'THREEPASS_WORKSPACE',
    `bad path ${JSON.stringify(shown(path))}: ${reason}`,
  )
}

function shown(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}…` : path
}

/** The name under which the dispatcher orders and voids calls that touch this path: `file:/a/c`. Throws as `normalisePath` does. */
export function fileResource(path: string): string {
  return `file:${normalisePath(path)}`
}

/** Resources of the paths that are well formed; a call with a bad path fails when it runs and touches nothing. */
export function fileResources(paths: readonly unknown[]): string[] {
  return paths.flatMap((path) => {
    try {
      return typeof path === 'string' ? [fileResource(path)] : []
    } catch {
      return []
    }
  })
}
