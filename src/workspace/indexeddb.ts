/**
 * A workspace in a page's IndexedDB: shared by its tabs, kept over reloads.
 * @module
 */
import { connectDatabase, requested } from '../idb.ts'
import type { Content, WorkspaceBackend } from './backend.ts'
import { type WorkspaceBounds, workspaceOver } from './over-backend.ts'
import type { FileChange, Workspace } from './workspace.ts'

export interface IndexedDBWorkspaceOptions extends WorkspaceBounds {
  /** Default `threepass-files`: one database a workspace. */
  readonly database?: string
}

/** Rejects with what IndexedDB threw where there is none (private modes) or it is full. */
export function indexedDBWorkspace({
  database = 'threepass-files',
  ...bounds
}: IndexedDBWorkspaceOptions = {}): Workspace {
  return workspaceOver(backend(database), bounds)
}

const openTimeoutMs = 5_000
/** What changed, and apart from it the contents: a list of files reads none of them. */
const changesStore = 'changes'
const contentsStore = 'contents'

function backend(name: string): WorkspaceBackend {
  const connection = connectDatabase({
    name,
    openTimeoutMs,
    upgrade(database) {
      const changes = database.createObjectStore(changesStore, { keyPath: 'version' })
      changes.createIndex('path', 'path')
      database.createObjectStore(contentsStore, { keyPath: 'version' })
    },
  })
  const read = <T>(store: string, body: (from: IDBObjectStore) => Promise<T>): Promise<T> =>
    connection.run([store], 'readonly', (transaction) => body(transaction.objectStore(store)))
  const lastVersion = async (from: IDBObjectStore): Promise<number> => {
    const cursor = await requested(from.openKeyCursor(null, 'prev'))
    return cursor ? Number(cursor.key) : 0
  }

  return {
    version: () => read(changesStore, lastVersion),
    index: () =>
      read(changesStore, async (from) => {
        const version = await lastVersion(from)
        const latest = new Map<string, FileChange>()
        await each(from.openCursor(), (change) => void latest.set(change.path, change))
        const files = [...latest.values()].filter(({ action }) => action === 'write')
        return {
          version,
          files: files.map(({ path, version: at, bytes }) => ({ path, version: at, bytes })),
        }
      }),
    content: (path, version) =>
      read(contentsStore, async (from) => {
        const kept: { path: string; content: Content } | undefined = await requested(
          from.get(version),
        )
        return kept?.path === path ? kept.content : undefined
      }),
    async changes(path, limit, before) {
      const found: FileChange[] = []
      if (limit < 1 || before < 1) return found
      await read(changesStore, (from) =>
        each(from.openCursor(IDBKeyRange.upperBound(before, true), 'prev'), (change) => {
          if (path === undefined || change.path === path) found.push(change)
          return found.length < limit
        }),
      )
      return found
    },
    commit: (expected, changes, keep) =>
      connection.run([changesStore, contentsStore], 'readwrite', async (transaction) => {
        const to = transaction.objectStore(changesStore)
        const contents = transaction.objectStore(contentsStore)
        if ((await lastVersion(to)) !== expected) return false
        for (const { content, ...change } of changes) {
          to.put(change)
          const { path, version } = change
          if (content !== undefined) contents.put({ path, version, content })
        }
        for (const { path } of changes) await forget(to, contents, path, keep)
        return true
      }),
  }
}

async function forget(
  to: IDBObjectStore,
  contents: IDBObjectStore,
  path: string,
  keep: number,
): Promise<void> {
  const versions = await requested(to.index('path').getAllKeys(IDBKeyRange.only(path)))
  for (const version of versions.slice(0, -keep)) {
    to.delete(version)
    contents.delete(version)
  }
}

/** Hands out the values under a cursor until the reader has enough. */
function each(
  request: IDBRequest<IDBCursorWithValue | null>,
  read: (change: FileChange) => boolean | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (!cursor || read(cursor.value as FileChange) === false) resolve()
      else cursor.continue()
    }
  })
}
