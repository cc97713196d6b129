/**
 * A cache in the browser's IndexedDB, shared by the tabs of an origin, with memory behind it for the
 * times when there is no database (private mode, blocked storage, workers without it).
 *
 * ```ts
 * indexedDBCacheStore({ onWarning: (message, cause) => console.warn(message, cause) })
 * ```
 * @module
 */
import type { UseStore } from 'idb-keyval'
import { requested, transact } from '../idb.ts'
import { positiveInteger } from '../option.ts'
import { storeCall } from '../store-call.ts'
import { connectCache } from './indexeddb-connection.ts'
import { memoryCacheStore } from './memory.ts'
import { type CacheEntry, type CacheStore, type CacheWrite, isLiveEntry } from './store.ts'

export interface IndexedDBCacheOptions {
  /** Default `threepass-cache`. Two stores of one name share their entries. */
  readonly databaseName?: string
  /** Most entries kept; expired ones go first, then the oldest. Default 500, 1 to 10000. */
  readonly maxEntries?: number
  /** How long an open may take before memory steps in, in milliseconds. Default 1000, 1 to 60000. */
  readonly openTimeoutMs?: number
  /** Told once for each time that memory steps in. What it throws is swallowed. */
  readonly onWarning?: (message: string, cause: unknown) => void
}

// Entries lie under ['e', key], and beside each an empty record ['i', storedAt, expiresAt, key]: one
// listing of keys then tells count, age and expiry without reading a value. idb-keyval has no indexes.
type IndexKey = readonly ['i', storedAt: number, expiresAt: number, key: string]

/**
 * Without a usable database every method works in memory; the database is tried again after 30 seconds
 * by the `now` of the calls. A connection that was closed is opened again. `set` skips, with the reason,
 * an entry for which there is no room after eviction, and one that structured clone refuses.
 * Rejects with `THREEPASS_STORE_FAILED` (cause kept) for other failures and for an aborted signal.
 * Throws `THREEPASS_BAD_OPTION` for an option out of range.
 */
export function indexedDBCacheStore(options: IndexedDBCacheOptions = {}): CacheStore {
  const maxEntries = positiveInteger('maxEntries', options.maxEntries ?? 500, 10_000)
  const memory = memoryCacheStore({ maxEntries })
  const forgotten = createForgotten(maxEntries)
  const either = createEither(options, forgotten)
  let lastNow = 0
  return {
    get: (key, now, signal) =>
      storeCall('IndexedDB cache: read', signal, () => {
        lastNow = now
        const instead = () => memory.get(key, now)
        return either<CacheEntry | undefined>(now, (use) => read(use, key, now), instead)
      }),
    set: (key, entry, now, signal) =>
      storeCall('IndexedDB cache: write', signal, () => {
        lastNow = now
        const work = (use: UseStore) => keep(use, { key, entry, now, maxEntries })
        return either(now, work, () => memory.set(key, entry, now))
      }),
    delete: (key, signal) =>
      storeCall('IndexedDB cache: delete', signal, () => {
        const work = (use: UseStore) => write(use, (store) => remove(store, new Set([key])))
        return either(lastNow, work, () => {
          forgotten.add(key)
          return memory.delete(key)
        })
      }),
  }
}

/** `work` on the database, or else `instead`. */
type Either = <T>(
  now: number,
  work: (use: UseStore) => Promise<T>,
  instead: () => Promise<T> | T,
) => Promise<T>

function createEither(options: IndexedDBCacheOptions, forgotten: Forgotten): Either {
  const connection = connectCache({
    databaseName: options.databaseName ?? 'threepass-cache',
    openTimeoutMs: positiveInteger('openTimeoutMs', options.openTimeoutMs ?? 1000, 60_000),
    onDown: (cause) => warn(options.onWarning, cause),
  })
  return async (now, work, instead) => {
    const done = await connection.use(now, async (use) => {
      await forgotten.flush(use)
      return work(use)
    })
    return done === undefined ? instead() : done[0]
  }
}

interface Forgotten {
  add(key: string): void
  flush(use: UseStore): Promise<void>
}

/** What was deleted while memory stood in: the database must not bring it back. Beyond `max` all of it goes. */
function createForgotten(max: number): Forgotten {
  const keys = new Set<string>()
  return {
    add(key) {
      if (keys.size <= max) keys.add(key)
    },
    async flush(use) {
      if (keys.size === 0) return
      const gone = new Set(keys)
      await write(use, (store) => (gone.size > max ? void store.clear() : remove(store, gone)))
      for (const key of gone) keys.delete(key)
    },
  }
}

/** One transaction, all or nothing. */
function write(
  use: UseStore,
  work: (store: IDBObjectStore) => Promise<void> | void,
): Promise<void> {
  return use('readwrite', (store) => transact(store.transaction, () => work(store)))
}

async function read(use: UseStore, key: string, now: number): Promise<CacheEntry | undefined> {
  const value: unknown = await use('readonly', (store) => requested(store.get(['e', key])))
  if (isLiveEntry(value, now)) return value
  // Expired, corrupt or of another format: gone now rather than at the next sweep.
  if (value !== undefined) await write(use, (store) => remove(store, new Set([key])))
  return undefined
}

interface Put {
  readonly key: string
  readonly entry: CacheEntry
  readonly now: number
  readonly maxEntries: number
}

async function keep(use: UseStore, what: Put): Promise<CacheWrite> {
  if (!isLiveEntry(what.entry, what.now))
    return { skipped: 'the entry has expired or is of another format' }
  try {
    await write(use, (store) => put(store, what))
    return {}
  } catch (error) {
    if (isNamed(error, 'DataCloneError')) return { skipped: 'the entry cannot be cloned' }
    if (!isNamed(error, 'QuotaExceededError')) throw error
  }
  try {
    // Room counts only once it is committed, so the second try is a transaction of its own.
    await write(use, (store) => makeRoom(store, what.now))
    await write(use, (store) => put(store, what))
    return {}
  } catch (error) {
    if (!isNamed(error, 'QuotaExceededError')) throw error
    return { skipped: 'the quota of this origin is used up' }
  }
}

async function put(store: IDBObjectStore, { key, entry, now, maxEntries }: Put): Promise<void> {
  store.put(entry, ['e', key])
  const others: IndexKey[] = []
  for (const index of await listIndex(store)) {
    if (index[3] === key) store.delete([...index])
    else if (index[2] <= now) dropEntry(store, index)
    else others.push(index)
  }
  // Listed by age: the first are the oldest. One place is the new entry's.
  const surplus = Math.max(0, others.length + 1 - maxEntries)
  for (const index of others.slice(0, surplus)) dropEntry(store, index)
  store.put(0, ['i', entry.storedAt, entry.expiresAt, key])
}

/** Drops what has expired, and of the rest the oldest until a quarter of all is gone. */
async function makeRoom(store: IDBObjectStore, now: number): Promise<void> {
  const all = await listIndex(store)
  const live = all.filter((index) => index[2] > now)
  for (const index of all) if (index[2] <= now) dropEntry(store, index)
  const more = Math.max(0, Math.ceil(all.length / 4) - (all.length - live.length))
  for (const index of live.slice(0, more)) dropEntry(store, index)
}

async function remove(store: IDBObjectStore, keys: ReadonlySet<string>): Promise<void> {
  for (const key of keys) store.delete(['e', key])
  for (const index of await listIndex(store)) if (keys.has(index[3])) store.delete([...index])
}

function dropEntry(store: IDBObjectStore, index: IndexKey): void {
  store.delete([...index])
  store.delete(['e', index[3]])
}

async function listIndex(store: IDBObjectStore): Promise<readonly IndexKey[]> {
  // An array sorts after every number, so the range holds exactly the index.
  const keys: unknown = await requested(store.getAllKeys(IDBKeyRange.bound(['i'], ['i', []])))
  return keys as readonly IndexKey[]
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name
}

function warn(listener: IndexedDBCacheOptions['onWarning'], cause: unknown): void {
  try {
    listener?.('IndexedDB is not available; the cache works in memory for now', cause)
  } catch {
    // A listener never changes what it listens to.
  }
}
