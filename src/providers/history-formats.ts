/**
 * Calls and results of a history, in each provider's shape.
 * @module
 */
import type { JsonObject } from '../round.ts'
import { callInput } from './call-input.ts'
import type { BlockFormat } from './history-blocks.ts'
import type { ItemFormat } from './history-items.ts'
import { interruptedText } from './history-match.ts'
import { isObject, objects, textOf } from './provider.ts'
import { said } from './stream-calls.ts'
import { wireNames } from './wire-names.ts'

/** Every result follows the message with its call, before anything else. */
export const chatHistory: ItemFormat = {
  callsOf: ({ role, tool_calls: calls }) =>
    role !== 'assistant'
      ? []
      : objects(calls).map(({ id, function: inner }) => ({
          id: said(id),
          name: (isObject(inner) && textOf(inner.name)) || '',
        })),
  answerOf: ({ role, tool_call_id: id }) => (role === 'tool' ? { id: said(id) } : undefined),
  together: () => false,
  withCalls(message, slots) {
    const calls = objects(message.tool_calls)
    if (calls.every(({ id }, at) => id === slots[at]?.id)) return message
    return {
      ...message,
      tool_calls: calls.map((call, at) => ({ ...call, id: slots[at]?.id ?? '' })),
    }
  },
  withAnswer: ({ id = '', block }) =>
    block
      ? under(block, 'tool_call_id', id)
      : { role: 'tool', tool_call_id: id, content: interruptedText },
}

/** Items of one answer stay together: a reasoning item belongs to the call behind it. */
export const responsesHistory: ItemFormat = {
  callsOf: ({ type, call_id: id, name }) =>
    type === 'function_call' ? [{ id: said(id), name: textOf(name) ?? '' }] : [],
  answerOf: ({ type, call_id: id }) =>
    type === 'function_call_output' ? { id: said(id) } : undefined,
  together: (between) => between.every(({ type }) => type === 'reasoning'),
  withCalls: (item, [slot]) => under(item, 'call_id', slot?.id ?? ''),
  withAnswer: ({ id = '', block }) =>
    block
      ? under(block, 'call_id', id)
      : { type: 'function_call_output', call_id: id, output: interruptedText },
}

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use: results first, in the next message. */
export const anthropicHistory: BlockFormat = {
  content: 'content',
  assistant: 'assistant',
  results: 'user',
  merges: true,
  unique: 'history',
  textBlock: (text) => ({ type: 'text', text }),
  callOf: ({ type, id, name }) =>
    type === 'tool_use' ? { id: said(id), name: textOf(name) ?? '' } : undefined,
  answerOf: ({ type, tool_use_id: id }) => (type === 'tool_result' ? { id: said(id) } : undefined),
  withCall: (block, { id = '' }) => under(block, 'id', id),
  withAnswer: ({ id = '', block }) =>
    block
      ? under(block, 'tool_use_id', id)
      : { type: 'tool_result', tool_use_id: id, content: interruptedText, is_error: true },
}

/** As many responses as calls, in a content of their own; every other part of a call (thought signature) stays. */
export const geminiHistory: BlockFormat = {
  content: 'parts',
  assistant: 'model',
  results: 'user',
  merges: false,
  unique: 'none',
  textBlock: (text) => ({ text }),
  callOf: ({ functionCall: call }) =>
    isObject(call) ? { id: said(call.id), name: textOf(call.name) ?? '' } : undefined,
  answerOf: ({ functionResponse: answer }) =>
    isObject(answer) ? { id: said(answer.id), name: textOf(answer.name) } : undefined,
  withCall: (block) => block,
  withAnswer({ id, name, block }) {
    const given = isObject(block?.functionResponse) ? block.functionResponse : {}
    const { id: _, response, ...rest } = given
    const missing = block ? { output: response ?? '' } : { error: interruptedText }
    const answer = { ...rest, name, response: isObject(response) ? response : missing }
    return { ...block, functionResponse: id === undefined ? answer : { id, ...answer } }
  },
}

export const bedrockHistory: BlockFormat = {
  content: 'content',
  assistant: 'assistant',
  results: 'user',
  merges: true,
  unique: 'history',
  textBlock: (text) => ({ text }),
  callOf: ({ toolUse: call }) =>
    isObject(call) ? { id: said(call.toolUseId), name: textOf(call.name) ?? '' } : undefined,
  answerOf: ({ toolResult: answer }) =>
    isObject(answer) ? { id: said(answer.toolUseId) } : undefined,
  withCall(block, { id = '', name }) {
    const call = isObject(block.toolUse) ? block.toolUse : {}
    const input = callInput(call.input)
    // The form that a tool list gives the name; a legal one stays.
    const wire = wireNames([name]).toWire(name)
    if (call.toolUseId === id && call.name === wire && call.input === input) return block
    return { ...block, toolUse: { ...call, toolUseId: id, name: wire, input } }
  },
  withAnswer({ id = '', block }) {
    const given = isObject(block?.toolResult) ? block.toolResult : undefined
    const lost = { content: [{ text: interruptedText }], status: 'error' }
    return { ...block, toolResult: { ...(given ?? lost), toolUseId: id } }
  },
}

/** Of the AI SDK's messages. What a provider ran itself lies in the assistant's message, result and all. */
export const aiSdkHistory: BlockFormat = {
  content: 'content',
  assistant: 'assistant',
  results: 'tool',
  merges: false,
  unique: 'history',
  textBlock: (text) => ({ type: 'text', text }),
  callOf: ({ type, toolCallId: id, toolName, providerExecuted }) =>
    type === 'tool-call' && providerExecuted !== true
      ? { id: said(id), name: textOf(toolName) ?? '' }
      : undefined,
  answerOf: ({ type, toolCallId: id }) => (type === 'tool-result' ? { id: said(id) } : undefined),
  withCall(block, { id = '' }) {
    const input = callInput(block.input)
    if (block.toolCallId === id && block.input === input) return block
    return { ...block, toolCallId: id, input }
  },
  withAnswer: ({ id = '', name, block }) =>
    block
      ? under(block, 'toolCallId', id)
      : {
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          output: { type: 'error-text', value: interruptedText },
        },
}

function under(block: JsonObject, key: string, id: string): JsonObject {
  return block[key] === id ? block : { ...block, [key]: id }
}
