import { describe, expect, it } from 'vitest'
import {
  type ExtensionStoreContractOptions,
  extensionStoreContract as register,
} from '../../src/testing/extension-store.ts'

export function extensionStoreContract(name: string, options: ExtensionStoreContractOptions): void {
  register({ describe, it, expect }, name, options)
}
