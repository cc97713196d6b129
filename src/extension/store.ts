/**
 * PORT ExtensionStore: the extensions that are installed.
 * @module
 */
import type { RecordStore } from '../run-state/records.ts'
import { isObject } from '../schema/pointer.ts'
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
  /** In the order of their names. What cannot be read is there, without a text, so that it can be removed. */
  list(): Promise<readonly InstalledExtension[]>
  /** The one of this name; without it, looked for in the list. Asked before every call of its tools. */
  get?(name: string): Promise<InstalledExtension | undefined>
  /** In the place of the one of this name, whole or not at all. */
  put(extension: InstalledExtension): Promise<void>
  /** False when there is none of this name. */
  remove(name: string): Promise<boolean>
}

export async function findInstalled(
  store: ExtensionStore,
  name: string,
): Promise<InstalledExtension | undefined> {
  return store.get ? store.get(name) : (await store.list()).find((each) => each.name === name)
}

/** A record as it was stored under this name; without text and integrity when it is damaged. */
export function installedIn(record: string, name: string): InstalledExtension {
  const damaged = { name, text: '', integrity: '', from: '', installedAt: 0 }
  try {
    const found: unknown = JSON.parse(record)
    if (!isObject(found)) return damaged
    const { text, integrity, from, installedAt } = found
    if (found.name !== name || typeof text !== 'string' || typeof integrity !== 'string') {
      return damaged
    }
    const at = Number.isSafeInteger(installedAt) ? Number(installedAt) : 0
    return { name, text, integrity, from: String(from), installedAt: at }
  } catch {
    return damaged
  }
}

/**
 * In a workspace, one JSON file each, with the workspace's versions. It must not be the one that a model's
 * tools write: they would install past the person who is asked.
 */
export function workspaceExtensions(workspace: Workspace, folder = '/extensions'): ExtensionStore {
  const pathOf = (name: string) => `${folder}/${name}.json`
  const get = async (name: string) => {
    const file = await workspace.read(pathOf(name))
    return file && installedIn(file.text, name)
  }
  return {
    async list() {
      const files = await workspace.list(folder)
      const names = files.flatMap(({ path }) =>
        path.endsWith('.json') ? path.slice(path.lastIndexOf('/') + 1, -'.json'.length) : [],
      )
      return (await Promise.all(names.map(get))).flatMap((each) => each ?? [])
    },
    get,
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
    get: async (name) => (await list()).find((each) => each.name === name),
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
