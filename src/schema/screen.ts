/**
 * Keeps a pattern or a schema from stalling a validation: nothing else bounds a regular expression.
 * @module
 */

/** What a pattern may cost. */
export interface PatternCost {
  /** Repeats something that repeats, so that some texts take exponential time. */
  readonly exponential: boolean
  /** The power of the text's length that a match may take. */
  readonly power: number
}

/** One atom of a pattern, with its quantifier. */
interface Atom {
  readonly source: string
  /** It matches exactly one character, so that two atoms can be compared by trying characters. */
  readonly single: boolean
  readonly optional: boolean
  readonly repeats: boolean
}

interface Group {
  readonly start: number
  readonly look: boolean
  readonly branches: Atom[][]
}

const token =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[\s\S]/y
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y
/** A bounded repeat of this many counts as unbounded. */
const manyRepeats = 20
const sample = Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code))

/** Reads a pattern that compiles; false alarms are possible, and cost a check, never a crash. */
export function costOf(pattern: string): PatternCost {
  let exponential = false
  let power = /^\^/.test(pattern) ? 0 : 1
  const open: Group[] = [{ start: 0, look: false, branches: [[]] }]
  for (let at = 0; at < pattern.length; ) {
    token.lastIndex = at
    const [text = pattern.slice(at)] = token.exec(pattern) ?? []
    const start = at
    at += text.length
    if (text[0] === '(') {
      open.push({ start, look: /[=!]$/.test(text), branches: [[]] })
      continue
    }
    const group = open[open.length - 1]
    if (text === '|') group?.branches.push([])
    if (text === '|' || text === '^' || text === '$' || /^\\[bB]$/.test(text)) continue
    const closed = text === ')' && open.length > 1 ? open.pop() : undefined
    quantifier.lastIndex = at
    const [times = ''] = quantifier.exec(pattern) ?? []
    const source = pattern.slice(closed?.start ?? start, at)
    at += times.length
    const repeats = many(times)
    if (repeats) power += 1
    if (repeats && closed && ambiguous(closed.branches)) exponential = true
    const inner = closed?.branches.some((branch) => branch.some((atom) => atom.repeats)) ?? false
    open[open.length - 1]?.branches.at(-1)?.push({
      source,
      single: !closed,
      optional: /^[*?]|^\{0/.test(times) || closed?.look === true,
      repeats: repeats || inner || varies(times),
    })
  }
  return { exponential, power }
}

function many(times: string): boolean {
  if (/^[*+]/.test(times)) return true
  const [, least = 0, most] = /^\{(\d+),?(\d*)\}/.exec(times) ?? []
  if (times[0] !== '{') return false
  return (
    (most === '' && times.includes(',')) || Math.max(Number(least), Number(most)) >= manyRepeats
  )
}

/** A quantifier that takes more than one number of repeats: under another repeat it splits a text in many ways. */
function varies(times: string): boolean {
  const [, least, most] = /^\{(\d+),(\d*)\}/.exec(times) ?? []
  return /^[*+?]/.test(times) || (least !== undefined && least !== most)
}

/** Can a text be split over repeats of this group in more than one way? */
function ambiguous(branches: readonly Atom[][]): boolean {
  const repeating = branches.some((atoms) => {
    if (!atoms.some((atom) => atom.repeats || atom.optional)) return false
    // A separator that nothing else in the group can match leaves one way to split.
    return ![atoms[0], atoms.at(-1)].some(
      (edge) =>
        edge !== undefined &&
        !edge.optional &&
        !edge.repeats &&
        atoms.every((atom) => atom === edge || !overlap(atom, edge)),
    )
  })
  return (
    repeating ||
    branches.some(([first], index) =>
      branches.slice(index + 1).some(([other]) => !first || !other || overlap(first, other)),
    )
  )
}

function overlap(one: Atom, other: Atom): boolean {
  if (!one.single || !other.single) return true
  try {
    const [first, second] = [one, other].map(({ source }) => new RegExp(`^(?:${source})$`, 'u'))
    return sample.some((char) => first?.test(char) && second?.test(char))
  } catch {
    return true
  }
}

/**
 * The same pattern in a form that the `u` flag takes, or `undefined`. Escapes that only other dialects
 * know are rewritten when their meaning is plain (`\_`, `\Z`, `(?P<name>`, a lone brace).
 */
export function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern
  let inClass = false
  const parts = pattern
    .replaceAll('(?P<', '(?<')
    .matchAll(/\\[\s\S]|\[\^?\]?|\]|\{\d+(?:,\d*)?\}|[pPuk]?[{}]|[\s\S]/g)
  let rewritten = ''
  for (const [part] of parts) {
    const char = part[1] ?? ''
    if (part[0] === '[' && !inClass) {
      inClass = true
      rewritten += part.endsWith(']') ? part.replace(']', '\\]') : part
    } else if (part === ']') {
      rewritten += inClass ? part : '\\]'
      inClass = false
    } else if (part[0] === '\\') {
      if (/[AZz]/.test(char) && !inClass) rewritten += char === 'A' ? '^' : '$'
      else if (/[\^$\\.*+?()[\]{}|/\w]/.test(char) && char !== '_') rewritten += part
      else rewritten += char === '-' && inClass ? part : char
    } else if (/^[{}]$/.test(part) && !inClass) rewritten += `\\${part}`
    else rewritten += part
  }
  // A dash beside \w is a plain dash outside `u`.
  const dashed = rewritten.replace(/(\\[wdsWDS])-(?=[^\]])/g, '$1\\-')
  return [rewritten, dashed].find(compiles)
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
