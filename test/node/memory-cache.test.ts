import { describe, expect, it } from 'vitest'
import { memoryCacheStore } from '../../src/result-cache/memory.ts'
import type { CacheEntry } from '../../src/result-cache/store.ts'
import { cacheStoreContract } from '../contracts/cache-store.ts'

cacheStoreContract('memory', { make: () => memoryCacheStore() })

const now = 1_800_000_000_000
const entry = (content: string): CacheEntry => ({
  format: 1,
  content,
  storedAt: now,
  expiresAt: now + 1000,
})

describe('memoryCacheStore', () => {
  it('drops the least recently used entry beyond maxEntries', async () => {
    const store = memoryCacheStore({ maxEntries: 2 })
    for (const key of ['a', 'b']) await store.set(key, entry(key), now)
    await store.get('a', now)
    await store.set('c', entry('c'), now)
    const found = ['a', 'b', 'c'].map((key) => store.get(key, now) !== undefined)
    expect(found).toEqual([true, false, true])
  })

  it('stays under maxBytes and counts what is overwritten and deleted only once', async () => {
    const size = 2 * ('a'.length + JSON.stringify(entry('x'.repeat(1000))).length)
    const store = memoryCacheStore({ maxBytes: size * 2 })
    for (const key of ['a', 'a', 'a', 'b']) await store.set(key, entry('x'.repeat(1000)), now)
    await store.delete('b')
    await store.set('b', entry('x'.repeat(1000)), now)
    expect([store.get('a', now), store.get('b', now)].includes(undefined)).toBe(false)
    await store.set('c', entry('x'.repeat(1000)), now)
    const found = await Promise.all(['a', 'b', 'c'].map((key) => store.get(key, now)))
    expect(found.map((hit) => hit?.content.length)).toEqual([undefined, 1000, 1000])
  })

  it('skips an entry that is too large on its own, and leaves no older answer behind', async () => {
    const store = memoryCacheStore({ maxBytes: 1000 })
    await store.set('a', entry('small'), now)
    await store.set('b', entry('small'), now)
    expect(await store.set('a', entry('x'.repeat(1000)), now)).toEqual({
      skipped: expect.stringContaining('over 1000'),
    })
    expect(store.get('a', now)).toBeUndefined()
    expect(store.get('b', now)).toBeDefined()
  })

  it('skips what is not JSON', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const odd = { ...entry('text'), value: cycle } as unknown as CacheEntry
    expect(await memoryCacheStore().set('a', odd, now)).toEqual({
      skipped: 'the entry is not plain JSON',
    })
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %s', (limit) => {
    const code = { code: 'THREEPASS_BAD_OPTION' }
    expect(() => memoryCacheStore({ maxEntries: limit })).toThrow(expect.objectContaining(code))
    expect(() => memoryCacheStore({ maxBytes: limit })).toThrow(expect.objectContaining(code))
  })
})
