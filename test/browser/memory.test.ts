import { expect, it } from 'vitest'
import { memoryCacheStore } from '../../src/result-cache/memory.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { cacheStoreContract } from '../contracts/cache-store.ts'
import { runStoreContract } from '../contracts/run-store.ts'

it('runs in a browser page', () => {
  expect(navigator.userAgent).toContain('Chrome/')
  expect(typeof document).toBe('object')
})

cacheStoreContract('memory', { make: () => memoryCacheStore() })
runStoreContract('memory', { make: () => memoryRunStore() })
