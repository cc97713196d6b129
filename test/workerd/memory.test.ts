import { expect, it } from 'vitest'
import { memoryCacheStore } from '../../src/result-cache/memory.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { cacheStoreContract } from '../contracts/cache-store.ts'
import { runStoreContract } from '../contracts/run-store.ts'

it('runs in workerd', () => expect(navigator.userAgent).toBe('Cloudflare-Workers'))

cacheStoreContract('memory', { make: () => memoryCacheStore() })
runStoreContract('memory', { make: () => memoryRunStore() })
