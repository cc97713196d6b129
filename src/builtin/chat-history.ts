/**
 * chat_history: what earlier runs of this session were about.
 * @module
 */
import type { HistoryDocument, HistoryStore } from '../history/history.ts'
import type { Json, JsonObject } from '../round.ts'
import type { RunStore } from '../run-state/store.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { searchedFor } from './keyword.ts'
import { type TaskRecord, taskCollection } from './task-log.ts'
import { headOf } from './web.ts'

interface ChatHistoryArgs {
  readonly mode?: 'list' | 'read' | 'search'
  readonly task_id?: string
  readonly keyword?: string
  readonly time_range?: '1d' | '7d' | '1m' | '1y'
  readonly limit?: number
}

export interface ChatHistoryOptions {
  /** What `taskLog` writes. */
  readonly history: HistoryStore
  /** The dispatcher's own. */
  readonly store: RunStore
  readonly clock?: () => number
}

const dayMs = 86_400_000
const ranges = { '1d': dayMs, '7d': 7 * dayMs, '1m': 30 * dayMs, '1y': 365 * dayMs }
const mostRounds = 100
const mostCallBytes = 4_096
const mostBytes = 49_152

/** Makes chat_history. It shows the session's own runs and never the one that it is called in. */
export function chatHistoryTool(options: ChatHistoryOptions): Tool<ChatHistoryArgs> {
  return {
    name: 'chat_history',
    description:
      'Looks into earlier tasks of this session. list: the newest, with what was asked and which tools were used. search: by words. read: one task whole, its calls and results.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    // What it reads grows with every round.
    dedupe: false,
    reads: () => [],
    async execute(args, { sessionId, runId }) {
      const { mode = modeOf(args) } = args
      if (mode === 'read') return read(args, sessionId, options)
      const { history, clock = Date.now } = options
      const { limit = 10, time_range: range, keyword } = args
      const since = range ? clock() - ranges[range] : 0
      const collection = taskCollection(sessionId)
      // One more: the run of this very call may be among them.
      const query = { limit: limit + 1, since }
      const found =
        mode === 'search'
          ? await history.search(collection, searchedFor(keyword), query)
          : await history.list(collection, query)
      const others = found.filter(({ id }) => id !== runId).slice(0, limit)
      if (others.length > 0) return others.map(listed)
      return mode === 'search' ? `no task matches: ${keyword}` : 'no earlier tasks in this session'
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    mode: {
      enum: ['list', 'read', 'search'],
      description: 'Default: read with a task_id, search with a keyword, else list.',
    },
    task_id: { type: 'string', minLength: 1, maxLength: 512, description: 'read: from a list.' },
    keyword: { type: 'string', minLength: 1, maxLength: 400, description: 'search: words.' },
    time_range: { enum: ['1d', '7d', '1m', '1y'], description: 'Only tasks of that time.' },
    limit: { type: 'integer', minimum: 1, maximum: 32, default: 10, description: 'Most tasks.' },
  },
  additionalProperties: false,
}

function modeOf({ task_id, keyword }: ChatHistoryArgs): 'list' | 'read' | 'search' {
  if (task_id !== undefined) return 'read'
  return keyword === undefined ? 'list' : 'search'
}

function listed({ id, at, data }: HistoryDocument): JsonObject {
  const { objective, answer, did } = data as unknown as TaskRecord
  return {
    task_id: id,
    at: new Date(at).toISOString(),
    objective: headOf(objective ?? '(no message)', 300),
    did: [...did],
    ...(answer !== undefined && { answer: headOf(answer, 300) }),
  }
}

async function read(
  { task_id: id = '' }: ChatHistoryArgs,
  sessionId: string,
  { history, store }: ChatHistoryOptions,
): Promise<Json> {
  if (!id) throw new Error('mode read needs a task_id of a list')
  const task = await history.get(taskCollection(sessionId), id)
  if (!task) throw new Error(`no task with the id ${id} in this session`)
  const { objective, answer } = task.data as unknown as TaskRecord
  const rounds = await store.listRounds(id, 0, mostRounds)
  const calls = rounds.flatMap(({ history: entries }) =>
    entries.map(({ name, arguments: args, content }) => {
      const asked = headOf(JSON.stringify(args), mostCallBytes)
      return `## ${name}\n${asked}\n${headOf(content, mostCallBytes)}`
    }),
  )
  const parts = [
    `# ${objective ?? '(no message)'}\n${new Date(task.at).toISOString()}`,
    ...calls,
    ...(answer ? [`## Answer\n${answer}`] : []),
  ]
  return headOf(parts.join('\n\n'), mostBytes)
}
