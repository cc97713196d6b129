/**
 * The contracts of the ports, for stores of your own. The test functions are handed in, so any runner
 * with `describe`, `it`, `it.skip`, `expect().toBe` and `expect().toEqual` will do.
 * @module
 */
export { type CacheStoreContractOptions, cacheStoreContract } from './testing/cache-store.ts'
export type { ContractOptions, Expect, Skip, TestApi } from './testing/contract.ts'
export {
  type ExtensionStoreContractOptions,
  extensionStoreContract,
} from './testing/extension-store.ts'
export { type HistoryContractOptions, historyContract } from './testing/history.ts'
export { type RecordStoreContractOptions, recordStoreContract } from './testing/record-store.ts'
export { type RunStoreContractOptions, runStoreContract } from './testing/run-store.ts'
export { type WorkspaceContractOptions, workspaceContract } from './testing/workspace.ts'
