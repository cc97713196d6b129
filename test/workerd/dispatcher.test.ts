import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { durableObjectRunStore } from '../../src/run-state/durable-object.ts'
import { dispatcherContract } from '../contracts/dispatcher.ts'
import type { TestObject } from './test-worker.ts'

dispatcherContract('workerd, memory store')
dispatcherContract('workerd, Durable Object', (play) => {
  const stub: DurableObjectStub<TestObject> = env.OBJECT.getByName(crypto.randomUUID())
  return runInDurableObject(stub, (_: TestObject, state) =>
    play(durableObjectRunStore(state.storage)),
  )
})
