/**
 * The contract of PORT RecordStore.
 * @module
 */
import type { Json } from '../round.ts'
import type { RecordStore } from '../run-state/records.ts'
import {
  type ContractOptions,
  type ContractTest,
  registerContract,
  type TestApi,
} from './contract.ts'

type Records = RecordStore<Json>

export interface RecordStoreContractOptions extends ContractOptions<Records> {
  /** A second store on the same data, as after a restart. Default: the same store. */
  readonly reopen?: (store: Records) => Records | Promise<Records>
}

/** Registers the tests that every record store has to pass. Nothing in them waits: time is an argument. */
export function recordStoreContract(
  api: TestApi,
  name: string,
  options: RecordStoreContractOptions,
): void {
  const reopen = async (store: Records): Promise<Records> => options.reopen?.(store) ?? store
  registerContract(api, { name: `RecordStore: ${name}`, tests, options, extra: { reopen } })
}

interface Extra {
  readonly reopen: (store: Records) => Promise<Records>
}

const lifetime = { now: 1_000, forgetAt: 5_000 }
const oddKeys = [
  'a',
  'a:b',
  'a:b:c',
  '__proto__',
  "'; DROP TABLE x; --",
  '🔑',
  '\ud800',
  'k'.repeat(2_000),
]

const tests: readonly ContractTest<Records, Extra>[] = [
  {
    name: 'what was saved is there, also after a restart; nothing else is',
    async run({ make, expect, reopen }) {
      const store = await make()
      expect(await store.load('none')).toBe(undefined)
      await store.save('a', { n: 1, text: 'é🔑' }, lifetime)
      expect(await (await reopen(store)).load('a')).toEqual({ n: 1, text: 'é🔑' })
      expect(await store.load('b')).toBe(undefined)
    },
  },
  {
    name: 'a later value takes the place of the earlier, whatever their lifetimes and sizes',
    async run({ make, expect }) {
      const store = await make()
      for (const [value, forgetAt] of [
        ['x'.repeat(2_500_000), 9_000],
        ['short', 5_000],
        [false, 9_000],
      ] as const) {
        await store.save('a', value, { now: 1_000, forgetAt })
        expect((await store.load('a')) === value).toBe(true)
      }
    },
  },
  {
    name: 'keys are kept apart',
    async run({ make, expect }) {
      const store = await make()
      for (const [index, key] of oddKeys.entries()) await store.save(key, index, lifetime)
      for (const [index, key] of oddKeys.entries()) expect(await store.load(key)).toBe(index)
    },
  },
  {
    name: 'a save forgets what is over and nothing else',
    async run({ make, expect }) {
      const store = await make()
      await store.save('old', 1, { now: 1_000, forgetAt: 2_000 })
      await store.save('young', 2, { now: 1_000, forgetAt: 2_001 })
      await store.save('new', 3, { now: 2_000, forgetAt: 3_000 })
      expect([await store.load('old'), await store.load('young')]).toEqual([undefined, 2])
    },
  },
]
