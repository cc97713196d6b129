import { describe, expect, it } from 'vitest'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { change, codeOf, doneRound, event, round, run } from '../../src/testing/run-store-given.ts'
import { runStoreContract } from '../contracts/run-store.ts'

runStoreContract('memory', { make: () => memoryRunStore() })

describe('memoryRunStore', () => {
  it('keeps and hands out values by reference', async () => {
    const store = memoryRunStore()
    const state = run('r', 1)
    const record = doneRound('a', 0)
    const first = event('r', 1)
    await store.commit('r', { expectedVersion: 0, state, round: record })
    await store.appendEvents('r', [first])
    expect(await store.load('r')).toBe(state)
    expect((await store.loadRound('r', 'a'))?.results).toBe(record.results)
    expect((await store.events('r', 0, 1))[0]).toBe(first)
  })

  it('drops the least recently used run beyond maxRuns', async () => {
    const store = memoryRunStore({ maxRuns: 2 })
    for (const id of ['a', 'b']) await store.commit(id, change(id, 0))
    await store.load('a')
    await store.commit('c', change('c', 0))
    const found = await Promise.all(['a', 'b', 'c'].map((id) => store.load(id)))
    expect(found.map((state) => state?.runId)).toEqual(['a', undefined, 'c'])
  })

  it('makes an evicted run again by its next commit, on its own version only', async () => {
    const store = memoryRunStore({ maxRuns: 1 })
    await store.commit('a', change('a', 0))
    await store.openRound('a', round('r', 0))
    await store.commit('b', change('b', 0))
    // The round is gone with the run; the work that goes on must not fail for it.
    await store.journal('a', 'r', { callId: 'c', state: 'started' })
    await store.appendEvents('a', [event('a', 7)])
    await store.commit('b', change('b', 1))
    expect(await codeOf(() => store.commit('a', change('a', 0)))).toBe('THREEPASS_STORE_CONFLICT')
    await store.commit('a', change('a', 1, { round: doneRound('r', 0) }))
    expect((await store.load('a'))?.version).toBe(2)
    expect(await store.loadRound('a', 'r')).toEqual(doneRound('r', 0))
  })

  it('takes a commit on a run whose eviction is no longer remembered', async () => {
    const store = memoryRunStore({ maxRuns: 1 })
    await store.commit('a', change('a', 0))
    for (let index = 0; index < 20; index += 1)
      await store.commit(`${index}`, change(`${index}`, 0))
    await store.commit('a', change('a', 1))
    expect((await store.load('a'))?.version).toBe(2)
  })

  it('never counts the generations of a forgotten session from 0 again', async () => {
    const store = memoryRunStore({ maxRuns: 1 })
    const commit = (runId: string, sessionId: string): Promise<void> =>
      store.commit(runId, {
        expectedVersion: 0,
        state: run(runId, 1, 'mark', sessionId),
        session: { addRules: [], wrote: ['file:/a'] },
      })
    await commit('r1', 'one')
    expect((await store.loadSession('one'))?.generations).toEqual([['file:/a', 1]])
    await commit('r2', 'two')
    expect((await store.loadSession('one'))?.generations).toEqual([['*', 2]])
    await commit('r3', 'one')
    expect((await store.loadSession('one'))?.generations).toEqual([
      ['*', 2],
      ['file:/a', 3],
    ])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses maxRuns %s', (maxRuns) => {
    const code = { code: 'THREEPASS_BAD_OPTION' }
    expect(() => memoryRunStore({ maxRuns })).toThrow(expect.objectContaining(code))
  })
})
