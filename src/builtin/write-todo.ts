/**
 * write_todo: the checklist of a session.
 * @module
 */
import type { Json } from '../round.ts'
import { memoryRecords, type RecordStore } from '../run-state/records.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'

/** One step of the list. */
export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  /** How the step reads while it is under way ("Running tests"). */
  readonly active_form?: string
}

export interface WriteTodoOptions {
  /** Where the lists are, by session; default: in memory, those of the 1,000 sessions that wrote last. */
  readonly records?: RecordStore<readonly Todo[]>
  readonly clock?: () => number
}

/** write_todo, and the lists that it keeps. */
export type WriteTodoTool = Tool<{ todos: Todo[] }> & {
  readonly todosOf: (sessionId: string) => Promise<readonly Todo[]>
}

const keepMs = 30 * 86_400_000
const mostSessions = 1_000

/**
 * Makes write_todo. It replaces the whole list, asks nobody, and answers with a one-line summary; the new
 * list goes out as `todo_update`.
 */
export function writeTodoTool({
  records = memoryRecords(mostSessions),
  clock = Date.now,
}: WriteTodoOptions = {}): WriteTodoTool {
  return {
    name: 'write_todo',
    description:
      'Writes the checklist of this session: give all steps each time, the list is replaced. At most one step is in_progress. Use it for work of three steps or more.',
    inputSchema,
    concurrent: true,
    confirm: false,
    idempotent: true,
    reads: () => [],
    writes: () => ['todo:'],
    todosOf: async (sessionId) => (await records.load(sessionId)) ?? [],
    async execute({ todos }, { sessionId }) {
      check(todos)
      const now = clock()
      await records.save(sessionId, todos, { now, forgetAt: now + keepMs })
      return {
        content: [{ type: 'text', text: summary(todos) }],
        structuredContent: { todos: todos as unknown as Json },
      }
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'All steps, in order.',
      items: {
        type: 'object',
        properties: {
          content: { type: 'string', minLength: 1, maxLength: 500, description: 'What to do.' },
          status: { enum: ['pending', 'in_progress', 'completed'] },
          active_form: {
            type: 'string',
            maxLength: 500,
            description: 'The step while it is under way, such as "Running the tests".',
          },
        },
        required: ['content', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
}

function check(todos: readonly Todo[]): void {
  const blank = todos.findIndex(({ content }) => content.trim() === '')
  if (blank !== -1) throw new Error(`step ${blank + 1} has no content`)
  if (count(todos, 'in_progress') > 1) throw new Error('at most one step can be in_progress')
}

function count(todos: readonly Todo[], status: Todo['status']): number {
  return todos.filter((todo) => todo.status === status).length
}

function summary(todos: readonly Todo[]): string {
  const steps = `${todos.length} ${todos.length === 1 ? 'step' : 'steps'}`
  const done = count(todos, 'completed')
  return `checklist saved: ${steps} (${done} done, ${count(todos, 'in_progress')} in progress, ${count(todos, 'pending')} pending)`
}
