/**
 * Conversations and answers between the loop and a model that only knows text.
 * @module
 */
import type { LanguageModelV3CallOptions, LanguageModelV3Message } from '@ai-sdk/provider'
import type { Json, JsonObject } from '../round.ts'

/** A message as the Prompt API takes it. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface BrowserAnswer {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: Json }[]
}

function functionsOf({ tools = [], toolChoice }: LanguageModelV3CallOptions) {
  if (toolChoice?.type === 'none') return []
  return tools.flatMap((tool) => (tool.type === 'function' ? [tool] : []))
}

/** What the answer must look like; `undefined` when no tool may be called: then it is free text. */
export function answerSchema(options: LanguageModelV3CallOptions): JsonObject | undefined {
  const names = functionsOf(options).map(({ name }) => name)
  if (names.length === 0) return undefined
  const call = {
    type: 'object',
    properties: { name: { type: 'string', enum: names }, arguments: { type: 'object' } },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }
  return {
    type: 'object',
    properties: { text: { type: 'string' }, calls: { type: 'array', items: call } },
    required: ['text', 'calls'],
    additionalProperties: false,
  }
}

/** The conversation before, and what is asked now. */
export function writePrompts(options: LanguageModelV3CallOptions): {
  before: PromptMessage[]
  input: string
} {
  const tools = functionsOf(options)
  const manual =
    tools.length === 0
      ? ''
      : `Answer with JSON: {"text": what you say, "calls": [{"name", "arguments"}]}. Call tools when they help, several at once where they do not need each other; leave "calls" empty to answer.\nTools:\n${tools
          .map(({ name, description, inputSchema }) =>
            JSON.stringify({ name, description, inputSchema }),
          )
          .join('\n')}`
  const system = options.prompt.flatMap(({ role, content }) => (role === 'system' ? content : []))
  const front = [...system, manual].filter((text) => text !== '').join('\n\n')
  const said = options.prompt.flatMap(messageOf)
  const last = said.pop()
  const before = front === '' ? said : [{ role: 'system' as const, content: front }, ...said]
  return { before, input: last?.content ?? '' }
}

function messageOf(message: LanguageModelV3Message): PromptMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content.map(textOf).join('\n') }]
    case 'assistant': {
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ name: part.toolName, arguments: part.input }] : [],
      )
      const text = message.content.map(textOf).join('')
      return [{ role: 'assistant', content: JSON.stringify({ text, calls }) }]
    }
    case 'tool': {
      const results = message.content.flatMap((part) =>
        part.type === 'tool-result' ? [`${part.toolName}: ${JSON.stringify(part.output)}`] : [],
      )
      return [{ role: 'user', content: `Results of your calls:\n${results.join('\n')}` }]
    }
    default:
      return []
  }
}

function textOf(part: { readonly type: string; readonly text?: string }): string {
  return part.type === 'text' ? (part.text ?? '') : ''
}

/** What is no such JSON is text. */
export function readBrowserAnswer(whole: string): BrowserAnswer {
  try {
    const { text, calls } = JSON.parse(whole) as { text?: unknown; calls?: unknown }
    return {
      text: typeof text === 'string' ? text : '',
      calls: Array.isArray(calls) ? calls.filter(isCall) : [],
    }
  } catch {
    return { text: whole, calls: [] }
  }
}

function isCall(call: unknown): call is BrowserAnswer['calls'][number] {
  return typeof (call as { name?: unknown } | null)?.name === 'string'
}
