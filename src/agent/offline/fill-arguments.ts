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

export function fillArguments(schema: JsonSchema, toolName: string, text: string): Filled {
  const words = readWords(text, toolName)
  return fillObject(schema, words)
}

function fillObject(schema: JsonSchema, words: Words): Filled {
  const properties = Object.entries(Object(schema.properties)) as [string, JsonSchema][]
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const args: JsonObject = {}
  const missing: { name: string; description: string }[] = []
  const inOrder = [...properties].sort(
    ([a], [b]) => Number(required.has(b)) - Number(required.has(a)),
  )
  for (const [name, property] of inOrder) {
    const value = valueFor(name, property, words, required.has(name))
    if (value !== undefined) args[name] = value
    else if (required.has(name)) {
      missing.push({ name, description: String(property.description ?? '') })
    }
  }
  return { args, missing }
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
      return said === 'true' || said === 'yes'
        ? true
        : said === 'false' || said === 'no'
          ? false
          : undefined
    case 'array':
      return required ? listFor(name, Object(schema.items) as JsonSchema, words) : undefined
    default:
      return undefined
  }
}

/** Every value of the kind that the text holds; at least one. */
function listFor(name: string, items: JsonSchema, words: Words): Json | undefined {
  const values: Json[] = []
  for (;;) {
    const value =
      items.type === 'object'
        ? objectFor(items, words)
        : valueFor(
            name,
            items,
            words,
            values.length === 0 || items.type !== 'string' || words.quoted.length > 0,
          )
    if (value === undefined) return values.length > 0 ? values : undefined
    values.push(value)
  }
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
  let rest = text.trim().replace(/[?!.]+$/, '')
  const name = new RegExp(`^${pattern(toolName).replace(/_/g, '[_ ]')}(?!\\w)[\\s:,]*`, 'i')
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(asking, '').replace(name, '')
  }
  return { text, quoted, links, paths, numbers, rest: rest.trim() }
}
