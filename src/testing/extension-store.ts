/**
 * The contract of PORT ExtensionStore.
 * @module
 */
import type { ExtensionStore, InstalledExtension } from '../extension/store.ts'
import {
  type ContractOptions,
  type ContractTest,
  registerContract,
  type TestApi,
} from './contract.ts'

export interface ExtensionStoreContractOptions extends ContractOptions<ExtensionStore> {}

/** Registers the tests that every store of extensions has to pass. */
export function extensionStoreContract(
  api: TestApi,
  name: string,
  options: ExtensionStoreContractOptions,
): void {
  registerContract(api, { name: `ExtensionStore: ${name}`, tests, options, extra: {} })
}

const installed = (name: string, text: string): InstalledExtension => ({
  name,
  text,
  integrity: `sha256-${name}`,
  from: `https://example.com/${name}.json`,
  installedAt: 1_000,
})

const tests: readonly ContractTest<ExtensionStore, object>[] = [
  {
    name: 'a new store has none',
    async run({ make, expect }) {
      const store = await make()
      expect(await store.list()).toEqual([])
      expect(await store.remove('none')).toBe(false)
    },
  },
  {
    name: 'what was put is listed in name order, as it was',
    async run({ make, expect }) {
      const store = await make()
      const b = installed('b', '{"text":"ü🔑"}')
      const a = installed('a', 'x'.repeat(300_000))
      await store.put(b)
      await store.put(a)
      expect(await store.list()).toEqual([a, b])
      if (!store.get) return
      expect(await store.get('a')).toEqual(a)
      expect(await store.get('none')).toBe(undefined)
    },
  },
  {
    name: 'another of the same name takes its place; one that is removed is gone',
    async run({ make, expect }) {
      const store = await make()
      await store.put(installed('a', 'one'))
      await store.put(installed('b', 'other'))
      await store.put(installed('a', 'two'))
      expect((await store.list()).map(({ text }) => text)).toEqual(['two', 'other'])
      expect(await store.remove('a')).toBe(true)
      expect(await store.remove('a')).toBe(false)
      expect((await store.list()).map(({ name }) => name)).toEqual(['b'])
    },
  },
]
