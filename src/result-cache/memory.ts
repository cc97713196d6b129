/**
 * A cache in this process: an LRU bounded by entries and by bytes.
 *
 * ```ts
 * const dispatcher = createDispatcher({ tools, cache: memoryCacheStore({ maxEntries: 200 }) })
 * ```
 * @module
 */
import { positiveInteger } from '../option.ts'
import { refuseAborted } from '../store-call.ts'
import { type CacheEntry, type CacheStore, type CacheWrite, isLiveEntry } from './store.ts'

export interface MemoryCacheOptions {
  /** Most entries kept; the least recently used one goes first. Default 1000, from 1. */
  readonly maxEntries?: number
  /**
   * Most bytes kept, counted as two for each UTF-16 unit of key and JSON text. An entry that is larger
   * on its own is skipped. Default 16 MiB, from 1.
   */
  readonly maxBytes?: number
}

interface Slot {
  readonly entry: CacheEntry
  readonly bytes: number
}

interface Lru {
  readonly maxEntries: number
  readonly maxBytes: number
  /** A Map keeps insertion order: re-inserting on use makes its first key the least recently used. */
  readonly slots: Map<string, Slot>
  bytes: number
}

/**
 * Throws nothing but `THREEPASS_STORE_FAILED` for an aborted signal. Entries are kept and handed out by
 * reference, as the port allows. Throws `THREEPASS_BAD_OPTION` for a limit out of range.
 */
export function memoryCacheStore(options: MemoryCacheOptions = {}): CacheStore {
  const lru: Lru = {
    maxEntries: positiveInteger('maxEntries', options.maxEntries ?? 1000),
    maxBytes: positiveInteger('maxBytes', options.maxBytes ?? 16 * 1024 * 1024),
    slots: new Map(),
    bytes: 0,
  }
  return {
    get(key, now, signal) {
      refuseAborted('Memory cache', signal)
      return get(lru, key, now)
    },
    set(key, entry, now, signal) {
      refuseAborted('Memory cache', signal)
      return set(lru, key, entry, now)
    },
    delete(key, signal) {
      refuseAborted('Memory cache', signal)
      drop(lru, key)
    },
  }
}

function get(lru: Lru, key: string, now: number): CacheEntry | undefined {
  const slot = lru.slots.get(key)
  if (slot === undefined) return undefined
  if (!isLiveEntry(slot.entry, now)) {
    drop(lru, key)
    return undefined
  }
  lru.slots.delete(key)
  lru.slots.set(key, slot)
  return slot.entry
}

function set(lru: Lru, key: string, entry: CacheEntry, now: number): CacheWrite {
  // First, so that an entry that is skipped never leaves an older answer behind.
  drop(lru, key)
  if (!isLiveEntry(entry, now)) return { skipped: 'the entry has expired or is of another format' }
  const bytes = weigh(key, entry)
  if (bytes === undefined) return { skipped: 'the entry is not plain JSON' }
  if (bytes > lru.maxBytes)
    return { skipped: `the entry takes ${bytes} bytes, over ${lru.maxBytes}` }
  lru.slots.set(key, { entry, bytes })
  lru.bytes += bytes
  for (const oldest of lru.slots.keys()) {
    if (lru.slots.size <= lru.maxEntries && lru.bytes <= lru.maxBytes) break
    drop(lru, oldest)
  }
  return {}
}

function drop(lru: Lru, key: string): void {
  const slot = lru.slots.get(key)
  if (slot === undefined) return
  lru.slots.delete(key)
  lru.bytes -= slot.bytes
}

function weigh(key: string, entry: CacheEntry): number | undefined {
  try {
    return 2 * (key.length + JSON.stringify(entry).length)
  } catch {
    return undefined
  }
}
