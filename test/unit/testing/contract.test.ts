import { describe, expect, it } from 'vitest'
import { memoryCacheStore } from '../../../src/result-cache/memory.ts'
import type { CacheStore } from '../../../src/result-cache/store.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import type { RunStore } from '../../../src/run-state/store.ts'
import { failureOf } from '../../../src/testing/contract.ts'
import { cacheStoreContract, runStoreContract, type TestApi } from '../../../src/testing.ts'

type Registered = { name: string; skipped: boolean; run: () => Promise<void> }

/** A test runner that only notes what it is given. */
function recorder(): { api: TestApi; tests: Registered[] } {
  const tests: Registered[] = []
  const add = (skipped: boolean) => (name: string, run: () => Promise<void>) =>
    tests.push({ name, skipped, run })
  const api: TestApi = {
    describe: (_, body) => body(),
    it: Object.assign(add(false), { skip: add(true) }),
    expect,
  }
  return { api, tests }
}

/** The names of the tests that fail. */
async function failing(tests: readonly Registered[]): Promise<string[]> {
  const names: string[] = []
  for (const { name, skipped, run } of tests)
    if (!skipped) await run().catch(() => names.push(name))
  return names
}

const gap = 'a stored miss'
const withoutDelete = (): CacheStore => ({ ...memoryCacheStore(), delete() {} })

describe('a contract', () => {
  it('passes for a store without gaps, and disposes of each store it made', async () => {
    const { api, tests } = recorder()
    const open = new Set<unknown>()
    cacheStoreContract(api, 'memory', {
      make() {
        const store = memoryCacheStore()
        open.add(store)
        return store
      },
      dispose: (store) => void open.delete(store),
    })
    expect(await failing(tests)).toEqual([])
    expect(tests.length).toBeGreaterThan(15)
    expect(open.size).toBe(0)
  })

  it('fails for a gap that is not declared, and only there', async () => {
    const { api, tests } = recorder()
    cacheStoreContract(api, 'no delete', { make: withoutDelete })
    expect(await failing(tests)).toEqual([
      'a deleted entry is a miss, its neighbours stay',
      'an aborted signal rejects, and nothing is changed',
    ])
  })

  it('skips a gap that is declared, with its reason in the name', async () => {
    const { api, tests } = recorder()
    const names = await failing(register(withoutDelete))
    const skip = names.map((test) => ({ test, reason: gap }))
    cacheStoreContract(api, 'no delete', { make: withoutDelete, skip })
    expect(await failing(tests)).toEqual([])
    const skipped = tests.filter((test) => test.skipped).map((test) => test.name)
    expect(skipped).toEqual(names.map((name) => `${name} (${gap})`))
  })

  it.each([
    { test: 'no such test', reason: gap },
    { test: 'a miss is undefined', reason: '' },
  ])('fails for the skip %j', async (skip) => {
    const { api, tests } = recorder()
    cacheStoreContract(api, 'memory', { make: () => memoryCacheStore(), skip: [skip] })
    expect(await failing(tests)).toEqual([
      'every skip names a test of this contract and gives a reason',
    ])
  })

  it('of run stores finds a lost update', async () => {
    const { api, tests } = recorder()
    runStoreContract(api, 'last one wins', { make: lastOneWins })
    expect(await failing(tests)).toContain(
      'lost update: of two commits on one version exactly one wins, with all its parts',
    )
  })
})

function register(make: () => CacheStore): Registered[] {
  const { api, tests } = recorder()
  cacheStoreContract(api, 'any', { make })
  return tests
}

/** A store that loads, compares and writes in separate steps. */
function lastOneWins(): RunStore {
  const store = memoryRunStore()
  return {
    ...store,
    async commit(runId, change) {
      const found = await store.load(runId)
      if ((found?.version ?? 0) !== change.expectedVersion) return store.commit(runId, change)
      for (;;) {
        const expectedVersion = (await store.load(runId))?.version ?? 0
        if (
          (await failureOf(() => store.commit(runId, { ...change, expectedVersion }))) === undefined
        )
          return
      }
    },
  }
}
