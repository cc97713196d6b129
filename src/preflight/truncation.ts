/**
 * Reads text that is not JSON just closely enough to tell three things apart: it was cut off, it has
 * only slips that leave no doubt about its values, or it is something else.
 * @module
 */

export type Scan =
  /** Nothing but mechanical slips; `text` is ready for the repair library. */
  | { readonly kind: 'slips'; readonly text: string; readonly slips: readonly string[] }
  /** A string, comment or bracket that is open at the end. */
  | { readonly kind: 'cut' }
  /** NaN or Infinity. */
  | { readonly kind: 'not-finite' }
  /** Something that only a guess could put right. */
  | { readonly kind: 'broken'; readonly problem: string }

const token =
  /[\s\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|'[^'\\]*(?:(?:\\[\s\S]|'(?!\s*(?:[,:}\]]|$)))[^'\\]*)*(?:'|\\?$)|[{}[\],:]|-?Infinity|[\w$+.-]+|[\s\S]/y
const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const badEscape = /\\(?:[^"'\\/bfnrtu]|u(?![\da-fA-F]{4}))/
const python = new Set(['True', 'False', 'None'])
const notFinite = /^[+-]?(?:NaN|nan|Infinity|inf)$/

/** What the token before allows. */
type Expect = 'value' | 'item' | 'key' | 'colon' | 'next' | 'end'

interface State {
  expect: Expect
  /** Closing brackets that are still to come. */
  readonly open: string[]
  /** The last token was a comma. */
  comma: boolean
  readonly slips: Set<string>
  problem: string
  infinite: boolean
  /** The text with comments dropped and inner apostrophes escaped, which the library would misread. */
  rewritten: string
}

/** Judges text that `JSON.parse` refused. */
export function scanText(text: string): Scan {
  const state: State = {
    expect: 'value',
    open: [],
    comma: false,
    slips: new Set(),
    problem: '',
    infinite: false,
    rewritten: '',
  }
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const [part = text.slice(at)] = token.exec(text) ?? []
    const before = JSON.stringify(text.slice(Math.max(0, at - 24), at))
    at += part.length
    const step = take(part, state, before)
    if (step === 'cut') return { kind: 'cut' }
    if (step === 'stop') return { kind: 'broken', problem: state.problem }
    // An apostrophe where no text may begin opens nothing.
    if (step === 'skip' && part[0] === "'") at -= part.length - 1
  }
  if (state.open.length > 0) return { kind: 'cut' }
  if (state.infinite) return { kind: 'not-finite' }
  if (state.problem || state.expect !== 'end') {
    return { kind: 'broken', problem: state.problem || 'there is no value' }
  }
  return { kind: 'slips', text: state.rewritten, slips: [...state.slips] }
}

type Step = 'on' | 'skip' | 'stop' | 'cut'

function take(part: string, state: State, before: string): Step {
  const char = part[0] ?? ''
  if (/[\s\ufeff]/.test(char)) state.rewritten += part
  else if (/^\/[/*]/.test(part)) {
    if (part[1] === '*' && (part.length < 4 || !part.endsWith('*/'))) return 'cut'
    state.slips.add('comments')
  } else if (/[}\],:]/.test(char)) return punctuation(char, state, before)
  else if (/colon|next|end/.test(state.expect)) {
    state.problem ||= `unexpected text after ${before}`
    // Nothing that follows a complete value can make it one again.
    return state.expect === 'end' ? 'stop' : 'skip'
  } else return value(part, char, state)
  return 'on'
}

function punctuation(char: string, state: State, before: string): Step {
  const { expect, open, comma } = state
  state.rewritten += char
  if (char === ',' || char === ':') {
    if (expect !== (char === ',' ? 'next' : 'colon')) {
      state.problem ||= `unexpected ${char} after ${before}`
    }
    state.comma = char === ','
    state.expect = char === ',' && open.at(-1) === '}' ? 'key' : 'value'
    return 'on'
  }
  if (open.pop() !== char || expect === 'colon' || (expect === 'value' && !comma)) {
    state.problem ||= `unexpected ${char} after ${before}`
    return 'stop'
  }
  if (comma) state.slips.add('trailing commas')
  state.comma = false
  state.expect = open.length > 0 ? 'next' : 'end'
  return 'on'
}

function value(part: string, char: string, state: State): Step {
  const { open, slips } = state
  const key = state.expect === 'key'
  state.comma = false
  state.expect = key ? 'colon' : open.length > 0 ? 'next' : 'end'
  if (char === '"' || char === "'") return quoted(part, char, state)
  state.rewritten += part
  const shown = JSON.stringify(part.slice(0, 40))
  if (char === '{' || char === '[') {
    if (key) state.problem ||= `unexpected ${char} where a name belongs`
    open.push(char === '{' ? '}' : ']')
    state.expect = char === '{' ? 'key' : 'item'
  } else if (key) {
    if (/^[A-Za-z_$][\w$]*$/.test(part)) slips.add('unquoted names')
    else state.problem ||= `${shown} where a name in quotes belongs`
  } else if (notFinite.test(part)) state.infinite = true
  else if (python.has(part)) slips.add('Python literals')
  else if (!literal.test(part)) state.problem ||= `${shown} is no JSON value`
  return 'on'
}

function quoted(part: string, quote: string, state: State): Step {
  const inner = part.slice(1, -1)
  // An escaped quote ends nothing.
  const ends = part.length > 1 && part.endsWith(quote) && !/(?<!\\)(?:\\\\)*\\$/.test(inner)
  if (!ends) return 'cut'
  if (badEscape.test(inner.replaceAll('\\\\', ''))) {
    state.problem ||= `there is a wrong escape in ${JSON.stringify(part.slice(0, 40))}`
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: raw control characters are the slip
  if (/[\u0000-\u001f]/.test(inner)) state.slips.add('raw newlines')
  if (quote === '"') {
    if (inner.includes("\\'")) state.slips.add('escaped apostrophes')
    state.rewritten += part
  } else {
    state.slips.add('single quotes')
    const escaped = inner.replace(/\\[\s\S]|'/g, (found) => (found === "'" ? "\\'" : found))
    state.rewritten += `'${escaped}'`
  }
  return 'on'
}
