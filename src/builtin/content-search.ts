/**
 * Rows of a text that match a regular expression, in time that grows with the text and nothing else:
 * RE2 has no backtracking. Loaded with the first search.
 * @module
 */
import { RE2JS } from 're2js'

export interface SearchOptions {
  readonly output?: 'files' | 'content'
  readonly multiline?: boolean
  readonly context?: number
}

/** Matches of one file that are shown, so that none drowns the others. */
const mostShown = 100
const longestRow = 400

/** Throws an Error that names what is wrong with the pattern. */
export function contentSearch(
  pattern: string,
  { output = 'files', multiline = false, context = 0 }: SearchOptions,
): (path: string, text: string) => string[] {
  const expression = compiled(pattern, multiline)
  return (path, text) => {
    const rows = text.split(/\r?\n/)
    const hits = multiline ? rowsAcross(expression, text) : rowsWithin(expression, rows)
    if (hits.length === 0) return []
    if (output === 'files') return [`${path} (${hits.length})`]
    return shownRows(path, rows, hits.slice(0, mostShown), context, hits.length)
  }
}

function compiled(pattern: string, multiline: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, multiline ? RE2JS.MULTILINE | RE2JS.DOTALL : 0)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`the pattern is no RE2 expression: ${why}`)
  }
}

function rowsWithin(expression: RE2JS, rows: readonly string[]): number[] {
  return rows.flatMap((row, index) => (expression.matcher(row).find() ? [index + 1] : []))
}

/** The row in which each match begins. */
function rowsAcross(expression: RE2JS, text: string): number[] {
  const found = new Set<number>()
  const matcher = expression.matcher(text)
  let at = 0
  let row = 1
  while (matcher.find()) {
    for (; at < matcher.start(); at += 1) if (text[at] === '\n') row += 1
    found.add(row)
  }
  return [...found]
}

/** `path:row: text`; rows of the context have a dash behind their number. */
function shownRows(
  path: string,
  rows: readonly string[],
  hits: readonly number[],
  context: number,
  total: number,
): string[] {
  const isHit = new Set(hits)
  const near = new Set(
    hits.flatMap((hit) => Array.from({ length: 2 * context + 1 }, (_, n) => hit - context + n)),
  )
  const lines = [...near]
    .filter((row) => row >= 1 && row <= rows.length)
    .sort((a, b) => a - b)
    .map((row) => `${path}:${row}${isHit.has(row) ? ':' : '-'} ${cut(rows[row - 1] ?? '')}`)
  return total > hits.length ? [...lines, `${path}: ${total - hits.length} more rows match`] : lines
}

function cut(row: string): string {
  return row.length > longestRow ? `${row.slice(0, longestRow)}…` : row
}
