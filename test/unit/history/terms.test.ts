import { describe, expect, it } from 'vitest'
import { queryTerms, terms } from '../../../src/history/terms.ts'

describe('terms', () => {
  it.each([
    ["it's isn’t 3.14 1,000", 'it s isn t 3 14 1 000'],
    ['Été naïve cafe\u0301 ｆｕｌｌ ﬁne', 'ete naive cafe full fine'],
    ['readUserName HTTPRequest2Foo don_t', 'read user name http request2 foo don t'],
    ['user@example.com $100 v1.2-beta', 'user example com 100 v1 2 beta'],
    ['x² ½', 'x2 1 2'],
    ['한국어 형태소 العربية Straße', '한국어 형태소 العربية straße'],
    ['部署到生产环境失败 abc東京def', '部署 到 生产 环境 失败 abc 東京 def'],
    ['東京都に住んでいます', '東京 都 に 住 んて い ます'],
    ['- . / "" 🔑 \u0301 \ud800', ''],
  ])('of %s', (text, expected) => {
    // As they are compared: a syllable of hangul is taken apart.
    expect(terms(text).join(' ').normalize('NFC')).toBe(expected)
  })

  it('of a query are each once, and 32 at most', () => {
    expect(queryTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not'])
    expect(queryTerms([...Array(99).keys()].join(' '))).toHaveLength(32)
  })
})
