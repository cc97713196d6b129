import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { durableObjectWorkspace } from '../../src/workspace/durable-object.ts'
import type { WorkspaceBounds } from '../../src/workspace/over-backend.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'
import { workspaceContract } from '../contracts/workspace.ts'
import type { TestObject } from './test-worker.ts'

const stubs = new WeakMap<Workspace, { stub: DurableObjectStub<TestObject>; large: boolean }>()

/** Every call enters the object and makes a new workspace on its storage: nothing is kept in memory. */
function inside(
  stub: DurableObjectStub<TestObject>,
  large: boolean,
  bounds: WorkspaceBounds = {},
): Workspace {
  const enter = <T>(work: (files: Workspace) => Promise<T>): Promise<T> =>
    runInDurableObject(stub, (_: TestObject, { storage, id }) => {
      const far = large ? { bucket: env.FILES, prefix: `${id}/`, largeBytes: 100 } : {}
      return work(durableObjectWorkspace(storage, { ...bounds, ...far }))
    })
  const files: Workspace = {
    read: (...args) => enter((own) => own.read(...args)),
    write: (...args) => enter((own) => own.write(...args)),
    list: (...args) => enter((own) => own.list(...args)),
    remove: (...args) => enter((own) => own.remove(...args)),
    apply: (...args) => enter((own) => own.apply(...args)),
    history: (...args) => enter((own) => own.history(...args)),
  }
  stubs.set(files, { stub, large })
  return files
}

for (const large of [false, true]) {
  workspaceContract(large ? 'durable object, large files in R2' : 'durable object', {
    make: (bounds) => inside(env.OBJECT.getByName(crypto.randomUUID()), large, bounds),
    reopen(files) {
      const { stub } = stubs.get(files) ?? { stub: env.OBJECT.getByName('none') }
      return inside(stub, large)
    },
  })
}

it('leaves nothing of a forgotten version in the bucket', async () => {
  const files = inside(env.OBJECT.getByName(crypto.randomUUID()), true, { keepVersions: 1 })
  const before = (await env.FILES.list()).objects.length
  await files.write('/big', 'x'.repeat(500))
  await files.write('/big', 'y'.repeat(500))
  await files.write('/small', 'z')
  expect((await env.FILES.list()).objects.length).toBe(before + 1)
  await files.remove('/big')
  expect((await env.FILES.list()).objects.length).toBe(before)
})
