import { describe, expect, it } from 'vitest'
import type { HistoryDocument } from '../../../src/history/history.ts'
import { searchIndex } from '../../../src/history/search-index.ts'

/** How often its text was read is how often it was indexed. */
function counted(id: string, text: string, at = 1) {
  const reads = { count: 0 }
  const document: HistoryDocument = {
    ...{ collection: 'c', id, at, title: id, data: {} },
    get text() {
      reads.count += 1
      return text
    },
  }
  return { document, reads }
}

describe('searchIndex', () => {
  it('reads a document once, however often it is brought up to date', () => {
    const index = searchIndex()
    const [a, b] = [counted('a', 'apples'), counted('b', 'pears')]
    index.update(new Set(['a']), [a.document])
    index.update(new Set(['a', 'b']), [a.document, b.document])
    index.update(new Set(['a', 'b']), [])
    expect([index.find('apples'), index.find('pears')]).toEqual([['a'], ['b']])
    expect([a.reads.count, b.reads.count]).toEqual([1, 1])
  })

  it('what has gone or was something else before has no weight any more', () => {
    const index = searchIndex()
    const all = new Set(['first', 'busy', 'last'])
    index.update(all, [counted('first', 'red', 2).document])
    for (let n = 0; n < 9; n += 1) index.update(all, [counted('busy', `red ${n}`).document])
    index.update(all, [counted('last', 'red', 1).document, counted('busy', 'blue').document])
    // Alike in all but their time.
    expect(index.find('red')).toEqual(['first', 'last'])
    index.update(new Set(['last']), [])
    expect([index.find('red'), index.find('blue')]).toEqual([['last'], []])
  })
})
