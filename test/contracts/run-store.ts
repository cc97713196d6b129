import { describe, expect, it } from 'vitest'
import {
  type RunStoreContractOptions,
  runStoreContract as register,
} from '../../src/testing/run-store.ts'

export function runStoreContract(name: string, options: RunStoreContractOptions): void {
  register({ describe, it, expect }, name, options)
}
