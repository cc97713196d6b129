/**
 * Definitions that lie in a workspace, where a person or a model writes them.
 * @module
 */
import type { Workspace } from '../workspace/workspace.ts'
import type { ApiDefinitions } from './source.ts'

const place = /^\/tools\/([^/]+)\/api\.json$/

/** The files `/tools/<name>/api.json`. Each has the name of its directory. */
export function workspaceApiDefinitions(workspace: Workspace): ApiDefinitions {
  const one = async (path: string) => {
    const file = await workspace.read(path)
    const name = place.exec(path)?.[1] ?? ''
    return file && { definition: path, content: file.text, name }
  }
  const all = async () => {
    const entries = await workspace.list('/tools')
    const files = entries.filter(({ path }) => place.test(path))
    const found = await Promise.all(files.map(({ path }) => one(path)))
    return found.flatMap((each) => each ?? [])
  }
  return Object.assign(all, { one })
}
