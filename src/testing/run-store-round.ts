/**
 * What a run store has to do with rounds and their journals.
 * @module
 */
import type { JournalEntry, RoundRecord } from '../run-state/run-state.ts'
import {
  change,
  codeOf,
  doneRound,
  oddIds,
  type RunStoreTest,
  result,
  round,
  run,
} from './run-store-given.ts'

/** Three megabytes and more of text in which a cut at any fixed place may hit a surrogate pair. */
const large = `x${'🔑é'.repeat(600_000)}`

const started = (callId: string): JournalEntry => ({ callId, state: 'started' })
const ended = (callId: string, content?: string): JournalEntry => ({
  callId,
  state: 'ended',
  result: result(callId, content),
})

const journals: readonly RunStoreTest[] = [
  {
    name: 'a round can be opened before its run has a state',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      const after = await reopen(store)
      expect(await after.loadRound('r', 'a')).toEqual(round('a', 0))
      expect(await after.load('r')).toBe(undefined)
      await after.commit('r', change('r', 0))
    },
  },
  {
    name: 'what an opened round was asked to do is there until the round is done',
    async run({ make, expect, reopen }) {
      const store = await make()
      const request = {
        calls: [{ id: 'c', name: 'send', arguments: { text: large } }],
        finishReason: 'stop',
        secret: 'only here',
      }
      await store.openRound('r', round('a', 0, { request }))
      const after = await reopen(store)
      expect((await after.loadRound('r', 'a'))?.request).toEqual(request)
      expect((await after.listRounds('r', 0, 10))[0]?.request).toEqual(request)
      await after.commit('r', change('r', 0, { round: doneRound('a', 0) }))
      expect((await after.loadRound('r', 'a'))?.request).toBe(undefined)
    },
  },
  {
    name: 'the journal survives, in the order it was written',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      await store.openRound('r', round('b', 1))
      const entries = [started('c2'), started('c1'), ended('c1'), ended('c2'), started('c3')]
      for (const entry of entries) await store.journal('r', 'a', entry)
      await store.journal('r', 'b', started('other'))
      const after = await reopen(store)
      expect(await after.loadRound('r', 'a')).toEqual(round('a', 0, { journal: entries }))
      expect((await after.loadRound('r', 'b'))?.journal).toEqual([started('other')])
    },
  },
  {
    name: 'entries journaled at once are all there',
    async run({ make, expect }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      const ids = Array.from({ length: 12 }, (_, index) => `c${index}`)
      await Promise.all(ids.map((callId) => store.journal('r', 'a', started(callId))))
      const found = (await store.loadRound('r', 'a'))?.journal.map((entry) => entry.callId)
      expect([...(found ?? [])].sort()).toEqual([...ids].sort())
    },
  },
  {
    name: 'opening a round again is quiet and loses nothing',
    async run({ make, expect }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      await store.journal('r', 'a', started('c'))
      await store.openRound('r', round('a', 0))
      expect((await store.loadRound('r', 'a'))?.journal).toEqual([started('c')])
      await store.commit('r', change('r', 0, { round: doneRound('a', 0) }))
      await store.openRound('r', round('a', 0))
      expect(await store.loadRound('r', 'a')).toEqual(doneRound('a', 0))
    },
  },
  {
    name: 'a journal entry for a round that was never opened is refused',
    async run({ make, expect }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      for (const [runId, roundId] of [
        ['r', 'b'],
        ['other', 'a'],
      ] as const) {
        const code = await codeOf(() => store.journal(runId, roundId, started('c')))
        expect(code).toBe('THREEPASS_STORE_FAILED')
        expect(await store.loadRound(runId, roundId)).toBe(undefined)
      }
    },
  },
  {
    name: 'what was handed out does not change afterwards',
    async run({ make, expect }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      const before = await store.loadRound('r', 'a')
      const listed = await store.listRounds('r', 0, 10)
      await store.journal('r', 'a', started('c'))
      await store.openRound('r', round('b', 1))
      expect(before).toEqual(round('a', 0))
      expect(listed).toEqual([round('a', 0)])
    },
  },
]

const rounds: readonly RunStoreTest[] = [
  {
    name: 'a committed round is the record as committed, its running one is gone',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      for (const callId of ['c1', 'c2', 'c3']) await store.journal('r', 'a', started(callId))
      await store.commit('r', change('r', 0, { round: doneRound('a', 0) }))
      const after = await reopen(store)
      expect(await after.loadRound('r', 'a')).toEqual(doneRound('a', 0))
      expect(await after.listRounds('r', 0, 10)).toEqual([doneRound('a', 0)])
      const empty: RoundRecord = round('a', 0, { status: 'done' })
      await after.commit('r', change('r', 1, { round: empty }))
      expect(await after.loadRound('r', 'a')).toEqual(empty)
    },
  },
  {
    name: 'rounds are listed by index, from an index, up to a limit, running ones too',
    async run({ make, expect }) {
      const store = await make()
      // The ids sort otherwise than the indexes do.
      const records = Array.from({ length: 12 }, (_, index) => doneRound(`z${12 - index}`, index))
      for (const [version, record] of records.entries())
        await store.commit('r', change('r', version, { round: record }))
      await store.openRound('r', round('running', 12))
      const all = [...records, round('running', 12)]
      expect(await store.listRounds('r', 0, 100)).toEqual(all)
      expect(await store.listRounds('r', 0, Number.POSITIVE_INFINITY)).toEqual(all)
      expect(await store.listRounds('r', 9, 2)).toEqual(all.slice(9, 11))
      expect(await store.listRounds('r', 11, 5)).toEqual(all.slice(11))
      expect(await store.listRounds('r', 13, 5)).toEqual([])
      expect(await store.listRounds('r', 0, 0)).toEqual([])
    },
  },
  {
    name: 'odd round ids are different rounds',
    async run({ make, expect, reopen }) {
      const store = await make()
      for (const [index, id] of oddIds.entries()) {
        await store.openRound('r', round(id, index))
        await store.journal('r', id, started(id))
      }
      const after = await reopen(store)
      const expected = oddIds.map((id, index) => round(id, index, { journal: [started(id)] }))
      expect(await after.listRounds('r', 0, 100)).toEqual(expected)
      for (const [index, id] of oddIds.entries())
        expect(await after.loadRound('r', id)).toEqual(expected[index])
    },
  },
  {
    name: 'results, journal and state of over three megabytes survive',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.openRound('r', round('a', 0))
      await store.journal('r', 'a', ended('c1', large))
      const running = await (await reopen(store)).loadRound('r', 'a')
      expect(running?.journal[0]?.result?.content === large).toBe(true)
      const record = round('a', 0, { status: 'done', results: [result('c1', large), result('c2')] })
      await store.commit('r', { expectedVersion: 0, state: run('r', 1, large), round: record })
      const after = await reopen(store)
      const loaded = await after.loadRound('r', 'a')
      expect(loaded?.results.map(({ content }) => content === large || content)).toEqual([
        true,
        'text',
      ])
      expect((await after.load('r'))?.ledger[0]?.key === large).toBe(true)
      await after.commit('r', change('r', 1, { mark: 'small', round: doneRound('a', 0) }))
      expect(await after.load('r')).toEqual(run('r', 2, 'small'))
      expect(await after.loadRound('r', 'a')).toEqual(doneRound('a', 0))
    },
  },
  {
    name: 'a round of fifty calls is one commit',
    async run({ make, expect }) {
      const store = await make()
      const results = Array.from({ length: 50 }, (_, index) => result(`c${index}`))
      const record = round('a', 0, { status: 'done', results })
      await store.commit('r', change('r', 0, { round: record }))
      expect(await store.loadRound('r', 'a')).toEqual(record)
    },
  },
]

export const roundTests: readonly RunStoreTest[] = [...journals, ...rounds]
