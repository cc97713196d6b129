/**
 * What a model looks for in a history.
 * @module
 */
import { queryTerms } from '../history/terms.ts'

/** The keyword of a search. Throws an Error when there is none, or no word in it. */
export function searchedFor(keyword: string | undefined): string {
  if (!keyword) throw new Error('mode search needs a keyword')
  return withWord(keyword)
}

/** Signs alone would be in everything, or in nothing. Throws an Error for them. */
export function withWord(keyword: string): string {
  if (hasWord(keyword)) return keyword
  throw new Error(
    `there is no word in the keyword ${JSON.stringify(keyword)}: give letters or digits`,
  )
}

export function hasWord(text: string): boolean {
  return queryTerms(text).length > 0
}
