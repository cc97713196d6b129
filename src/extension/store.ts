/**
 * PORT ExtensionStore: the extensions that are installed.
 * @module
 */
import type { RecordStore } from '../run-state/records.ts'
import { createTurns } from '../turns.ts'
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

const key = 'installed'
const lifetime = { now: 0, forgetAt: Number.MAX_SAFE_INTEGER }

/** In one record, such as the storage of a Durable Object keeps. */
export function recordExtensions(
  records: RecordStore<readonly InstalledExtension[]>,
): ExtensionStore {
  const turns = createTurns()
  const list = async () => (await records.load(key)) ?? []
  const save = (all: readonly InstalledExtension[]) => records.save(key, all, lifetime)
  return {
    list,
    put: (extension) =>
      turns('', async () => {
        const others = (await list()).filter(({ name }) => name !== extension.name)
        await save([...others, extension].sort((a, b) => (a.name < b.name ? -1 : 1)))
      }),
    remove: (name) =>
      turns('', async () => {
        const all = await list()
        const others = all.filter((each) => each.name !== name)
        await save(others)
        return others.length < all.length
      }),
  }
}
