/**
 * Reads a call's arguments: a string or an object, as the provider delivered it. Nothing is guessed:
 * what is cut off or broken is refused with a text that tells the model what to do.
 * @module
 */
import { byteLength, wellFormed } from '../execute/text.ts'
import type { JsonObject } from '../round.ts'
import { hasInexactNumber, isPlainJson, type JsonProblem, plainJson } from './json.ts'

/** Arguments as an object, or why there are none. */
export type ReadArguments =
  | {
      readonly kind: 'read'
      readonly args: JsonObject
      /** What was repaired, in a word or two each. */
      readonly repaired: readonly string[]
      /** JSON pointers of texts that were numbers which a double cannot hold. */
      readonly inexact: ReadonlySet<string>
    }
  | {
      readonly kind: 'unreadable'
      readonly code: UnreadableCode
      /** For the model: what is wrong, and what to do. */
      readonly message: string
      /** What came, as text. */
      readonly raw: string
    }

export type UnreadableCode =
  | 'arguments-cut'
  | 'arguments-not-json'
  | 'arguments-not-object'
  | 'arguments-too-large'
  | 'arguments-too-deep'
  | 'arguments-not-finite'

export interface ReadOptions {
  /** The model's output ended by length and this is its last call: only complete JSON is read. */
  readonly cut: boolean
  readonly maxBytes: number
  readonly maxDepth: number
}

/** What is known so far about the text that is being read. */
interface Reading {
  readonly raw: unknown
  readonly options: ReadOptions
  readonly repaired: readonly string[]
}

const none: ReadonlySet<string> = new Set()
/** A JSON text in a JSON text in a JSON text is read, no more. */
const maxEncodings = 3

/** Synchronous for ordinary input; a promise only when a rare library must be loaded. Never throws. */
export function readArguments(
  raw: unknown,
  options: ReadOptions,
): ReadArguments | Promise<ReadArguments> {
  const reading: Reading = { raw, options, repaired: [] }
  if (typeof raw === 'string') {
    // A UTF-16 unit is at least one byte and at most three.
    const { length } = raw
    const large =
      length > options.maxBytes ||
      (length * 3 > options.maxBytes && byteLength(raw) > options.maxBytes)
    return large ? unreadable(reading, 'arguments-too-large') : readText(raw.trim(), reading)
  }
  // An object came through a parser that may have closed it.
  if (options.cut) return unreadable(reading, 'arguments-cut')
  return accept(raw, reading, none)
}

function readText(text: string, reading: Reading): ReadArguments | Promise<ReadArguments> {
  if (text === '')
    return reading.options.cut ? unreadable(reading, 'arguments-cut') : empty(reading)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return reading.options.cut ? unreadable(reading, 'arguments-cut') : repair(text, reading)
  }
  return typeof value === 'string' ? unwrapText(value, reading) : exact(text, value, reading)
}

/** A JSON text whose value is a string: JSON once more, or a plain text. */
function unwrapText(value: string, reading: Reading): ReadArguments | Promise<ReadArguments> {
  const inner = value.trim()
  const encodings = reading.repaired.filter((each) => each === 'double encoding').length
  if (reading.options.cut || encodings >= maxEncodings || !/^[{"']|^```/.test(inner)) {
    return accept(value, reading, none)
  }
  return readText(inner, { ...reading, repaired: [...reading.repaired, 'double encoding'] })
}

function exact(
  text: string,
  value: unknown,
  reading: Reading,
): ReadArguments | Promise<ReadArguments> {
  const read = accept(value, reading, none)
  if (read.kind !== 'read' || !hasInexactNumber(text)) return read
  return import('./repair.ts').then(async ({ parseExact }) => {
    const kept = await parseExact(text)
    return accept(kept.value, reading, kept.inexact)
  })
}

/** Text within a code fence, `undefined` without one; a missing end of the fence proves nothing. */
function unfence(text: string): string | undefined {
  return /^(?:```|~~~)[\w-]*\s+([\s\S]*?)\s*(?:```|~~~)?$/.exec(text)?.[1]
}

function repair(text: string, reading: Reading): ReadArguments | Promise<ReadArguments> {
  const inner = unfence(text)
  if (inner !== undefined) {
    return readText(inner, { ...reading, repaired: [...reading.repaired, 'code fence'] })
  }
  if (!/^[{["']|^\/[/*]/.test(text)) {
    const start = JSON.stringify(text.slice(0, 24))
    const finite = !/^[+-]?(NaN|Infinity)$/.test(text)
    return finite
      ? unreadable(reading, 'arguments-not-json', `they begin with ${start}`)
      : unreadable(reading, 'arguments-not-finite')
  }
  return repairSlips(text, reading)
}

async function repairSlips(text: string, reading: Reading): Promise<ReadArguments> {
  const { repairText } = await import('./repair.ts')
  const done = await repairText(text)
  if (done.kind === 'cut') return unreadable(reading, 'arguments-cut')
  if (done.kind === 'not-finite') return unreadable(reading, 'arguments-not-finite')
  if (done.kind === 'broken') return unreadable(reading, 'arguments-not-json', done.problem)
  let value: unknown
  try {
    value = JSON.parse(done.text)
  } catch (error) {
    return unreadable(reading, 'arguments-not-json', String(error).slice(0, 100))
  }
  const next = { ...reading, repaired: [...reading.repaired, ...done.slips] }
  return typeof value === 'string' ? unwrapText(value, next) : exact(done.text, value, next)
}

function empty(reading: Reading): ReadArguments {
  return { kind: 'read', args: {}, repaired: unique(reading.repaired), inexact: none }
}

function accept(value: unknown, reading: Reading, inexact: ReadonlySet<string>): ReadArguments {
  const { maxBytes, maxDepth } = reading.options
  const measured = typeof reading.raw === 'string'
  const plain =
    measured && isPlainJson(value, maxDepth)
      ? { kind: 'plain' as const, value }
      : plainJson(value, { maxBytes: measured ? Number.POSITIVE_INFINITY : maxBytes, maxDepth })
  if (plain.kind !== 'plain') return unreadable(reading, `arguments-${plain.kind}`, plain.detail)
  const args = plain.value
  if (args === undefined || args === null) {
    return reading.options.cut ? unreadable(reading, 'arguments-cut') : empty(reading)
  }
  if (typeof args !== 'object' || Array.isArray(args)) {
    const kind = Array.isArray(args) ? 'an array' : `a ${typeof args}`
    return unreadable(reading, 'arguments-not-object', kind)
  }
  return { kind: 'read', args, repaired: unique(reading.repaired), inexact }
}

function unique(words: readonly string[]): readonly string[] {
  return words.length > 1 ? [...new Set(words)] : words
}

type Problem = JsonProblem | 'cut' | 'not-object'

function message(problem: Problem, detail: string, { maxBytes, maxDepth }: ReadOptions): string {
  switch (problem) {
    case 'cut':
      return 'the arguments were cut off before their end, so nothing was run. Send less at a time: split the work over several calls, each with complete JSON.'
    case 'not-json':
      return `the arguments are not valid JSON (${detail}). Send one complete JSON object.`
    case 'not-object':
      return `the arguments must be a JSON object, but ${detail} came. Send {"name": value, …}.`
    case 'too-large':
      return `the arguments are larger than ${maxBytes} bytes. Send less at a time.`
    case 'too-deep':
      return `the arguments nest deeper than ${maxDepth} levels. Send a flatter JSON object.`
    case 'not-finite':
      return 'the arguments hold NaN, Infinity or a number too large to hold, which JSON cannot. Send a finite number or null.'
  }
}

function unreadable(reading: Reading, code: UnreadableCode, detail = ''): ReadArguments {
  const problem = code.slice('arguments-'.length) as Problem
  const text = message(problem, detail, reading.options)
  return { kind: 'unreadable', code, message: text, raw: rawText(reading) }
}

function rawText({ raw, options }: Reading): string {
  if (typeof raw === 'string') return wellFormed(raw.slice(0, options.maxBytes))
  try {
    return wellFormed((JSON.stringify(raw) ?? String(raw)).slice(0, options.maxBytes))
  } catch {
    return ''
  }
}
