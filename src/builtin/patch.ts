/**
 * Replaces pieces of a text, all of them or none. Pure.
 * @module
 */
import { diceCoefficient } from 'dice-coefficient'

export interface PatchTarget {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

interface Cut {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * All anchors are looked up in the text as it is given, never in one another's replacements. Throws an
 * Error that names every target that is not found, found more than once, or overlaps another.
 */
export function patchText(
  text: string,
  targets: readonly PatchTarget[],
): { readonly text: string; readonly replaced: number } {
  const problems: string[] = []
  const cuts: Cut[] = []
  targets.forEach((target, index) => {
    const places = placesOf(text, target.old_string)
    const problem = problemOf(text, target, places)
    if (problem) problems.push(`target ${index + 1}: ${problem}`)
    for (const from of places) {
      cuts.push({ from, to: from + target.old_string.length, text: target.new_string })
    }
  })
  if (problems.length === 0) {
    cuts.sort((a, b) => a.from - b.from)
    const clash = cuts.find((cut, index) => cut.from < (cuts[index - 1]?.to ?? 0))
    if (clash) problems.push(`two targets overlap in row ${rowAt(text, clash.from)}`)
  }
  if (problems.length > 0) throw new Error(`nothing was changed: ${problems.join('; ')}`)
  let done = ''
  let at = 0
  for (const cut of cuts) {
    done += text.slice(at, cut.from) + cut.text
    at = cut.to
  }
  return { text: done + text.slice(at), replaced: cuts.length }
}

function placesOf(text: string, anchor: string): number[] {
  const places: number[] = []
  if (anchor === '') return places
  for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, at + anchor.length)) {
    places.push(at)
  }
  return places
}

function problemOf(
  text: string,
  { old_string, new_string, replace_all = false }: PatchTarget,
  places: readonly number[],
): string | undefined {
  if (old_string === new_string) return 'old_string and new_string are the same'
  if (places.length === 0) return `old_string is not in the file${similarRows(text, old_string)}`
  if (places.length === 1 || replace_all) return undefined
  const rows = places.slice(0, 5).map((place) => rowAt(text, place))
  return `old_string is there ${places.length} times (rows ${rows.join(', ')}${places.length > 5 ? ', …' : ''}); give more text around it, or replace_all`
}

function rowAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length
}

const mostRowsCompared = 5_000
const leastLikeness = 0.5

/** Rows that look like the anchor's first row: usually a slip of spaces or quotes. */
function similarRows(text: string, anchor: string): string {
  const wanted = anchor.split('\n').find((row) => row.trim() !== '')
  if (wanted === undefined) return ''
  const rows = text.split('\n', mostRowsCompared)
  const similar = rows
    .map((row, index) => ({ row, at: index + 1, likeness: diceCoefficient(row, wanted) }))
    .filter(({ likeness }) => likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
  if (similar.length === 0) return ''
  const shown = similar.map(({ row, at }) => `${at} ${JSON.stringify(row.slice(0, 120))}`)
  return `; similar rows: ${shown.join(', ')}`
}
