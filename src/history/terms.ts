/**
 * The words of a text, the same for every store: so that they find the same.
 * @module
 */
import { identifierParts } from '../deferred/identifier-parts.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
/** Written without spaces. Only here is the segmenter asked: it takes a hundred times as long. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const mostQueryTerms = 32

/** In order, repetitions included; letters and digits only. */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const [run] of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    // Nothing of such a word has to be changed, and most are.
    if (/^[a-z\d]+$/.test(run)) found.push(run)
    else for (const word of wordsOf(run)) found.push(...identifierParts(word).flatMap(plain))
  }
  return found
}

function wordsOf(run: string): string[] {
  if (!unspaced.test(run)) return [run]
  return [...segmenter.segment(run)].map(({ segment }) => segment)
}

/** Each once, for a search. */
export function queryTerms(query: string): string[] {
  return [...new Set(terms(query.slice(0, 2_000)))].slice(0, mostQueryTerms)
}

/** Without case and accents. */
function plain(word: string): string[] {
  const bare = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.match(/[\p{L}\p{N}]+/gu) ?? []
}
