/**
 * OpenAI: Chat Completions and Responses.
 * @module
 */
import { isAnswer, type JsonObject, type ToolCall, type ToolResult } from '../round.ts'
import { callOf, imageUrls, isObject, objects, type ProviderFormat, readOf } from './provider.ts'
import type { WireMessages } from './wire-messages.ts'

/** `choices[0].message.tool_calls`, or an assistant message alone. Images follow in one user message. */
export const openAIChat: ProviderFormat<WireMessages['openai-chat']> = {
  name: 'openai-chat',
  readCalls(value) {
    const [choice] = isObject(value.message) ? [value] : objects(value.choices)
    const message = choice ? choice.message : value
    if (!isObject(message)) return undefined
    const calls = chatCalls(message)
    if (!calls) return undefined
    return readOf(calls, choice?.finish_reason)
  },
  writeResults(results) {
    const messages: WireMessages['openai-chat'][] = results.map(({ callId, content }) => ({
      role: 'tool',
      tool_call_id: callId,
      content,
    }))
    const images = results.flatMap((result) => imageUrls(result))
    if (images.length > 0) {
      const content = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }))
      messages.push({ role: 'user', content })
    }
    return messages
  },
}

/** `tool_calls`, the older `function_call`, or none beside a text. */
function chatCalls(message: JsonObject): ToolCall[] | undefined {
  if (Array.isArray(message.tool_calls)) {
    return objects(message.tool_calls).map((call) => {
      const inner = isObject(call.function) ? call.function : {}
      return callOf(call.id, inner.name, inner.arguments)
    })
  }
  const { function_call: old } = message
  if (isObject(old)) return [callOf(undefined, old.name, old.arguments)]
  return message.role === 'assistant' && typeof message.content === 'string' ? [] : undefined
}

/** `output` items of type `function_call`; answered by `function_call_output` items. */
export const openAIResponses: ProviderFormat<WireMessages['openai-responses']> = {
  name: 'openai-responses',
  readCalls(value) {
    const items = value.type === 'function_call' ? [value] : objects(value.output)
    const own = items.filter((item) => item.type === 'function_call')
    if (own.length === 0 && !Array.isArray(value.output)) return undefined
    const calls = own.map((item) => callOf(item.call_id, item.name, item.arguments))
    const details = isObject(value.incomplete_details) ? value.incomplete_details : {}
    return readOf(calls, details.reason)
  },
  writeResults(results) {
    return results.map((result) => ({
      type: 'function_call_output',
      call_id: result.callId,
      output: outputOf(result),
    }))
  },
}

function outputOf(result: ToolResult): WireMessages['openai-responses']['output'] {
  const images = isAnswer(result.outcome) ? imageUrls(result) : []
  if (images.length === 0) return result.content
  return [
    { type: 'input_text', text: result.content },
    ...images.map((image_url) => ({ type: 'input_image' as const, image_url })),
  ]
}
