import { describe, expect, it } from 'vitest'
import type { HistoryStore } from '../../src/history/history.ts'
import {
  type HistoryContractOptions,
  historyContract as register,
} from '../../src/testing/history.ts'

export function historyContract(name: string, options: HistoryContractOptions): void {
  register({ describe, it, expect }, name, options)
}

/** For stores with an index in memory: made anew for each search it would read 20,000 documents, for minutes. */
export function followsWrites(make: () => HistoryStore): void {
  it('a search after each of 200 long documents reads only what is new', async () => {
    const store = make()
    for (let n = 0; n < 200; n += 1) {
      await store.put({ ...longDocument(n), collection: 'c', id: `d${n}`, at: n, data: {} })
      const found = await store.search('c', `number${n}x`)
      expect(found.map(({ id }) => id)).toEqual([`d${n}`])
    }
  }, 20_000)
}

/** 30,000 characters: thousands of words, most of which others have too. */
function longDocument(n: number): { title: string; text: string } {
  const word = (at: number) => `word${(n * 31 + at * at) % 5_000}`
  return {
    title: `number${n}x`,
    text: Array.from({ length: 3_500 }, (_, at) => word(at)).join(' '),
  }
}
