/**
 * The search index, in a file of its own because it is loaded with the first search: a run that never
 * searches does not pay for MiniSearch, the stemmer and these words. Every number was measured with
 * bench/find-tools.ts: tuned on one half of the queries, checked on the other.
 * @module
 */
import MiniSearch from 'minisearch'
import { stemmer } from 'stemmer'
import type { RegisteredTool } from '../tools/registry.ts'
import type { JsonSchema } from '../tools/tool.ts'
import { identifierParts } from './identifier-parts.ts'

/** Words of a query that are looked at: a whole document as query must not stall the run. */
const mostQueryWords = 64
/** How deep a schema is read: deeper names say little about what the tool is for. */
const deepestSchema = 5

/** What a name, a description and the rest weigh against one another. */
const boost = { title: 1.5, description: 1, parameters: 0.6, details: 0.3, choices: 0.3 }
/** An equal stem against the word itself: `listing` finds `list`, but `listing` first. */
const stemWeight = 0.8
/** Short fields count for more (`b`), a repeated word for a little more (`k`). */
const bm25 = { k: 1.6, b: 0.8, d: 0 }
/** Words that say nothing of what a tool does; common verbs such as get and list stay. */
const stopWords = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from had has
  have he her his how i if im in into is it its just like may me might my need no not of on or our
  out please s shall she should so some t than that the their them then there these they this those
  to up us want was we were what when where which who will with would you your`.split(/\s+/),
)

export interface ToolIndex {
  /** Makes these the tools that are searched: what is new is added, what is gone is taken out. */
  readonly update: (tools: readonly RegisteredTool[]) => void
  /** Names, best first. */
  readonly search: (query: string) => string[]
}

/** An index of names, descriptions, and what the schemas say of their parameters. */
export function createToolIndex(): ToolIndex {
  /** Every word of the tools, with its stem beside it. */
  const terms = new Map<string, string[]>()
  const termsOf = (word: string): string[] => {
    const lower = word.toLowerCase()
    return terms.get(lower) ?? [lower, stemMark + stemmer(lower)]
  }
  const index = new MiniSearch({
    idField: 'name',
    fields: Object.keys(boost),
    // The parameters' descriptions repeat themselves: once a word is enough.
    tokenize: (text, field) => (field === 'details' ? [...new Set(words(text))] : words(text)),
    processTerm: (word, field) => {
      const lower = word.toLowerCase()
      // A tool may be called `who`; elsewhere such words would only fill the index.
      if (field !== 'title' && stopWords.has(lower)) return null
      const found = termsOf(word)
      terms.set(lower, found)
      // Long texts are most of the index: their stems alone find nearly as well for half the cost.
      return field === 'details' ? found.slice(1) : found
    },
  })
  let indexed = new Map<string, RegisteredTool>()
  const searching = {
    boost,
    bm25,
    processTerm: termsOf,
    boostTerm: (term: string) => (isStem(term) ? stemWeight : 1),
    prefix: (term: string) => term.length > 3 && !isStem(term),
    // Only a word that no tool knows is taken for a slip of the pen.
    fuzzy: (term: string) => (term.length > 4 && !isStem(term) && !terms.has(term) ? 0.2 : false),
    weights: { prefix: 0.4, fuzzy: 0.3 },
  }
  return {
    update(tools) {
      const now = new Map(tools.map((tool) => [tool.name, tool]))
      // Not `discard`: until its words are met again, MiniSearch counts them as if they were there.
      for (const tool of indexed.values()) {
        if (now.get(tool.name) !== tool) index.remove(documentOf(tool))
      }
      index.addAll(tools.filter((tool) => indexed.get(tool.name) !== tool).map(documentOf))
      indexed = now
    },
    search: (query) =>
      index
        .search(queryWords(query).join(' '), searching)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .map((hit) => String(hit.id)),
  }
}

/** Keeps a stem apart from the word that is spelled like it; no word begins with it. */
const stemMark = '~'

function isStem(term: string): boolean {
  return term.startsWith(stemMark)
}

/** What to look for: each word once, without stop words and numbers unless nothing else is there. */
function queryWords(query: string): string[] {
  const all = [...new Set(words(query).map((word) => word.toLowerCase()))]
  const telling = all.filter((word) => !stopWords.has(word) && !/^\d+$/.test(word))
  return (telling.length > 0 ? telling : all).slice(0, mostQueryWords)
}

function documentOf({ name, tool, inputSchema }: RegisteredTool): Record<string, string> {
  const said: Said = { parameters: [], details: [], choices: [] }
  readSchema(inputSchema, said, 0)
  return {
    name,
    title: name,
    description: tool.description ?? '',
    parameters: said.parameters.join(' '),
    details: said.details.join(' '),
    choices: said.choices.join(' '),
  }
}

/** What a schema says in words: names, descriptions and enum members of the parameters. */
interface Said {
  readonly parameters: string[]
  readonly details: string[]
  readonly choices: string[]
}

function readSchema(schema: unknown, said: Said, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > deepestSchema) return
  const { properties, items, anyOf, oneOf, allOf } = schema as JsonSchema
  for (const [name, property] of Object.entries(Object(properties))) {
    said.parameters.push(name)
    const { description, enum: choices } = Object(property) as JsonSchema
    if (typeof description === 'string') said.details.push(description)
    if (Array.isArray(choices)) said.choices.push(choices.filter(isText).join(' '))
    readSchema(property, said, depth + 1)
  }
  for (const part of [items, anyOf, oneOf, allOf].flat()) readSchema(part, said, depth + 1)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Splits identifiers (`get_userName`, `HTTPRequest`) as well as prose. */
export function words(text: string): string[] {
  const found: string[] = []
  for (const [run] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    // Most runs are one word; only an inner capital can divide one.
    if (!/.\p{Lu}/u.test(run)) found.push(run)
    else found.push(...identifierParts(run))
  }
  return found
}
