/**
 * A workspace in a page's IndexedDB: shared by its tabs, kept over reloads.
 * @module
 */
import { requested, transact } from '../idb.ts'
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

/** What changed, and apart from it the contents: a list of files reads none of them. */
const changesStore = 'changes'
const contentsStore = 'contents'

function backend(name: string): WorkspaceBackend {
  let opening: Promise<IDBDatabase> | undefined
  const open = (): Promise<IDBDatabase> => {
    opening ??= openDatabase(name, () => {
      opening = undefined
    })
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const reading = async (store = changesStore) =>
    (await open()).transaction(store).objectStore(store)
  const lastVersion = async (from: IDBObjectStore): Promise<number> => {
    const cursor = await requested(from.openKeyCursor(null, 'prev'))
    return cursor ? Number(cursor.key) : 0
  }

  return {
    version: async () => lastVersion(await reading()),
    async index() {
      const from = await reading()
      const version = await lastVersion(from)
      const latest = new Map<string, FileChange>()
      await each(from.openCursor(), (change) => void latest.set(change.path, change))
      const files = [...latest.values()].filter(({ action }) => action === 'write')
      return {
        version,
        files: files.map(({ path, version: at, bytes }) => ({ path, version: at, bytes })),
      }
    },
    async content(path, version) {
      const kept: { path: string; content: Content } | undefined = await requested(
        (await reading(contentsStore)).get(version),
      )
      return kept?.path === path ? kept.content : undefined
    },
    async changes(path, limit, before) {
      const found: FileChange[] = []
      if (limit < 1 || before < 1) return found
      const range = IDBKeyRange.upperBound(before, true)
      await each((await reading()).openCursor(range, 'prev'), (change) => {
        if (path === undefined || change.path === path) found.push(change)
        return found.length < limit
      })
      return found
    },
    async commit(expected, changes, keep) {
      const stores = [changesStore, contentsStore]
      const transaction = (await open()).transaction(stores, 'readwrite')
      return transact(transaction, async () => {
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
      })
    },
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

async function openDatabase(name: string, onClosed: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    const changes = request.result.createObjectStore(changesStore, { keyPath: 'version' })
    changes.createIndex('path', 'path')
    request.result.createObjectStore(contentsStore, { keyPath: 'version' })
  }
  const database = await requested(request)
  // Another tab deletes it, or the browser does: the next use opens it anew.
  database.onversionchange = () => {
    database.close()
    onClosed()
  }
  database.onclose = onClosed
  return database
}
