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

/**
 * Throws nothing but `THREEPASS_STORE_FAILED` for an aborted signal. Entries are kept and handed out by reference, as the port
 * allows. Throws `THREEPASS_BAD_OPTION` for a limit out of range.
 */
export function memoryCacheStore(options: MemoryCacheOptions = {}): CacheStore {
  const maxEntries = positiveInteger('maxEntries', options.maxEntries ?? 1000)
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 16 * 1024 * 1024)
  // A Map keeps insertion order: re-inserting on use makes its first key the least recently used.
  const slots = new Map<string, Slot>()
  let bytes = 0

  const drop = (key: string): void => {
    const slot = slots.get(key)
    if (slot === undefined) return
    slots.delete(key)
    bytes -= slot.bytes
  }

  const set = (key: string, entry: CacheEntry, now: number): CacheWrite => {
    // First, so that an entry that is skipped never leaves an older answer behind.
    drop(key)
    if (!isLiveEntry(entry, now))
      return { skipped: 'the entry has expired or is of another format' }
    const size = weigh(key, entry)
    if (size === undefined) return { skipped: 'the entry is not plain JSON' }
    if (size > maxBytes) return { skipped: `the entry takes ${size} bytes, over ${maxBytes}` }
    slots.set(key, { entry, bytes: size })
    bytes += size
    for (const oldest of slots.keys()) {
      if (slots.size <= maxEntries && bytes <= maxBytes) break
      drop(oldest)
    }
    return {}
  }

  return {
    get(key, now, signal) {
      refuseAborted('Memory cache', signal)
      const slot = slots.get(key)
      if (slot === undefined) return undefined
      if (!isLiveEntry(slot.entry, now)) {
        drop(key)
        return undefined
      }
      slots.delete(key)
      slots.set(key, slot)
      return slot.entry
    },
    set(key, entry, now, signal) {
      refuseAborted('Memory cache', signal)
      return set(key, entry, now)
    },
    delete(key, signal) {
      refuseAborted('Memory cache', signal)
      drop(key)
    },
  }
}

function weigh(key: string, entry: CacheEntry): number | undefined {
  try {
    return 2 * (key.length + JSON.stringify(entry).length)
  } catch {
    return undefined
  }
}
