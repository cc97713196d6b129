/**
 * PORT ExtensionStore: the extensions that are installed.
 * @module
 */
import type { Workspace } from '../workspace/workspace.ts'

/** An extension as it was installed. */
export interface InstalledExtension {
  readonly name: string
  /** The package, as it was agreed to. */
  readonly text: string
  /** Of the text then: a text that has another one now is not used. */
  readonly integrity: string
  /** Where it came from: a URL, a path, or whatever the host says. */
  readonly from: string
  /** Milliseconds since the epoch. */
  readonly installedAt: number
}

/** One of a name. Rejects with what the storage threw. */
export interface ExtensionStore {
  /** In the order of their names. */
  list(): Promise<readonly InstalledExtension[]>
  /** In the place of the one of this name, whole or not at all. */
  put(extension: InstalledExtension): Promise<void>
  /** False when there is none of this name. */
  remove(name: string): Promise<boolean>
}

/**
 * In a workspace, one JSON file each, with the workspace's versions. It must not be the one that a model's
 * tools write: they would install past the person who is asked.
 */
export function workspaceExtensions(workspace: Workspace, folder = '/extensions'): ExtensionStore {
  const pathOf = (name: string) => `${folder}/${name}.json`
  return {
    async list() {
      const files = await workspace.list(folder)
      const read = await Promise.all(files.map(({ path }) => workspace.read(path)))
      return read.flatMap((file) => (file ? (JSON.parse(file.text) as InstalledExtension) : []))
    },
    async put(extension) {
      await workspace.write(pathOf(extension.name), JSON.stringify(extension))
    },
    remove: (name) => workspace.remove(pathOf(name)),
  }
}
