/**
 * What a person wrote, as stages of clauses: the clauses of a stage become one round.
 * @module
 */
import type { Json, JsonObject } from '../../round.ts'

export type Clause =
  /** A tool by its name, with arguments as they were written. */
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject | string }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'help' }
  /** Anything else: a tool is looked for. */
  | { readonly kind: 'plain'; readonly text: string }

export type Stage = readonly Clause[]

/** Line breaks and `;` part the clauses of a stage, `then` parts stages; neither inside quotes and brackets. */
export function parseRequest(text: string): Stage[] {
  const stages: Clause[][] = [[]]
  for (const piece of pieces(text)) {
    const [, then, rest = ''] = /^(then\b[\s,:]*)?(.*)$/is.exec(piece.trim()) ?? []
    if (then && stages.at(-1)?.length) stages.push([])
    const commands = rest.split(/\sthen\s(?=\s{0,9}(?:\/\w|call\s|say\s|search\s))/i)
    for (const [index, each] of commands.entries()) {
      if (index > 0) stages.push([])
      const clause = readClause(each.trim())
      if (clause) stages.at(-1)?.push(clause)
    }
  }
  return stages.filter((stage) => stage.length > 0)
}

function readClause(text: string): Clause | undefined {
  if (text === '') return undefined
  const [, name, args = ''] =
    /^(?:\/|call\s+(?:the\s+)?(?:tool\s+)?)([^\s{]+)\s*([\s\S]*)$/i.exec(text) ?? []
  const word = name?.toLowerCase()
  if (/^\/?(help|\?)[.!?]?$|^\/(say|search)$/i.test(text)) return { kind: 'help' }
  if (text.startsWith('/') && (word === 'say' || word === 'search')) return spoken(word, args)
  if (name !== undefined) return { kind: 'call', name, args: readArguments(args.trim()) }
  const [, verb, rest = ''] = /^(say|search tools(?: for)?)\b[\s:]*([\s\S]*)$/i.exec(text) ?? []
  if (verb && rest) return spoken(verb.toLowerCase() === 'say' ? 'say' : 'search', rest)
  return { kind: 'plain', text }
}

function spoken(verb: 'say' | 'search', rest: string): Clause {
  return verb === 'say' ? { kind: 'say', text: rest } : { kind: 'search', query: rest }
}

/** `{ JSON }`, or `key=value` pairs; what is neither stays text. */
function readArguments(text: string): JsonObject | string {
  if (text === '') return {}
  if (text.startsWith('{')) return parsedObject(text) ?? text
  const pairs: [string, Json][] = []
  pair.lastIndex = 0
  while (pair.lastIndex < text.length) {
    const [, key = '', value = ''] = pair.exec(text) ?? []
    if (key === '') return text
    pairs.push([key, parsedValue(value)])
  }
  return Object.fromEntries(pairs)
}

/** One pair, where the last one ended. Every repetition is bounded or cannot be read in two ways. */
const pair =
  /([\w.-]{1,128})=("(?:[^"\\]|\\.)*"|\[[^\n]{0,9999}?\](?=\s|$)|\{[^\n]{0,9999}?\}(?=\s|$)|\S+)(?:\s+|$)/y

export function parsedValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function parsedObject(text: string): JsonObject | undefined {
  const value = parsedValue(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** Splits at line breaks and `;` that are outside of double quotes and brackets. */
function pieces(text: string): string[] {
  const found: string[] = []
  let from = 0
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (quoted && char === '\\') at += 1
    else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '{' || char === '[')) depth += 1
    else if (!quoted && (char === '}' || char === ']')) depth = Math.max(0, depth - 1)
    else if (!quoted && depth === 0 && (char === ';' || char === '\n')) {
      found.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...found, text.slice(from)]
}
