/**
 * The contract of PORT RunStore.
 * @module
 */
import type { RunStore } from '../run-state/store.ts'
import { type ContractOptions, registerContract, type TestApi } from './contract.ts'
import { commitTests } from './run-store-commit.ts'
import { eventTests } from './run-store-event.ts'
import { roundTests } from './run-store-round.ts'

export interface RunStoreContractOptions extends ContractOptions<RunStore> {
  /**
   * A second store on the same data, as after a restart or in another tab. Default: the same store,
   * which proves nothing about durability.
   */
  readonly reopen?: (store: RunStore) => RunStore | Promise<RunStore>
}

/**
 * Registers the tests that every run store has to pass. Nothing in them waits: time is an argument.
 *
 * ```ts
 * import { describe, expect, it } from 'vitest'
 * runStoreContract({ describe, it, expect }, 'postgres', { make: () => postgresRunStore(freshSchema()) })
 * ```
 */
export function runStoreContract(
  api: TestApi,
  name: string,
  options: RunStoreContractOptions,
): void {
  const reopen = async (store: RunStore): Promise<RunStore> => options.reopen?.(store) ?? store
  const tests = [...commitTests, ...roundTests, ...eventTests]
  registerContract(api, { name: `RunStore: ${name}`, tests, options, extra: { reopen } })
}
