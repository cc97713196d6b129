/**
 * Installed extensions in Workers KV, for all sessions of a Worker. KV is eventually consistent: another
 * place may see a change up to a minute later.
 * @module
 */
import { type ExtensionStore, type InstalledExtension, installedIn } from './store.ts'

/** What is used of a KV binding; `KVNamespace` of `@cloudflare/workers-types` fits. */
export interface ExtensionKv {
  get(key: string, type: 'text'): Promise<string | null>
  put(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  list(options: { prefix: string; cursor?: string }): Promise<{
    readonly keys: readonly { readonly name: string }[]
    readonly list_complete: boolean
    readonly cursor?: string
  }>
}

/** `prefix` stands before every key; default `threepass:extension:`. */
export function kvExtensions(kv: ExtensionKv, prefix = 'threepass:extension:'): ExtensionStore {
  const get = async (name: string) => {
    const record = await kv.get(prefix + name, 'text')
    return record === null ? undefined : installedIn(record, name)
  }
  return {
    get,
    async list() {
      const found: InstalledExtension[] = []
      let cursor: string | undefined
      do {
        const page = await kv.list({ prefix, ...(cursor !== undefined && { cursor }) })
        const read = await Promise.all(page.keys.map(({ name }) => get(name.slice(prefix.length))))
        for (const each of read) if (each) found.push(each)
        cursor = page.list_complete ? undefined : page.cursor
      } while (cursor !== undefined)
      return found
    },
    async put(extension) {
      await kv.put(prefix + extension.name, JSON.stringify(extension))
    },
    async remove(name) {
      const known = (await kv.get(prefix + name, 'text')) !== null
      await kv.delete(prefix + name)
      return known
    },
  }
}
