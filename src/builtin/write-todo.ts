/**
 * write_todo: the checklist of a session.
 * @module
 */
import { positiveInteger } from '../option.ts'
import type { Json } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'

/** One step of the list. */
export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  /** How the step reads while it is under way ("Running tests"). */
  readonly active_form?: string
}

export interface WriteTodoOptions {
  /** Sessions whose list is kept; the one not written for longest goes first. Default 1,000. */
  readonly maxSessions?: number
  /** Called with each new list. */
  readonly onChange?: (sessionId: string, todos: readonly Todo[]) => void
}

/** write_todo, and the lists that it keeps. */
export type WriteTodoTool = Tool<{ todos: Todo[] }> & {
  readonly todosOf: (sessionId: string) => readonly Todo[]
}

/** Makes write_todo. It replaces the whole list, asks nobody, and answers with a one-line summary. */
export function writeTodoTool(options: WriteTodoOptions = {}): WriteTodoTool {
  const maxSessions = positiveInteger('maxSessions', options.maxSessions ?? 1_000)
  const lists = new Map<string, readonly Todo[]>()
  return {
    name: 'write_todo',
    description:
      'Writes the checklist of this session: give all steps each time, the list is replaced. At most one step is in_progress. Use it for work of three steps or more.',
    inputSchema,
    concurrent: true,
    confirm: false,
    reads: () => [],
    writes: () => ['todo:'],
    todosOf: (sessionId) => lists.get(sessionId) ?? [],
    execute({ todos }, { sessionId }) {
      check(todos)
      lists.delete(sessionId)
      lists.set(sessionId, todos)
      const [oldest] = lists.keys()
      if (lists.size > maxSessions && oldest !== undefined) lists.delete(oldest)
      options.onChange?.(sessionId, todos)
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
