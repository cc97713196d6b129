/**
 * The contract of PORT HistoryStore.
 * @module
 */
import type { HistoryDocument, HistoryOptions, HistoryStore } from '../history/history.ts'
import {
  type ContractOptions,
  type ContractTest,
  registerContract,
  type TestApi,
} from './contract.ts'

export interface HistoryContractOptions extends Omit<ContractOptions<HistoryStore>, 'make'> {
  /** A fresh, empty store with these bounds. Called once or more for each test. */
  readonly make: (options?: HistoryOptions) => HistoryStore | Promise<HistoryStore>
  /** A second store on the same data, as after a restart. Default: the same store. */
  readonly reopen?: (store: HistoryStore) => HistoryStore | Promise<HistoryStore>
}

/** Registers the tests that every history store has to pass. */
export function historyContract(
  api: TestApi,
  name: string,
  { make, reopen, ...rest }: HistoryContractOptions,
): void {
  const extra: Extra = {
    bounded: async (maxDocuments) => make({ maxDocuments }),
    reopen: async (store) => reopen?.(store) ?? store,
  }
  const options = { ...rest, make: () => make() }
  registerContract(api, { name: `HistoryStore: ${name}`, tests, options, extra })
}

interface Extra {
  readonly bounded: (maxDocuments: number) => Promise<HistoryStore>
  readonly reopen: (store: HistoryStore) => Promise<HistoryStore>
}

function doc(id: string, title: string, text = '', at = 1): HistoryDocument {
  return { collection: 'c', id, at, title, text, data: { id } }
}

/** What two stores on the same data find. */
const both = (...found: readonly string[]) => [found, found]

const ids = (documents: readonly HistoryDocument[]) => documents.map(({ id }) => id)

const tests: readonly ContractTest<HistoryStore, Extra>[] = [
  {
    name: 'what was put is there as it was, also after a restart; nothing else is',
    async run({ make, expect, reopen }) {
      const store = await make()
      const whole = { ...doc('a', 'Été 🔑', 'x', 5), data: { n: [1, { deep: null }], s: '🔑' } }
      await store.put(whole)
      const again = await reopen(store)
      expect(await again.get('c', 'a')).toEqual(whole)
      expect(await again.get('c', 'b')).toBe(undefined)
      expect(await again.get('d', 'a')).toBe(undefined)
      expect(ids(await again.list('d'))).toEqual([])
      expect(ids(await again.search('d', 'Été'))).toEqual([])
    },
  },
  {
    name: 'a later document of the id takes the place, in lists and in searches',
    async run({ make, expect }) {
      const store = await make()
      await store.put(doc('a', 'apples'))
      expect(ids(await store.search('c', 'apples'))).toEqual(['a'])
      await store.put(doc('a', 'pears', '', 2))
      expect(ids(await store.search('c', 'apples'))).toEqual([])
      expect(ids(await store.search('c', 'pears'))).toEqual(['a'])
      expect((await store.list('c')).map(({ title }) => title)).toEqual(['pears'])
    },
  },
  {
    name: 'lists the newest first, from a time on, so many',
    async run({ make, expect }) {
      const store = await make()
      for (const at of [3, 1, 2, 5, 4]) await store.put(doc(`d${at}`, 'x', '', at))
      expect(ids(await store.list('c'))).toEqual(['d5', 'd4', 'd3', 'd2', 'd1'])
      expect(ids(await store.list('c', { limit: 2 }))).toEqual(['d5', 'd4'])
      expect(ids(await store.list('c', { since: 3 }))).toEqual(['d5', 'd4', 'd3'])
      for (const id of ['m', 'a', 'z', 'm']) await store.put(doc(id, 'x', '', 6))
      expect(ids(await store.list('c', { limit: 4 }))).toEqual(['m', 'z', 'a', 'd5'])
    },
  },
  {
    name: 'what comes, changes and goes after a search counts for the next, whoever wrote it',
    async run({ bounded, expect, reopen }) {
      const store = await bounded(3)
      const other = await reopen(store)
      const found = async (query: string) => [
        ids(await store.search('c', query)),
        ids(await other.search('c', query)),
      ]
      await store.put(doc('a', 'apples', '', 1))
      await other.put(doc('b', 'pears', '', 2))
      expect(await found('apples pears')).toEqual(both('b', 'a'))
      await other.put(doc('a', 'plums', '', 3))
      await store.put(doc('c', 'pears', '', 4))
      expect(await found('apples')).toEqual(both())
      expect(await found('pears')).toEqual(both('c', 'b'))
      await store.put(doc('d', 'plums', '', 5))
      expect(await found('pears')).toEqual(both('c'))
      expect(await found('plums')).toEqual(both('d', 'a'))
    },
  },
  {
    name: 'finds by any word and by beginnings, without case and accents; the title weighs more',
    async run({ make, expect }) {
      const store = await make()
      await store.put(doc('text', 'other', 'about the deployment of the café', 1))
      await store.put(doc('title', 'Deployment', 'something else entirely here', 2))
      await store.put(doc('none', 'lunch', 'soup', 3))
      expect(ids(await store.search('c', 'deployment'))).toEqual(['title', 'text'])
      expect(ids(await store.search('c', 'deploy'))).toEqual(['title', 'text'])
      expect(ids(await store.search('c', 'CAFE'))).toEqual(['text'])
      expect(ids(await store.search('c', 'zebra soup'))).toEqual(['none'])
      expect(ids(await store.search('c', 'deployment', { limit: 1 }))).toEqual(['title'])
      expect(ids(await store.search('c', 'deployment', { since: 2 }))).toEqual(['title'])
    },
  },
  {
    name: 'finds identifiers by their parts, paths by theirs, and words of languages without spaces',
    async run({ make, expect }) {
      const store = await make()
      await store.put(doc('id', 'readUserName', 'src/net/guarded-fetch.ts'))
      await store.put(doc('zh', '部署到生产环境失败'))
      await store.put(doc('ja', '東京都に住んでいます'))
      expect(ids(await store.search('c', 'user'))).toEqual(['id'])
      expect(ids(await store.search('c', 'guarded_fetch'))).toEqual(['id'])
      expect(ids(await store.search('c', '生产'))).toEqual(['zh'])
      expect(ids(await store.search('c', '東京'))).toEqual(['ja'])
    },
  },
  {
    name: 'a query of signs, quotes or nothing finds nothing and harms nothing',
    async run({ make, expect }) {
      const store = await make()
      await store.put(doc('a', 'a near b', "it's"))
      for (const query of ['', ' \n', '"', '*', '- . /', '"" ^ (', '🔑', '\u0301', '\ud800'])
        expect([query, ids(await store.search('c', query))]).toEqual([query, []])
      for (const query of ["'; DROP TABLE x; --x", '* OR ^ (', '"""" NEAR/2'])
        expect(Array.isArray(await store.search('c', query))).toBe(true)
      expect(ids(await store.search('c', '"near" AND (b*)'))).toEqual(['a'])
      expect(ids(await store.search('c', 'x '.repeat(100_000)))).toEqual([])
      expect(ids(await store.list('c'))).toEqual(['a'])
    },
  },
  {
    name: 'keeps the newest of each collection and no more',
    async run({ bounded, expect }) {
      const store = await bounded(2)
      for (const at of [2, 3, 1]) await store.put(doc(`d${at}`, `word${at}`, '', at))
      await store.put({ ...doc('other', 'word'), collection: 'o' })
      expect(ids(await store.list('c'))).toEqual(['d3', 'd2'])
      expect(ids(await store.search('c', 'word1'))).toEqual([])
      expect(ids(await store.list('o'))).toEqual(['other'])
    },
  },
  {
    name: 'odd ids and names are kept apart; a long text is kept as far as it is searched',
    async run({ make, expect }) {
      const store = await make()
      const odd = ['__proto__', 'constructor', "'; --", '🔑', '']
      for (const id of odd) await store.put(doc(id, 'odd', '', 1))
      for (const id of odd) expect((await store.get('c', id))?.data).toEqual({ id })
      await store.put(doc('long', 'long', `${'x '.repeat(40_000)}end`, 9))
      expect(ids(await store.search('c', 'long'))).toEqual(['long'])
      expect(ids(await store.search('c', 'end'))).toEqual([])
    },
  },
]
