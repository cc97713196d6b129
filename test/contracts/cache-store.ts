import { describe, expect, it } from 'vitest'
import {
  type CacheStoreContractOptions,
  cacheStoreContract as register,
} from '../../src/testing/cache-store.ts'

export function cacheStoreContract(name: string, options: CacheStoreContractOptions): void {
  register({ describe, it, expect }, name, options)
}
