/**
 * error_history: what went wrong before and what helped, and hints from it under calls that fail.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import type { Failure } from '../execute/hints.ts'
import type { HistoryStore } from '../history/history.ts'
import { terms } from '../history/terms.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { hasWord, searchedFor, withWord } from './keyword.ts'

interface ErrorRecord {
  readonly tool_name: string
  readonly keywords: readonly string[]
  readonly symptom: string
  readonly cause?: string
  readonly action: string
  readonly outcome: 'resolved' | 'failed' | 'abandoned'
}

interface ErrorHistoryArgs extends Partial<ErrorRecord> {
  readonly mode?: 'search' | 'read' | 'write'
  readonly keyword?: string
  readonly limit?: number
  readonly hash?: string
}

export interface ErrorHistoryOptions {
  /** Shared by all whom it is given to: one store a user, or a team that may read of each other's errors. */
  readonly history: HistoryStore
  readonly clock?: () => number
}

/** Older ones are not found any more. */
const keepMs = 90 * 86_400_000
const collection = 'error'

/** Makes error_history. It asks nobody: what it writes is notes. */
export function errorHistoryTool({
  history,
  clock = Date.now,
}: ErrorHistoryOptions): Tool<ErrorHistoryArgs> {
  return {
    name: 'error_history',
    description:
      'Remembers errors and what helped. write: after you have got over an error, or given up, note its symptom, cause and what you did. search: by words, before you try something that may fail as it did before. read: one record by its hash.',
    inputSchema,
    concurrent: true,
    confirm: false,
    dedupe: false,
    reads: (args) => (isWrite(args) ? [] : ['errors:']),
    writes: (args) => (isWrite(args) ? ['errors:'] : []),
    async execute(args) {
      const { mode = modeOf(args) } = args
      if (mode === 'write') return write(args, history, clock())
      if (mode === 'read') return read(args, history)
      const { tool_name: tool, limit = 4 } = args
      const keyword = searchedFor(args.keyword)
      const options = { limit: tool === undefined ? limit : 64, since: clock() - keepMs }
      const found = await history.search(collection, keyword, options)
      const fitting = found.filter(({ data }) => tool === undefined || data.tool_name === tool)
      if (fitting.length === 0) return `no remembered error matches: ${keyword}`
      return fitting.slice(0, limit).map(({ id, data }) => ({ hash: id, ...data }))
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: {
      enum: ['search', 'read', 'write'],
      description: 'Default: write with a symptom, read with a hash, else search.',
    },
    keyword: { type: 'string', minLength: 1, maxLength: 400, description: 'search: words.' },
    limit: { type: 'integer', minimum: 1, maximum: 16, default: 4, description: 'search: most.' },
    hash: { type: 'string', minLength: 1, maxLength: 64, description: 'read: from a search.' },
    tool_name: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'write: the tool that failed. search: only its errors.',
    },
    keywords: {
      type: 'array',
      minItems: 1,
      maxItems: 16,
      items: { type: 'string', minLength: 1, maxLength: 100 },
      description: 'write: words of the error by which to know it again.',
    },
    symptom: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description: 'write: what was seen.',
    },
    cause: { type: 'string', maxLength: 2_000, description: 'write: why, if it came out.' },
    action: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description: 'write: what was done.',
    },
    outcome: {
      enum: ['resolved', 'failed', 'abandoned'],
      description: 'write: whether it helped.',
    },
  },
  additionalProperties: false,
}

function modeOf({ symptom, hash }: ErrorHistoryArgs): 'search' | 'read' | 'write' {
  if (symptom !== undefined) return 'write'
  return hash === undefined ? 'search' : 'read'
}

function isWrite(args: JsonObject): boolean {
  return ((args as ErrorHistoryArgs).mode ?? modeOf(args as ErrorHistoryArgs)) === 'write'
}

async function write(
  args: ErrorHistoryArgs,
  history: HistoryStore,
  at: number,
): Promise<JsonObject> {
  const { tool_name, keywords, symptom, cause, action, outcome } = args
  const missing = Object.entries({ tool_name, keywords, symptom, action, outcome })
    .filter(([, value]) => value === undefined)
    .map(([name]) => name)
  if (missing.length > 0) throw new Error(`mode write also needs ${missing.join(', ')}`)
  keywords?.forEach(withWord)
  const data = JSON.parse(
    JSON.stringify({ tool_name, keywords, symptom, cause, action, outcome }),
  ) as JsonObject
  // The same symptom again takes the place of the note before.
  const id = (await sha256(canonicalJson([tool_name ?? '', symptom ?? '']))).slice(0, 16)
  const title = [tool_name, ...(keywords ?? [])].join(' ')
  const text = [symptom, cause, action].filter(Boolean).join('\n')
  await history.put({ collection, id, at, title, text, data })
  return { content: [{ type: 'text', text: `recorded as ${id}` }], structuredContent: { hash: id } }
}

async function read({ hash }: ErrorHistoryArgs, history: HistoryStore): Promise<JsonObject> {
  if (!hash) throw new Error('mode read needs a hash')
  const found = await history.get(collection, hash)
  if (!found) throw new Error(`there is no record ${hash}`)
  return { hash, at: new Date(found.at).toISOString(), ...found.data }
}

/** How many of a record's words a failure must share with it. */
const leastShared = 2
const mostHints = 3
/** Characters of a failure that are looked at: what it is stands at its beginning. */
const mostMessage = 4_000

/**
 * For `createDispatcher({ hints })`: what was noted of errors of the same tool that share words with this
 * one (its first 4,000 characters), as one line under the failed result; nothing when there is none.
 */
export function errorHints({ history, clock = Date.now }: ErrorHistoryOptions) {
  return async ({ tool, message: whole }: Failure): Promise<string | undefined> => {
    const message = whole.slice(0, mostMessage)
    const options = { limit: 32, since: clock() - keepMs }
    const found = await history.search(collection, `${tool} ${message.slice(0, 500)}`, options)
    const words = new Set(terms(message))
    const related = found
      .map(({ data }) => data as unknown as ErrorRecord)
      .filter((record) => record.tool_name === tool && isLike(record, message, words))
      .slice(0, mostHints)
      .map(({ symptom, cause, action, outcome }) => ({
        symptom,
        ...(cause !== undefined && { cause }),
        action,
        outcome,
      }))
    return related.length > 0 ? `related_errors: ${JSON.stringify(related)}` : undefined
  }
}

function isLike(
  { keywords, symptom }: ErrorRecord,
  message: string,
  words: ReadonlySet<string>,
): boolean {
  const lower = message.toLowerCase()
  const isIn = (keyword: string) => hasWord(keyword) && lower.includes(keyword.toLowerCase())
  if (keywords.some(isIn)) return true
  const shared = new Set(terms(symptom).filter((term) => term.length > 2 && words.has(term)))
  return shared.size >= leastShared
}
