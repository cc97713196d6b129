/**
 * PORT CacheStore: where answers live for thirty minutes.
 * @module
 */
import type { Json, MediaPart } from '../round.ts'

/** One cached answer. Plain JSON; `format` lets a later version refuse an older entry. */
export interface CacheEntry {
  readonly format: 1
  readonly content: string
  readonly value?: Json
  readonly media?: readonly MediaPart[]
  /** Milliseconds since the epoch. */
  readonly storedAt: number
  /** Exclusive: at this moment the entry is gone. Never moved by a hit. */
  readonly expiresAt: number
}

/**
 * Keys are opaque, 1 to 512 UTF-8 bytes. A miss, an expired entry, a corrupt one and one of another
 * format are all `undefined`. `now` is passed in, so that expiry can be tested without waiting.
 * A method may throw or reject: the dispatcher reports it as a `warning` and goes on without the cache.
 */
export interface CacheStore {
  get(
    key: string,
    now: number,
    signal?: AbortSignal,
  ): Promise<CacheEntry | undefined> | CacheEntry | undefined
  /** `skipped` says why an entry was not kept (too large, quota); absent means it was. */
  set(
    key: string,
    entry: CacheEntry,
    now: number,
    signal?: AbortSignal,
  ): Promise<CacheWrite> | CacheWrite
  /** Quiet when the key is missing. */
  delete(key: string, signal?: AbortSignal): Promise<void> | void
}

export interface CacheWrite {
  readonly skipped?: string
}

/** True for a value that has the shape of an entry of this format and has not expired at `now`. */
export function isLiveEntry(value: unknown, now: number): value is CacheEntry {
  if (typeof value !== 'object' || value === null) return false
  const entry = value as Partial<CacheEntry>
  return (
    entry.format === 1 &&
    typeof entry.content === 'string' &&
    typeof entry.storedAt === 'number' &&
    typeof entry.expiresAt === 'number' &&
    now < entry.expiresAt
  )
}
