/**
 * A cache in Workers KV, shared by all isolates.
 *
 * KV is eventually consistent (a read may be up to 60 s behind a write or a delete, misses included), so
 * nothing that has to be right after a write may lean on it: generations in the key do that.
 *
 * ```ts
 * kvCacheStore(env.CACHE, { waitUntil: (promise) => ctx.waitUntil(promise) })
 * ```
 * @module
 */
import { DispatchError } from '../errors.ts'
import { positiveInteger } from '../option.ts'
import { storeCall } from '../store-call.ts'
import { type CacheEntry, type CacheStore, type CacheWrite, isLiveEntry } from './store.ts'

/** What is used of a KV binding; `KVNamespace` of `@cloudflare/workers-types` fits. */
export interface KvNamespace {
  get(key: string, type: 'text'): Promise<string | null>
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>
  delete(key: string): Promise<void>
}

export interface KvCacheOptions {
  /** Stands before every key. Default `threepass:cache:`, at most 256 UTF-8 bytes. */
  readonly prefix?: string
  /**
   * Takes writes out of the request's way; hand in a bound function. Without it `set` resolves when KV
   * has answered.
   */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /** Longer entries (UTF-8 bytes of their JSON) are skipped. Default and most 25 MiB, from 1. */
  readonly maxValueBytes?: number
  /** Told of work behind `waitUntil` that failed, and of a corrupt value that stayed. A throw is swallowed. */
  readonly onWarning?: (message: string, cause: unknown) => void
}

/** KV's limits: https://developers.cloudflare.com/kv/platform/limits/ and, for the lifetime, `KV PUT failed: 400`. */
export const kvLimits: {
  readonly keyBytes: number
  readonly valueBytes: number
  /** Seconds. */
  readonly minExpirationTtl: number
  /** One write per key and this many milliseconds; more are answered `429 Too Many Requests`. */
  readonly writeIntervalMs: number
} = {
  keyBytes: 512,
  valueBytes: 25 * 1024 * 1024,
  minExpirationTtl: 60,
  writeIntervalMs: 1000,
}

/** Keys whose last write an isolate remembers, at most, per binding. */
const maxRemembered = 1000

// Of the module, not of a store: a store is usually made anew for each request, the limit is the isolate's.
const lastWrites = /* @__PURE__ */ new WeakMap<KvNamespace, Map<string, number>>()

/**
 * Expiry stands in the entry; KV's own lifetime (never under 60 s) is housekeeping. A value that is
 * corrupt or of another format is a miss and is deleted. `set` skips, with the reason: an entry over
 * `maxValueBytes`, one that expired, a second write of a key within a second, and a 429 of KV.
 * Rejects with `THREEPASS_STORE_FAILED` (cause kept) when KV fails or the signal is aborted.
 * A key that KV would refuse (over 512 bytes with the prefix, `.`, `..`, lone surrogates) is hashed.
 * Throws `THREEPASS_BAD_OPTION` for an option out of range.
 */
export function kvCacheStore(kv: KvNamespace, options: KvCacheOptions = {}): CacheStore {
  const { valueBytes } = kvLimits
  const cache: KvCache = {
    kv,
    prefix: checkPrefix(options.prefix ?? 'threepass:cache:'),
    maxBytes: positiveInteger('maxValueBytes', options.maxValueBytes ?? valueBytes, valueBytes),
    waitUntil: options.waitUntil,
    // The rejection is handled here and now: waitUntil would only log it, or leave it unhandled.
    quietly: (what, work) =>
      work.catch((cause) => warn(options.onWarning, `KV cache: ${what} failed`, cause)),
  }
  return {
    get: (key, now, signal) => storeCall('KV cache: read', signal, () => read(cache, key, now)),
    set: (key, entry, now, signal) =>
      storeCall('KV cache: write', signal, () => write(cache, key, entry, now)),
    delete: (key, signal) =>
      storeCall('KV cache: delete', signal, async () => kv.delete(await kvKey(cache.prefix, key))),
  }
}

interface KvCache {
  readonly kv: KvNamespace
  readonly prefix: string
  readonly maxBytes: number
  readonly waitUntil: KvCacheOptions['waitUntil']
  /** The work without its rejection, which becomes a warning. */
  readonly quietly: (what: string, work: Promise<unknown>) => Promise<unknown>
}

async function read(cache: KvCache, key: string, now: number): Promise<CacheEntry | undefined> {
  const name = await kvKey(cache.prefix, key)
  const text = await cache.kv.get(name, 'text')
  if (text === null) return undefined
  const value = parse(text)
  if (isLiveEntry(value, now)) return value
  // An expired entry is left to KV; a corrupt or foreign one would come back for as long as it lives.
  if (isLiveEntry(value, Number.NEGATIVE_INFINITY)) return undefined
  const gone = cache.quietly('delete', cache.kv.delete(name))
  if (cache.waitUntil === undefined) await gone
  else cache.waitUntil(gone)
  return undefined
}

async function write(
  cache: KvCache,
  key: string,
  entry: CacheEntry,
  now: number,
): Promise<CacheWrite> {
  if (!isLiveEntry(entry, now)) return { skipped: 'the entry has expired or is of another format' }
  const text = stringify(entry)
  if (text === undefined) return { skipped: 'the entry is not plain JSON' }
  if (!fits(text, cache.maxBytes)) return { skipped: `the entry is over ${cache.maxBytes} bytes` }
  const name = await kvKey(cache.prefix, key)
  if (!claimWrite(cache.kv, name, now)) return { skipped: 'written less than a second ago' }
  const written = cache.kv.put(name, text, { expirationTtl: lifetimeSeconds(entry, now) })
  if (cache.waitUntil === undefined) return written.then(() => ({}), throttled)
  cache.waitUntil(cache.quietly('write', written))
  return {}
}

function lifetimeSeconds(entry: CacheEntry, now: number): number {
  return Math.max(kvLimits.minExpirationTtl, Math.ceil((entry.expiresAt - now) / 1000))
}

/** False when this isolate wrote the key within the last second. */
function claimWrite(kv: KvNamespace, name: string, now: number): boolean {
  const writes = lastWrites.get(kv) ?? new Map<string, number>()
  lastWrites.set(kv, writes)
  const last = writes.get(name)
  // Either way: a clock that was set back must not block a key for long.
  if (last !== undefined && Math.abs(now - last) < kvLimits.writeIntervalMs) return false
  writes.delete(name)
  writes.set(name, now)
  for (const oldest of writes.keys()) {
    if (writes.size <= maxRemembered) break
    writes.delete(oldest)
  }
  return true
}

/** KV takes keys of 1 to 512 bytes but `.` and `..`; UTF-8 has no lone surrogates, so two of them would meet. */
async function kvKey(prefix: string, key: string): Promise<string> {
  const name = prefix + key
  const plain = name !== '' && name !== '.' && name !== '..' && !/\p{Surrogate}/u.test(name)
  if (plain && fits(name, kvLimits.keyBytes)) return name
  const bytes = new TextEncoder().encode(JSON.stringify(key))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${prefix}sha256-${hex}`
}

function checkPrefix(prefix: string): string {
  if (fits(prefix, 256) && !/\p{Surrogate}/u.test(prefix)) return prefix
  throw new DispatchError(
    'THREEPASS_BAD_OPTION',
    'prefix must be well-formed text of at most 256 UTF-8 bytes',
  )
}

/** True when the text takes at most `max` UTF-8 bytes; encodes only when the length does not tell. */
function fits(text: string, max: number): boolean {
  if (text.length > max) return false
  return text.length * 3 <= max || new TextEncoder().encode(text).length <= max
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function stringify(entry: CacheEntry): string | undefined {
  try {
    return JSON.stringify(entry)
  } catch {
    return undefined
  }
}

function throttled(cause: unknown): CacheWrite {
  if (cause instanceof Error && /\b429\b/.test(cause.message)) return { skipped: cause.message }
  throw cause
}

function warn(listener: KvCacheOptions['onWarning'], message: string, cause: unknown): void {
  try {
    listener?.(message, cause)
  } catch {
    // A listener never changes what it listens to.
  }
}
