/**
 * The words of a text, the same for every store: so that they find the same.
 * @module
 */
import { identifierParts } from '../deferred/identifier-parts.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
const mostQueryTerms = 32

/** In order, repetitions included; letters and digits only. */
export function terms(text: string): string[] {
  const found: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text.replace(/[_./-]+/g, ' '))) {
    if (!isWordLike) continue
    for (const part of identifierParts(segment)) found.push(...plain(part))
  }
  return found
}

/** Each once, for a search. */
export function queryTerms(query: string): string[] {
  return [...new Set(terms(query.slice(0, 2_000)))].slice(0, mostQueryTerms)
}

/** Without case, accents and signs: `it’s` is `it` and `s`. */
function plain(word: string): string[] {
  const bare = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return bare.match(/[\p{L}\p{N}]+/gu) ?? []
}
