/**
 * The contract of PORT CacheStore.
 * @module
 */

import type { CacheEntry, CacheStore } from '../result-cache/store.ts'
import type { Json } from '../round.ts'
import {
  type ContractOptions,
  type ContractTest,
  failureOf,
  registerContract,
  type TestApi,
} from './contract.ts'

export type CacheStoreContractOptions = ContractOptions<CacheStore>

/**
 * Registers the tests that every cache store has to pass. Nothing in them waits: time is an argument.
 *
 * ```ts
 * import { describe, expect, it } from 'vitest'
 * cacheStoreContract({ describe, it, expect }, 'redis', { make: () => redisCacheStore(freshPrefix()) })
 * ```
 */
export function cacheStoreContract(
  api: TestApi,
  name: string,
  options: CacheStoreContractOptions,
): void {
  registerContract(api, { name: `CacheStore: ${name}`, tests, options, extra: {} })
}

const start = 1_800_000_000_000
const lifetimeMs = 30 * 60_000
/** Later than any store's interval between two writes of a key. */
const later = start + 60_000

function entry(content: string, changes: Partial<CacheEntry> = {}): CacheEntry {
  return { format: 1, content, storedAt: start, expiresAt: start + lifetimeMs, ...changes }
}

const oddKeys: readonly string[] = [
  'a|b',
  'a/b',
  'a//b/../c',
  'a b',
  ' a ',
  '.',
  '..',
  '*',
  '%2F',
  '__proto__',
  'constructor',
  'ключ',
  '鍵🔑',
  'A',
  'a',
  'e\u0301',
  '\u00e9',
  '\ud800',
  '\ud801',
  'line\nbreak\u0000nul',
  'k'.repeat(500),
  `${'k'.repeat(499)}j`,
  '鍵'.repeat(166),
]

const nested: Json = {
  list: [1, -0.5, 1e300, null, true, [], {}],
  'a key': { deep: { deeper: ['\ud800', 'x\udc00y', '🔑', '\u0000'] } },
  toString: 'own',
}

type Test = ContractTest<CacheStore>

const reading: readonly Test[] = [
  {
    name: 'a miss is undefined',
    async run({ make, expect }) {
      const store = await make()
      expect(await store.get('absent', start)).toBe(undefined)
    },
  },
  {
    name: 'what was set comes back, whole',
    async run({ make, expect }) {
      const store = await make()
      const whole = entry('text', {
        value: nested,
        media: [{ type: 'image', mimeType: 'image/png', data: 'AAAA', name: 'a.png' }],
      })
      expect(await store.set('key', whole, start)).toEqual({})
      expect(await store.get('key', start)).toEqual(whole)
    },
  },
  {
    name: 'empty text and falsy values are answers, not misses',
    async run({ make, expect }) {
      const store = await make()
      const values: readonly Json[] = [null, false, 0, '', [], {}]
      for (const [index, value] of values.entries()) {
        await store.set(`key ${index}`, entry('', { value }), start)
        expect(await store.get(`key ${index}`, start)).toEqual(entry('', { value }))
      }
    },
  },
  {
    name: 'text and values with lone surrogates come back',
    async run({ make, expect }) {
      const store = await make()
      const odd = entry('a\ud800b\udc00c🔑\u0000', { value: nested })
      await store.set('key', odd, start)
      expect(await store.get('key', start)).toEqual(odd)
    },
  },
  {
    name: 'an entry of a megabyte comes back',
    async run({ make, expect }) {
      const store = await make()
      const large = entry('text', { value: 'é🔑x'.repeat(125_000) })
      await store.set('key', large, start)
      expect((await store.get('key', start))?.value === large.value).toBe(true)
    },
  },
  {
    name: 'odd keys are different keys',
    async run({ make, expect }) {
      const store = await make()
      for (const key of oddKeys) expect(await store.get(key, start)).toBe(undefined)
      for (const [index, key] of oddKeys.entries()) await store.set(key, entry(`${index}`), start)
      const found: unknown[] = []
      for (const key of oddKeys) found.push((await store.get(key, start))?.content)
      expect(found).toEqual(oddKeys.map((_, index) => `${index}`))
    },
  },
  {
    name: 'two stores do not see one another',
    async run({ make, expect }) {
      const [one, other] = [await make(), await make()]
      await one.set('key', entry('one'), start)
      expect(await other.get('key', start)).toBe(undefined)
      await other.delete('key')
      expect((await one.get('key', start))?.content).toBe('one')
    },
  },
]

const expiry: readonly Test[] = [
  {
    name: 'expiry is exclusive: gone at expiresAt, there a millisecond before',
    async run({ make, expect }) {
      const store = await make()
      await store.set('key', entry('text'), start)
      expect((await store.get('key', start + lifetimeMs - 1))?.content).toBe('text')
      expect(await store.get('key', start + lifetimeMs)).toBe(undefined)
      expect(await store.get('key', start + lifetimeMs * 9)).toBe(undefined)
    },
  },
  {
    name: 'a lifetime of a second ends after a second',
    async run({ make, expect }) {
      const store = await make()
      await store.set('key', entry('text', { expiresAt: start + 1000 }), start)
      expect((await store.get('key', start + 999))?.content).toBe('text')
      expect(await store.get('key', start + 1000)).toBe(undefined)
    },
  },
  {
    name: 'a hit does not move the expiry',
    async run({ make, expect }) {
      const store = await make()
      await store.set('key', entry('text'), start)
      expect((await store.get('key', start + lifetimeMs - 1))?.expiresAt).toBe(start + lifetimeMs)
      expect(await store.get('key', start + lifetimeMs)).toBe(undefined)
    },
  },
  {
    name: 'overwriting replaces the answer and moves the expiry, later and sooner',
    async run({ make, expect }) {
      const store = await make()
      const end = start + lifetimeMs
      await store.set('key', entry('first'), start)
      await store.set('key', entry('second', { storedAt: later, expiresAt: end + 5000 }), later)
      expect((await store.get('key', end))?.content).toBe('second')
      const soon = later + 60_000
      await store.set('key', entry('third', { storedAt: soon, expiresAt: soon + 10 }), soon)
      expect((await store.get('key', soon))?.content).toBe('third')
      expect(await store.get('key', soon + 10)).toBe(undefined)
    },
  },
  {
    name: 'an entry that has expired already is skipped, with the reason',
    async run({ make, expect }) {
      const store = await make()
      const write = await store.set('key', entry('text', { expiresAt: start }), start)
      expect(typeof write.skipped).toBe('string')
      expect(await store.get('key', start)).toBe(undefined)
    },
  },
  {
    name: 'an entry of another format or shape is a miss',
    async run({ make, expect }) {
      const store = await make()
      const foreign: readonly unknown[] = [
        { ...entry('old'), format: 0 },
        { ...entry('new'), format: 2 },
        { ...entry('no text'), content: 7 },
        { format: 1 },
      ]
      for (const [index, value] of foreign.entries()) {
        // Whether the store takes it is its own affair; that it hands it out would not be.
        await failureOf(() => store.set(`key ${index}`, value as CacheEntry, start))
        expect(await store.get(`key ${index}`, start)).toBe(undefined)
      }
    },
  },
]

const changing: readonly Test[] = [
  {
    name: 'a deleted entry is a miss, its neighbours stay',
    async run({ make, expect }) {
      const store = await make()
      await store.set('key', entry('text'), start)
      await store.set('key2', entry('other'), start)
      await store.delete('key')
      expect(await store.get('key', start)).toBe(undefined)
      expect((await store.get('key2', start))?.content).toBe('other')
    },
  },
  {
    name: 'deleting a missing key is quiet',
    async run({ make, expect }) {
      const store = await make()
      expect(await failureOf(() => store.delete('absent'))).toBe(undefined)
    },
  },
  {
    name: 'a deleted key can be set again',
    async run({ make, expect }) {
      const store = await make()
      await store.set('key', entry('first'), start)
      await store.delete('key')
      await store.set('key', entry('second', { storedAt: later }), later)
      expect((await store.get('key', later))?.content).toBe('second')
    },
  },
  {
    name: 'ten writes of one key at once harm nobody',
    async run({ make, expect }) {
      const store = await make()
      const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`)
      await Promise.all(texts.map(async (text) => store.set('key', entry(text), start)))
      const found = await store.get('key', start)
      expect(texts.includes(found?.content ?? '')).toBe(true)
    },
  },
  {
    name: 'an aborted signal rejects, and nothing is changed',
    async run({ make, expect }) {
      const store = await make()
      const signal = AbortSignal.abort(new Error('stop'))
      await store.set('key', entry('text'), start)
      const failures = [
        await failureOf(() => store.get('key', start, signal)),
        await failureOf(() => store.set('key', entry('other'), later, signal)),
        await failureOf(() => store.delete('key', signal)),
      ]
      expect(failures.map((failure) => failure instanceof Error)).toEqual([true, true, true])
      expect((await store.get('key', start))?.content).toBe('text')
    },
  },
]

const tests: readonly Test[] = [...reading, ...expiry, ...changing]
