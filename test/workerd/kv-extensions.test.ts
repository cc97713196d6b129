import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { kvExtensions } from '../../src/extension/index.ts'
import { extensionStoreContract } from '../contracts/extension-store.ts'

extensionStoreContract('in Workers KV', {
  make: () => kvExtensions(env.KV, `x:${crypto.randomUUID()}:`),
})

it('a record in KV that is damaged is there without a text, and can be removed', async () => {
  const prefix = `x:${crypto.randomUUID()}:`
  const store = kvExtensions(env.KV, prefix)
  const good = { name: 'good', text: '{}', integrity: 'sha256-', from: '', installedAt: 1 }
  await store.put(good)
  await env.KV.put(`${prefix}bad`, '{"name":"b')
  expect(await store.list()).toEqual([
    { name: 'bad', text: '', integrity: '', from: '', installedAt: 0 },
    good,
  ])
  expect(await store.remove('bad')).toBe(true)
  expect(await store.list()).toEqual([good])
})
