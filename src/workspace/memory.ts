/**
 * A workspace in memory: lives as long as the object does.
 * @module
 */
import type { StoredChange, WorkspaceBackend } from './backend.ts'
import { type WorkspaceBounds, workspaceOver } from './over-backend.ts'
import type { Workspace } from './workspace.ts'

export type { Content, StoredChange, WorkspaceBackend, WorkspaceIndex } from './backend.ts'
export { type WorkspaceBounds, workspaceOver } from './over-backend.ts'
export type {
  Change,
  ChangeOrigin,
  FileChange,
  HistoryOptions,
  Workspace,
  WorkspaceEntry,
  WorkspaceFile,
  WriteOptions,
} from './workspace.ts'

/** Makes an empty workspace. Throws `THREEPASS_BAD_OPTION` for bounds that are no whole numbers from 1. */
export function memoryWorkspace(bounds: WorkspaceBounds = {}): Workspace {
  return workspaceOver(memoryBackend(), bounds)
}

function memoryBackend(): WorkspaceBackend {
  /** Oldest first. */
  const files = new Map<string, StoredChange[]>()
  let version = 0
  const latest = (path: string) => files.get(path)?.at(-1)
  return {
    version: async () => version,
    index: async () => ({
      version,
      files: [...files.keys()].flatMap((path) => {
        const last = latest(path)
        if (last?.action !== 'write') return []
        const { version: at, bytes } = last
        return [{ path, version: at, bytes }]
      }),
    }),
    async content(path, wanted) {
      return files.get(path)?.find((change) => change.version === wanted)?.content
    },
    async changes(path, limit, before) {
      const all = path === undefined ? [...files.values()].flat() : (files.get(path) ?? [])
      return all
        .filter((change) => change.version < before)
        .sort((a, b) => b.version - a.version)
        .slice(0, limit)
        .map(({ content: _content, ...change }) => change)
    },
    async commit(expected, changes, keep) {
      if (version !== expected) return false
      for (const change of changes) {
        files.set(change.path, [...(files.get(change.path) ?? []), change].slice(-keep))
        version = change.version
      }
      return true
    },
  }
}
