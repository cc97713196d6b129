/**
 * What a run store has to do with events.
 * @module
 */
import type { RunEvent } from '../events.ts'
import { event, type RunStoreTest } from './run-store-given.ts'

const seqs = (events: readonly RunEvent[]): number[] => events.map(({ seq }) => seq)
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

export const eventTests: readonly RunStoreTest[] = [
  {
    name: 'events come back whole, after a seq, in order, up to a limit',
    async run({ make, expect, reopen }) {
      const store = await make()
      await store.appendEvents('r', [event('r', 1), event('r', 2)])
      await store.appendEvents('r', [event('r', 3, 'three\ud800🔑'), event('r', 4)])
      const after = await reopen(store)
      expect(await after.events('r', 2, 1)).toEqual([event('r', 3, 'three\ud800🔑')])
      expect(seqs(await after.events('r', 0, 100))).toEqual([1, 2, 3, 4])
      expect(seqs(await after.events('r', 0, Number.POSITIVE_INFINITY))).toEqual([1, 2, 3, 4])
      expect(seqs(await after.events('r', 1, 2))).toEqual([2, 3])
      expect(seqs(await after.events('r', 3, 100))).toEqual([4])
      expect(await after.events('r', 4, 100)).toEqual([])
      expect(await after.events('r', 0, 0)).toEqual([])
      expect(await after.lastSeq('r')).toBe(4)
    },
  },
  {
    name: 'an event whose seq is stored already is ignored, its companions are not',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r', [event('r', 1, 'first'), event('r', 2, 'first')])
      const again = [event('r', 2, 'second'), event('r', 3, 'first'), event('r', 3, 'second')]
      await store.appendEvents('r', again)
      expect(await store.events('r', 0, 100)).toEqual(
        numbers(1, 3).map((seq) => event('r', seq, 'first')),
      )
      expect(await store.lastSeq('r')).toBe(3)
    },
  },
  {
    name: 'a repeated event leaves nothing of itself, also when it is larger than the stored one',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r', [event('r', 1)])
      await store.appendEvents('r', [event('r', 1, 'x'.repeat(3_000_000)), event('r', 2)])
      expect(await store.events('r', 0, 100)).toEqual([event('r', 1), event('r', 2)])
    },
  },
  {
    name: 'events that come late take their place',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r', [event('r', 9), event('r', 11)])
      await store.appendEvents('r', [event('r', 10), event('r', 2), event('r', 100)])
      expect(seqs(await store.events('r', 0, 100))).toEqual([2, 9, 10, 11, 100])
      expect(seqs(await store.events('r', 9, 2))).toEqual([10, 11])
      expect(await store.lastSeq('r')).toBe(100)
    },
  },
  {
    name: 'appending nothing is quiet and makes nothing',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r', [])
      expect(await store.lastSeq('r')).toBe(0)
      expect(await store.load('r')).toBe(undefined)
    },
  },
  {
    name: 'a thousand events at once, read in pages, with a large one among them',
    async run({ make, expect }) {
      const store = await make()
      const large = `x${'🔑é'.repeat(600_000)}`
      const text = (seq: number): string => (seq === 500 ? large : 'text')
      await store.appendEvents(
        'r',
        numbers(1, 1000).map((seq) => event('r', seq, text(seq))),
      )
      const read: RunEvent[] = []
      for (;;) {
        const page = await store.events('r', read.at(-1)?.seq ?? 0, 300)
        expect(page.length <= 300).toBe(true)
        if (page.length === 0) break
        read.push(...page)
      }
      expect(seqs(read)).toEqual(numbers(1, 1000))
      const [five] = read.slice(499)
      expect(five?.type === 'tool_call_text' && five.text === large).toBe(true)
    },
  },
  {
    name: 'events of two runs are numbered on their own',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r1', [event('r1', 1), event('r1', 2)])
      await store.appendEvents('r2', [event('r2', 1)])
      expect(await store.events('r2', 0, 10)).toEqual([event('r2', 1)])
      expect(await store.lastSeq('r1')).toBe(2)
    },
  },
  {
    name: 'events handed out do not change afterwards',
    async run({ make, expect }) {
      const store = await make()
      await store.appendEvents('r', [event('r', 1)])
      const before = await store.events('r', 0, 10)
      await store.appendEvents('r', [event('r', 2)])
      expect(seqs(before)).toEqual([1])
    },
  },
]
