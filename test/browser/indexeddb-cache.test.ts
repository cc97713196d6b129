import { createStore, keys, set } from 'idb-keyval'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexedDBCacheStore } from '../../src/result-cache/indexeddb.ts'
import { reopenAfterMs } from '../../src/result-cache/indexeddb-connection.ts'
import type { CacheEntry, CacheStore } from '../../src/result-cache/store.ts'
import { cacheStoreContract } from '../contracts/cache-store.ts'
import { breakages, connectionsOf, deleteDatabase, freshName } from './databases.ts'

cacheStoreContract('IndexedDB', {
  make: () => indexedDBCacheStore({ databaseName: freshName(), onWarning: failOnWarning }),
})

/** The contract has to be passed by the database, not by the memory behind it. */
function failOnWarning(message: string, cause: unknown): never {
  throw new Error(message, { cause })
}

const now = 1_800_000_000_000
const minute = 60_000
const entry = (content: string, changes: Partial<CacheEntry> = {}): CacheEntry => ({
  format: 1,
  content,
  storedAt: now,
  expiresAt: now + 30 * minute,
  ...changes,
})

async function contents(store: CacheStore, names: readonly string[], at = now): Promise<unknown[]> {
  return Promise.all(names.map(async (name) => (await store.get(name, at))?.content))
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('indexedDBCacheStore: connection', () => {
  it('finds its entries again after a reload', async () => {
    const databaseName = freshName()
    await indexedDBCacheStore({ databaseName }).set('key', entry('text'), now)
    expect(await contents(indexedDBCacheStore({ databaseName }), ['key'])).toEqual(['text'])
  })

  it('works again after its connection was closed', async () => {
    const store = indexedDBCacheStore({ databaseName: freshName() })
    const opened = await connectionsOf(async () => store.set('key', entry('text'), now))
    for (const how of [closeQuietly, closeWithEvent]) {
      opened.forEach(how)
      expect(await contents(store, ['key'])).toEqual(['text'])
    }
    expect(opened.length).toBe(1)
  })

  it('lets another tab delete the database, and starts anew', async () => {
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName })
    await store.set('key', entry('text'), now)
    await deleteDatabase(databaseName)
    expect(await contents(store, ['key'])).toEqual([undefined])
    await store.set('key', entry('again'), now)
    expect(await contents(store, ['key'])).toEqual(['again'])
  })

  it.each(breakages)(
    'when IndexedDB %s: memory, one warning, and back again',
    async (_, broken) => {
      const warnings: unknown[] = []
      const databaseName = freshName()
      const store = indexedDBCacheStore({
        databaseName,
        openTimeoutMs: 1,
        onWarning: (message) => {
          warnings.push(message)
          throw new Error('a listener that throws')
        },
      })
      broken()
      await Promise.all(['a', 'b'].map(async (key) => store.set(key, entry(key), now)))
      await store.delete('b')
      expect(await contents(store, ['a', 'b', 'c'])).toEqual(['a', undefined, undefined])
      expect(warnings.length).toBe(1)
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
      const later = now + reopenAfterMs
      expect(await contents(store, ['a'], later - 1)).toEqual(['a'])
      const other = indexedDBCacheStore({ databaseName })
      // Opens of one name queue: when the second is through, the first, late or not, has been taken.
      await store.get('a', later)
      await other.get('a', later)
      await store.set('d', entry('d'), later)
      expect(await contents(other, ['d'], later)).toEqual(['d'])
    },
  )

  it('tries the database again 30 seconds after a failed open, not before', async () => {
    const warnings: unknown[] = []
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName, onWarning: (text) => warnings.push(text) })
    const open = vi.spyOn(IDBFactory.prototype, 'open')
    open.mockImplementation(() => {
      throw new DOMException('disk', 'UnknownError')
    })
    await store.set('key', entry('memory'), now)
    await store.get('key', now + reopenAfterMs - 1)
    expect(open).toHaveBeenCalledTimes(1)
    await store.get('key', now + reopenAfterMs)
    expect(open).toHaveBeenCalledTimes(2)
    open.mockRestore()
    const later = now + 2 * reopenAfterMs
    await store.set('key', entry('database'), later)
    expect(await contents(indexedDBCacheStore({ databaseName }), ['key'])).toEqual(['database'])
    expect(warnings.length).toBe(1)
  })

  it('does not bring back what was deleted while the database was away', async () => {
    const databaseName = freshName()
    await indexedDBCacheStore({ databaseName }).set('key', entry('old'), now)
    const store = indexedDBCacheStore({ databaseName })
    vi.stubGlobal('indexedDB', undefined)
    await store.get('other', now)
    await store.delete('key')
    vi.unstubAllGlobals()
    expect(await contents(store, ['key'], now + reopenAfterMs)).toEqual([undefined])
  })
})

function closeQuietly(database: IDBDatabase): void {
  database.close()
}

function closeWithEvent(database: IDBDatabase): void {
  database.dispatchEvent(new Event('close'))
  database.close()
}

describe('indexedDBCacheStore: entries', () => {
  it('deletes what is corrupt, of another format or expired when it is read', async () => {
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName })
    await store.set('expired', entry('text', { expiresAt: now + 1 }), now)
    const raw = createStore(databaseName, 'entries')
    for (const [key, value] of [
      ['old', { format: 0 }],
      ['text', 'cut o'],
      ['null', null],
    ] as const)
      await set(['e', key], value, raw)
    const names = ['expired', 'old', 'text', 'null']
    expect(await contents(store, names, now + 1)).toEqual(names.map(() => undefined))
    expect(await keys(raw)).toEqual([])
  })

  it('drops expired entries first and then the oldest beyond maxEntries', async () => {
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName, maxEntries: 3 })
    const add = (key: string, age: number, changes: Partial<CacheEntry> = {}) =>
      store.set(key, entry(key, { storedAt: now - age, ...changes }), now)
    await add('older', 20)
    await add('oldest', 30)
    await add('short', 1, { expiresAt: now + 5 })
    const soon = now + 5
    await store.set('new', entry('new', { storedAt: soon }), soon)
    expect(await contents(store, ['oldest', 'older', 'short', 'new'], soon)).toEqual([
      'oldest',
      'older',
      undefined,
      'new',
    ])
    await store.set('newer', entry('newer', { storedAt: soon + 1 }), soon)
    await store.set('newer', entry('newer', { storedAt: soon + 2 }), soon)
    expect(await contents(store, ['oldest', 'older', 'new', 'newer'], soon)).toEqual([
      undefined,
      'older',
      'new',
      'newer',
    ])
    // Three entries and their three index records: nothing is left behind.
    expect((await keys(createStore(databaseName, 'entries'))).length).toBe(6)
  })

  it('skips what structured clone refuses and keeps the entry before', async () => {
    const store = indexedDBCacheStore({ databaseName: freshName() })
    await store.set('key', entry('text'), now)
    const odd = { ...entry('odd'), value: () => 1 } as unknown as CacheEntry
    expect(await store.set('key', odd, now)).toEqual({ skipped: 'the entry cannot be cloned' })
    expect(await contents(store, ['key'])).toEqual(['text'])
  })

  it('rejects with THREEPASS_STORE_FAILED and the cause when a transaction fails', async () => {
    const store = indexedDBCacheStore({ databaseName: freshName() })
    await store.set('key', entry('text'), now)
    const cause = new DOMException('disk', 'UnknownError')
    vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(() => {
      throw cause
    })
    await expect(store.get('key', now)).rejects.toMatchObject({
      code: 'THREEPASS_STORE_FAILED',
      cause,
    })
  })

  it.each([
    { maxEntries: 0 },
    { maxEntries: 10_001 },
    { openTimeoutMs: 0 },
    { openTimeoutMs: 1e6 },
  ])('refuses the options %j', (options) => {
    const code = { code: 'THREEPASS_BAD_OPTION' }
    expect(() => indexedDBCacheStore(options)).toThrow(expect.objectContaining(code))
  })
})

describe('indexedDBCacheStore: quota', () => {
  /** The next `times` transactions are aborted for quota, as a browser does it: only at commit. */
  function failForQuota(times: number): void {
    const put = IDBObjectStore.prototype.put
    let left = times
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      value: unknown,
      key?: IDBValidKey,
    ) {
      if (Array.isArray(key) && key[0] === 'e' && left > 0) {
        left -= 1
        throw new DOMException('full', 'QuotaExceededError')
      }
      return put.call(this, value, key)
    })
  }

  it('evicts expired, then oldest entries and tries once more', async () => {
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName })
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries())
      await store.set(key, entry(key, { storedAt: now + index }), now)
    failForQuota(1)
    expect(await store.set('new', entry('new'), now)).toEqual({})
    expect(await contents(store, ['a', 'b', 'c', 'd', 'new'])).toEqual([
      undefined,
      'b',
      'c',
      'd',
      'new',
    ])
  })

  it('takes what has expired before what has not', async () => {
    const store = indexedDBCacheStore({ databaseName: freshName() })
    for (const key of ['a', 'b', 'c']) await store.set(key, entry(key), now)
    await store.set('gone', entry('gone', { storedAt: now + 9, expiresAt: now + 10 }), now)
    failForQuota(1)
    await store.set('new', entry('new'), now + 10)
    expect(await contents(store, ['a', 'b', 'c', 'new'])).toEqual(['a', 'b', 'c', 'new'])
  })

  it('skips after the second failure; what has expired is gone all the same', async () => {
    const databaseName = freshName()
    const store = indexedDBCacheStore({ databaseName })
    await store.set('live', entry('live'), now)
    await store.set('gone', entry('gone', { expiresAt: now + 10 }), now)
    failForQuota(2)
    expect(await store.set('key', entry('text'), now + 10)).toEqual({
      skipped: 'the quota of this origin is used up',
    })
    const left = await keys(createStore(databaseName, 'entries'))
    expect(left.filter((key) => Array.isArray(key) && key[0] === 'e')).toEqual([['e', 'live']])
  })

  it("survives Chromium's own quota", async () => {
    // A storage bucket has a quota of its own; the origin's is cached by the browser for half a minute.
    const buckets = (navigator as unknown as { storageBuckets: StorageBuckets }).storageBuckets
    const bucketName = freshName().replace(' ', '-')
    const bucket = await buckets.open(bucketName, { quota: 4_000_000 })
    vi.stubGlobal('indexedDB', bucket.indexedDB)
    const store = indexedDBCacheStore({ databaseName: freshName(), onWarning: failOnWarning })
    const skipped = { skipped: 'the quota of this origin is used up' }
    const text = noise(1_500_000)
    const writes: unknown[] = []
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries())
      writes.push(await store.set(key, entry(text, { storedAt: now + index }), now))
    writes.push(await store.set('over', entry(text.repeat(4)), now))
    expect(writes[0]).toEqual({})
    expect(writes[4]).toEqual(skipped)
    expect(await contents(store, ['over'])).toEqual([undefined])
    await buckets.delete(bucketName)
  })
})

interface StorageBuckets {
  open(name: string, options: { quota: number }): Promise<{ indexedDB: IDBFactory }>
  delete(name: string): Promise<void>
}

/** Text that does not compress. */
function noise(length: number): string {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return Array.from(bytes, (byte) => String.fromCharCode(32 + (byte % 90))).join('')
}
