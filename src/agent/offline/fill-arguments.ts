/**
 * Arguments out of plain words, for a schema: what the text does not say is asked for, never made up.
 * @module
 */
import type { Json, JsonObject } from '../../round.ts'
import type { JsonSchema } from '../../tools/tool.ts'

export interface Filled {
  readonly args: JsonObject
  /** Required parameters that the text does not give, with their descriptions. */
  readonly missing: readonly { readonly name: string; readonly description: string }[]
}

/** What the text holds, each piece given away once. */
interface Words {
  readonly text: string
  readonly quoted: string[]
  readonly links: string[]
  readonly paths: string[]
  readonly numbers: number[]
  /** The text without what asks for the tool; empty once it is given away. */
  rest: string
}

/** Characters that are looked at: more is a document, not a request. */
const mostCharacters = 10_000

export function fillArguments(schema: JsonSchema, toolName: string, text: string): Filled {
  return fillObject(schema, readWords(text.slice(0, mostCharacters), toolName))
}

function fillObject(schema: JsonSchema, words: Words): Filled {
  const properties = new Map(Object.entries(Object(schema.properties)))
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
  const args: [string, Json][] = []
  const missing: { name: string; description: string }[] = []
  // What is required comes first, also where the schema says no more of it.
  for (const name of new Set([...required, ...properties.keys()])) {
    const property = Object(properties.get(name)) as JsonSchema
    const value = valueFor(name, property, words, required.has(name))
    if (value !== undefined) args.push([name, value])
    else if (required.has(name)) {
      missing.push({ name, description: String(property.description ?? '') })
    }
  }
  return { args: Object.fromEntries(args), missing }
}

function valueFor(
  name: string,
  schema: JsonSchema,
  words: Words,
  required: boolean,
): Json | undefined {
  const said = named(name, words.text)
  if (Array.isArray(schema.enum)) {
    const choice = schema.enum.find((each) => typeof each === 'string' && hasWord(words.text, each))
    return choice as Json | undefined
  }
  switch (schema.type) {
    case 'string':
      return said ?? stringFor(name, schema, words, required)
    case 'number':
    case 'integer': {
      if (said !== undefined && !Number.isNaN(Number(said))) return Number(said)
      return required ? words.numbers.shift() : undefined
    }
    case 'boolean':
      return truth.get(said ?? '')
    case 'array':
      if (said !== undefined) return [said]
      return required ? listFor(name, Object(schema.items) as JsonSchema, words) : undefined
    default:
      return undefined
  }
}

const truth = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
])

/** Every value of the kind that the text holds; at least one. */
function listFor(name: string, items: JsonSchema, words: Words): Json | undefined {
  if (Array.isArray(items.enum)) {
    const chosen = items.enum.filter(
      (each) => typeof each === 'string' && hasWord(words.text, each),
    )
    return chosen.length > 0 ? (chosen as Json[]) : undefined
  }
  const values: Json[] = []
  for (;;) {
    const before = left(words)
    // A whole sentence is one value: what is left of it is no second one.
    const required = values.length === 0 || items.type !== 'string' || words.quoted.length > 0
    const value =
      items.type === 'object' ? objectFor(items, words) : valueFor(name, items, words, required)
    if (value === undefined) return values.length > 0 ? values : undefined
    // What took nothing out of the text would be found for ever.
    if (left(words) === before) return values.length > 0 ? values : [value]
    values.push(value)
  }
}

function left({ quoted, links, paths, numbers, rest }: Words): number {
  return quoted.length + links.length + paths.length + numbers.length + rest.length
}

function objectFor(schema: JsonSchema, words: Words): Json | undefined {
  const { args, missing } = fillObject(schema, words)
  return missing.length === 0 && Object.keys(args).length > 0 ? args : undefined
}

function stringFor(
  name: string,
  { format, description }: JsonSchema,
  words: Words,
  required: boolean,
): string | undefined {
  const about = `${name} ${String(description ?? '')}`
  if (format === 'uri' || /\b(url|uri|link|address)\b/i.test(about)) return words.links.shift()
  if (/\b(path|file)\b/i.test(name.replace(/_/g, ' ')))
    return words.paths.shift() ?? words.quoted.shift()
  if (!required) return undefined
  const quoted = words.quoted.shift()
  if (quoted !== undefined) return quoted
  const { rest } = words
  words.rest = ''
  return rest === '' ? undefined : rest
}

/** `name: value`, `name=value`, `name is value`. */
function named(name: string, text: string): string | undefined {
  const spaced = pattern(name).replace(/_|\\-/g, '[_ -]')
  const found = new RegExp(
    `(?<![\\w])${spaced}\\s*(?:[:=]|\\bis\\b|\\bto\\b)\\s*("[^"]*"|[^\\s,;]+)`,
    'i',
  ).exec(text)
  return found?.[1]?.replace(/^"|"$/g, '').replace(/[.?!]$/, '')
}

/** Not by an expression: `[?!.]+$` is tried anew at each of many dots. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && '?!.'.includes(text[end - 1] ?? ' ')) end -= 1
  return text.slice(0, end)
}

/** A name as it stands, whatever signs it has. */
function pattern(name: string): string {
  return name.replace(/[^\w\s]/g, '\\$&')
}

function hasWord(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .includes(word.toLowerCase())
}

const asking =
  /^(?:please|can you|could you|would you|i want you to|tell me|show me|what(?:'s| is| are)|how much is|calculate|compute|work out|evaluate|search(?: the web)?(?: for)?|look up|find|use|run|ask|wait(?: for)?|remind me(?: to)?)\b[\s:,]*/i

function readWords(text: string, toolName: string): Words {
  const links = [...text.matchAll(/\bhttps?:\/\/[^\s"'<>]+/g)].map(([link]) =>
    link.replace(/[.,;:!?)]+$/, ''),
  )
  const bare = text.replace(/\bhttps?:\/\/[^\s"'<>]+/g, ' ')
  const quoted = [...bare.matchAll(/"([^"]+)"|`([^`]+)`|(?<=\s|^)'([^']+)'(?=\s|[.,!?]|$)/g)].map(
    ([, double, tick, single]) => double ?? tick ?? single ?? '',
  )
  const paths = [
    ...bare.matchAll(
      /(?<=^|[\s"'`(])(\/?(?:[\w.-]+\/)*[\w-]+\.[A-Za-z]\w{0,5}|\/[\w./-]+)(?=$|[\s"'`),;:?!]|\.\s|\.$)/g,
    ),
  ].map(([path]) => path)
  const numbers = [...bare.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g)].map(([number]) =>
    Number(number),
  )
  let rest = withoutEnd(text.trim())
  const name = new RegExp(`^${pattern(toolName).replace(/_/g, '[_ ]')}(?!\\w)[\\s:,]*`, 'i')
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(asking, '').replace(name, '')
  }
  return { text, quoted, links, paths, numbers, rest: rest.trim() }
}
