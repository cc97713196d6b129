import { indexedDBWorkspace } from '../../src/workspace/indexeddb.ts'
import type { WorkspaceBounds } from '../../src/workspace/over-backend.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { workspaceContract } from '../contracts/workspace.ts'

const names = new WeakMap<Workspace, string>()

function open(database: string, bounds: WorkspaceBounds = {}): Workspace {
  const workspace = indexedDBWorkspace({ database, ...bounds })
  names.set(workspace, database)
  return workspace
}

workspaceContract('IndexedDB', {
  make: (bounds) => open(`files-${crypto.randomUUID()}`, bounds),
  reopen: (workspace) => open(names.get(workspace) ?? ''),
})
