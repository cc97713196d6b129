/**
 * What a run store has to do with commits, sessions and whole runs.
 * @module
 */
import type { AllowRule } from '../run-state/run-state.ts'
import type { RunStore } from '../run-state/store.ts'
import {
  change,
  codeOf,
  doneRound,
  event,
  oddIds,
  type RunStoreTest,
  round,
  run,
} from './run-store-given.ts'

const rule = (tool: string): AllowRule => ({ tool, fingerprint: 'f', pattern: { path: '/a/**' } })

const committing: readonly RunStoreTest[] = [
  {
    name: 'what is unknown is undefined or empty',
    async run({ make, expect }) {
      const store = await make()
      expect(await store.load('r')).toBe(undefined)
      expect(await store.loadSession('s')).toBe(undefined)
      expect(await store.loadRound('r', 'a')).toBe(undefined)
      expect(await store.listRounds('r', 0, 10)).toEqual([])
      expect(await store.events('r', 0, 10)).toEqual([])
      expect(await store.lastSeq('r')).toBe(0)
    },
  },
  {
    name: 'a first commit makes the run, later ones replace its state',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.commit('r', change('r', 0, { mark: 'first' }))
      expect(await store.load('r')).toEqual(run('r', 1, 'first'))
      await store.commit('r', change('r', 1, { mark: 'second' }))
      expect(await (await reopen(store)).load('r')).toEqual(run('r', 2, 'second'))
    },
  },
  {
    name: 'a commit on another version conflicts and changes nothing at all',
    async run({ make, expect }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      const first = { session: { addRules: [rule('one')], wrote: ['file:/a'] } }
      await store.commit('r', change('r', 0, first))
      const session = await store.loadSession('s')
      for (const version of [0, 2, 7]) {
        const wrong = change('r', version, {
          mark: 'wrong',
          round: doneRound('a', 0),
          session: { addRules: [rule('two')], wrote: ['*'] },
        })
        expect(await codeOf(() => store.commit('r', wrong))).toBe('THREEPASS_STORE_CONFLICT')
      }
      expect(await store.load('r')).toEqual(run('r', 1))
      expect(await store.loadRound('r', 'a')).toEqual(round('a', 0))
      expect(await store.loadSession('s')).toEqual(session)
    },
  },
  {
    name: 'a first commit on a version above 0 conflicts',
    async run({ make, expect }) {
      const store = await make()
      const commit = (): Promise<void> => store.commit('r', change('r', 3))
      expect(await codeOf(commit)).toBe('THREEPASS_STORE_CONFLICT')
      expect(await store.load('r')).toBe(undefined)
    },
  },
  {
    name: 'lost update: of two commits on one version exactly one wins, with all its parts',
    async run({ make, expect, reopen }) {
      const store = await make()
      const other = await reopen(store)
      for (const version of [0, 1]) {
        const marks = ['left', 'right']
        const codes = await Promise.all(
          marks.map((mark, index) => {
            const wrote = [`${mark} ${version}`]
            const parts = {
              mark,
              round: doneRound(`${mark} ${version}`, 0),
              session: { addRules: [], wrote },
            }
            return codeOf(() =>
              (index === 0 ? store : other).commit('r', change('r', version, parts)),
            )
          }),
        )
        expect([...codes].sort()).toEqual(['THREEPASS_STORE_CONFLICT', 'resolved'])
        const winner = codes[0] === 'resolved' ? 'left' : 'right'
        const loser = winner === 'left' ? 'right' : 'left'
        expect(await store.load('r')).toEqual(run('r', version + 1, winner))
        expect((await store.loadRound('r', `${winner} ${version}`))?.status).toBe('done')
        expect(await store.loadRound('r', `${loser} ${version}`)).toBe(undefined)
        const wrote = (await store.loadSession('s'))?.generations.map(([resource]) => resource)
        expect(wrote?.includes(`${winner} ${version}`)).toBe(true)
        expect(wrote?.includes(`${loser} ${version}`)).toBe(false)
      }
    },
  },
  {
    name: 'an aborted signal rejects',
    async run({ make, expect }) {
      const store = await make()
      await store.commit('r', change('r', 0))
      const signal = AbortSignal.abort(new Error('stop'))
      const calls = [
        () => store.load('r', signal),
        () => store.loadSession('s', signal),
        () => store.loadRound('r', 'a', signal),
        () => store.listRounds('r', 0, 1, signal),
        () => store.events('r', 0, 1, signal),
      ]
      for (const call of calls) expect(await codeOf(call)).toBe('THREEPASS_STORE_FAILED')
    },
  },
]

const sessions: readonly RunStoreTest[] = [
  {
    name: 'runs of a session share rules and generations',
    async run({ make, expect, reopen }) {
      const store = await make()
      const session = (tool: string, wrote: string[]) => ({
        session: { addRules: [rule(tool)], wrote },
      })
      await store.commit('r1', change('r1', 0, session('one', ['file:/a', 'file:/b'])))
      await store.commit('r2', change('r2', 0, session('two', ['file:/a'])))
      const found = await (await reopen(store)).loadSession('s')
      expect(found?.allowRules).toEqual([rule('one'), rule('two')])
      expect(found?.generation).toBe(3)
      expect(found?.generations).toEqual([
        ['file:/b', 2],
        ['file:/a', 3],
      ])
      expect(await store.loadSession('other')).toBe(undefined)
    },
  },
  {
    name: 'two runs that commit at once both change their session',
    async run({ make, expect, reopen }) {
      const store = await make()
      const other = await reopen(store)
      const session = { addRules: [], wrote: ['*'] }
      await Promise.all([
        store.commit('r1', change('r1', 0, { session })),
        other.commit('r2', change('r2', 0, { session })),
      ])
      expect((await store.loadSession('s'))?.generation).toBe(2)
    },
  },
]

async function fill(store: RunStore, runId: string): Promise<void> {
  await store.openRound(runId, round('open', 0))
  await store.journal(runId, 'open', { callId: 'c', state: 'started' })
  const session = { addRules: [rule(runId)], wrote: [] }
  const parts = { mark: runId, round: doneRound('a', 1, runId), session }
  await store.commit(runId, change(runId, 0, parts))
  await store.appendEvents(runId, [event(runId, 1), event(runId, 2)])
}

const wholeRuns: readonly RunStoreTest[] = [
  {
    name: 'delete forgets all of a run, and nothing else',
    async run({ make, expect, reopen }) {
      const store = await make()
      await fill(store, 'r')
      // A run named like the session, and runs whose ids have the deleted one as a prefix.
      for (const other of ['s', 'r2', 'r/2', 'r\u0000']) await fill(store, other)
      await store.delete('r')
      const after = await reopen(store)
      expect(await after.load('r')).toBe(undefined)
      expect(await after.listRounds('r', 0, 10)).toEqual([])
      expect(await after.loadRound('r', 'open')).toBe(undefined)
      expect(await after.events('r', 0, 10)).toEqual([])
      expect(await after.lastSeq('r')).toBe(0)
      for (const other of ['s', 'r2', 'r/2', 'r\u0000']) {
        expect((await after.load(other))?.version).toBe(1)
        expect((await after.listRounds(other, 0, 10)).length).toBe(2)
        expect(await after.lastSeq(other)).toBe(2)
      }
      expect((await after.loadSession('s'))?.allowRules.length).toBe(5)
      await store.delete('s')
      expect((await after.loadSession('s'))?.allowRules.length).toBe(5)
    },
  },
  {
    name: 'deleting a missing run is quiet; a deleted one begins again at version 0',
    async run({ make, expect }) {
      const store = await make()
      await store.delete('r')
      await fill(store, 'r')
      await store.delete('r')
      expect(await codeOf(() => store.commit('r', change('r', 1)))).toBe('THREEPASS_STORE_CONFLICT')
      await store.openRound('r', round('open', 0))
      expect((await store.loadRound('r', 'open'))?.journal).toEqual([])
      await store.commit('r', change('r', 0))
      expect((await store.load('r'))?.version).toBe(1)
    },
  },
  {
    name: 'two runs do not see one another, whatever their ids',
    async run({ make, expect, reopen }) {
      const store = await make()
      for (const id of oddIds) await fill(store, id)
      const after = await reopen(store)
      for (const id of oddIds) {
        expect(await after.load(id)).toEqual(run(id, 1, id))
        expect(await after.loadRound(id, 'a')).toEqual(doneRound('a', 1, id))
        expect(await after.events(id, 0, 10)).toEqual([event(id, 1), event(id, 2)])
      }
    },
  },
  {
    name: 'two stores do not see one another',
    async run({ make, expect }) {
      const [one, other] = [await make(), await make()]
      await fill(one, 'r')
      expect(await other.load('r')).toBe(undefined)
      expect(await other.loadSession('s')).toBe(undefined)
      expect(await other.lastSeq('r')).toBe(0)
      await other.delete('r')
      expect((await one.load('r'))?.version).toBe(1)
    },
  },
]

export const commitTests: readonly RunStoreTest[] = [...committing, ...sessions, ...wholeRuns]
