import { env } from 'cloudflare:workers'
import { kvExtensions } from '../../src/extension/index.ts'
import { extensionStoreContract } from '../contracts/extension-store.ts'

extensionStoreContract('in Workers KV', {
  make: () => kvExtensions(env.KV, `x:${crypto.randomUUID()}:`),
})
