import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { type KvNamespace, kvCacheStore } from '../../src/result-cache/kv.ts'
import type { CacheEntry } from '../../src/result-cache/store.ts'
import { cacheStoreContract } from '../contracts/cache-store.ts'

const freshPrefix = (): string => `${crypto.randomUUID()}:`

cacheStoreContract('Workers KV', { make: () => kvCacheStore(env.KV, { prefix: freshPrefix() }) })

const now = 1_800_000_000_000
const minute = 60_000
const entry = (content: string, lifetimeMs: number = 30 * minute): CacheEntry => ({
  format: 1,
  content,
  storedAt: now,
  expiresAt: now + lifetimeMs,
})

/** The real namespace, its calls recorded. */
function recorded(): KvNamespace & { put: ReturnType<typeof vi.fn<KvNamespace['put']>> } {
  return {
    get: (key, type) => env.KV.get(key, type),
    put: vi.fn<KvNamespace['put']>((key, value, options) => env.KV.put(key, value, options)),
    delete: (key) => env.KV.delete(key),
  }
}

function failing(message: string): KvNamespace {
  const fail = async (): Promise<never> => {
    throw new Error(message)
  }
  return { get: fail, put: fail, delete: fail }
}

describe('kvCacheStore: lifetime', () => {
  it('never asks KV for less than 60 seconds; the entry expires on its own', async () => {
    const kv = recorded()
    const store = kvCacheStore(kv, { prefix: freshPrefix() })
    for (const [key, lifetimeMs] of [
      ['short', 1],
      ['odd', 90_001],
      ['long', 30 * minute],
    ] as const)
      expect(await store.set(key, entry(key, lifetimeMs), now)).toEqual({})
    const lifetimes = kv.put.mock.calls.map(([, , options]) => options.expirationTtl)
    expect(lifetimes).toEqual([60, 91, 1800])
    expect(await store.get('short', now + 1)).toBeUndefined()
  })
})

describe('kvCacheStore: values', () => {
  it('counts UTF-8 bytes of the JSON: exactly maxValueBytes is kept, one more is skipped', async () => {
    const kv = recorded()
    const maxValueBytes = new TextEncoder().encode(JSON.stringify(entry('é'.repeat(500)))).length
    const store = kvCacheStore(kv, { prefix: freshPrefix(), maxValueBytes })
    expect(await store.set('fits', entry('é'.repeat(500)), now)).toEqual({})
    expect(await store.set('over', entry(`${'é'.repeat(499)}xyz`), now)).toEqual({
      skipped: `the entry is over ${maxValueBytes} bytes`,
    })
    expect(kv.put).toHaveBeenCalledTimes(1)
  })

  it('keeps what the real KV takes, 25 MiB, and never asks it for more', {
    timeout: 60_000,
  }, async () => {
    const kv = recorded()
    const store = kvCacheStore(kv, { prefix: freshPrefix() })
    const text = 'x'.repeat(25 * 1024 * 1024 - JSON.stringify(entry('')).length)
    expect(await store.set('fits', entry(text), now)).toEqual({})
    expect(await store.set('over', entry(`${text}x`), now)).toEqual({
      skipped: 'the entry is over 26214400 bytes',
    })
    expect(kv.put).toHaveBeenCalledTimes(1)
  })

  it.each(['{"format":1,"content":"cut o', '', '{"format":0,"content":"old"}', 'null', '[]'])(
    'deletes the corrupt or foreign value %j and calls it a miss',
    async (text) => {
      const prefix = freshPrefix()
      await env.KV.put(`${prefix}key`, text)
      const store = kvCacheStore(env.KV, { prefix })
      expect(await store.get('key', now)).toBeUndefined()
      expect(await env.KV.get(`${prefix}key`)).toBeNull()
    },
  )

  it('leaves an expired entry of its own to KV', async () => {
    const prefix = freshPrefix()
    const store = kvCacheStore(env.KV, { prefix })
    await store.set('key', entry('text'), now)
    expect(await store.get('key', now + 30 * minute)).toBeUndefined()
    expect(await env.KV.get(`${prefix}key`)).not.toBeNull()
  })

  it('hashes keys that KV refuses, without a prefix too', async () => {
    const store = kvCacheStore(env.KV, { prefix: '' })
    const keys = ['.', '..', '鍵'.repeat(171), `${'鍵'.repeat(171)}!`, '\ud800', '\udfff', '\ufffd']
    for (const key of keys) await store.set(key, entry(key), now)
    for (const key of keys) expect((await store.get(key, now))?.content).toBe(key)
    for (const key of keys) await store.delete(key)
    for (const key of keys) expect(await store.get(key, now)).toBeUndefined()
  })
})

describe('kvCacheStore: write rate', () => {
  it('drops a second write of a key within a second, over all stores of the binding', async () => {
    const kv = recorded()
    const prefix = freshPrefix()
    const write = (content: string, at: number) =>
      kvCacheStore(kv, { prefix }).set('key', entry(content), at)
    expect(await write('first', now)).toEqual({})
    const dropped = { skipped: 'written less than a second ago' }
    expect([await write('second', now + 999), await write('third', now - 999)]).toEqual([
      dropped,
      dropped,
    ])
    expect((await kvCacheStore(kv, { prefix }).get('key', now))?.content).toBe('first')
    expect(await write('fourth', now + 1000)).toEqual({})
    expect(kv.put).toHaveBeenCalledTimes(2)
  })

  it('writes other keys at once', async () => {
    const kv = recorded()
    const store = kvCacheStore(kv, { prefix: freshPrefix() })
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    await Promise.all(keys.map((key) => store.set(key, entry(key), now)))
    expect(kv.put).toHaveBeenCalledTimes(20)
  })

  it('skips when KV answers 429', async () => {
    const message = 'KV PUT failed: 429 Too Many Requests'
    expect(await kvCacheStore(failing(message)).set('key', entry('text'), now)).toEqual({
      skipped: message,
    })
  })
})

describe('kvCacheStore: failures', () => {
  it('rejects with THREEPASS_STORE_FAILED and the cause', async () => {
    const store = kvCacheStore(failing('KV is down'))
    const failure = expect.objectContaining({
      code: 'THREEPASS_STORE_FAILED',
      cause: expect.objectContaining({ message: 'KV is down' }),
    })
    await expect(store.get('key', now)).rejects.toEqual(failure)
    await expect(store.set('key', entry('text'), now)).rejects.toEqual(failure)
    await expect(store.delete('key')).rejects.toEqual(failure)
  })

  it('writes through waitUntil; a failure there is a warning, never a rejection', async () => {
    const promises: Promise<unknown>[] = []
    const warnings: unknown[] = []
    const store = kvCacheStore(failing('KV PUT failed: 429 Too Many Requests'), {
      waitUntil: (promise) => promises.push(promise),
      onWarning: (message, cause) => {
        warnings.push([message, String(cause)])
        throw new Error('a listener that throws')
      },
    })
    expect(await store.set('key', entry('text'), now)).toEqual({})
    expect(promises.length).toBe(1)
    // Vitest fails the run for an unhandled rejection, so this also proves that there was none before.
    await Promise.all(promises)
    expect(warnings).toEqual([
      ['KV cache: write failed', 'Error: KV PUT failed: 429 Too Many Requests'],
    ])
  })

  it('does not wait for KV when there is a waitUntil', async () => {
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const kv: KvNamespace = { ...failing('unused'), put: () => answered }
    const promises: Promise<unknown>[] = []
    const store = kvCacheStore(kv, { waitUntil: (work) => promises.push(work) })
    expect(await store.set('key', entry('text'), now)).toEqual({})
    answer()
    await Promise.all(promises)
  })

  it('stops waiting for KV when the signal is aborted', async () => {
    const never = new Promise<never>(() => {})
    const store = kvCacheStore({ get: () => never, put: () => never, delete: () => never })
    const controller = new AbortController()
    const reading = store.get('key', now, controller.signal)
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toMatchObject({
      code: 'THREEPASS_STORE_FAILED',
      cause: { message: 'enough' },
    })
  })

  it.each([
    { maxValueBytes: 0 },
    { maxValueBytes: 25 * 1024 * 1024 + 1 },
    { prefix: 'p'.repeat(257) },
    { prefix: '\ud800' },
  ])('refuses the options %j', (options) => {
    const code = { code: 'THREEPASS_BAD_OPTION' }
    expect(() => kvCacheStore(env.KV, options)).toThrow(expect.objectContaining(code))
  })
})
