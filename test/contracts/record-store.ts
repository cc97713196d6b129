import { describe, expect, it } from 'vitest'
import {
  type RecordStoreContractOptions,
  recordStoreContract as register,
} from '../../src/testing/record-store.ts'

export function recordStoreContract(name: string, options: RecordStoreContractOptions): void {
  register({ describe, it, expect }, name, options)
}
