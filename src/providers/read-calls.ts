/**
 * Calls out of any message: recognises the provider by its shape.
 * @module
 */
import { DispatchError } from '../errors.ts'
import type { Json, JsonObject } from '../round.ts'
import { anthropic } from './anthropic.ts'
import { bedrock } from './bedrock.ts'
import { gemini } from './gemini.ts'
import { openAIChat, openAIResponses } from './openai.ts'
import { callOf, isObject, objects, type ProviderFormat, type ReadCalls } from './provider.ts'

export type ProviderName =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'threepass'

/** Formats in the order they are tried: a more telling shape first. */
const formats: readonly ProviderFormat[] = [openAIChat, openAIResponses, bedrock, anthropic, gemini]

/**
 * The calls of a raw assistant message or whole response of OpenAI (Chat Completions, Responses),
 * Anthropic, Gemini or Bedrock (Converse), of a list of calls, or of one call alone.
 * Throws `THREEPASS_BAD_ROUND` with what was found and what is accepted.
 */
export function readCalls(message: unknown): ReadCalls & { readonly provider: ProviderName } {
  const value = message as Json
  const listed = Array.isArray(value) ? readList(value) : undefined
  if (listed) return listed
  if (isObject(value)) {
    for (const format of formats) {
      const read = format.readCalls(value)
      if (read) return { ...read, provider: format.name as ProviderName }
    }
    if (isObject(value.function)) return readCalls([value])
    if (Array.isArray(value.calls))
      return { calls: objects(value.calls).map(plainCall), provider: 'threepass' }
    if (typeof value.name === 'string') return { calls: [plainCall(value)], provider: 'threepass' }
  }
  throw new DispatchError(
    'THREEPASS_BAD_ROUND',
    `No tool calls found in ${described(value)}. Give a list of calls [{ "id", "name", "arguments" }], or a raw assistant message of OpenAI (tool_calls, or output items), Anthropic (content with tool_use), Gemini (parts with functionCall) or Bedrock (content with toolUse).`,
  )
}

function readList(items: readonly Json[]): ReturnType<typeof readCalls> | undefined {
  const [first] = items
  if (items.length === 0) return { calls: [], provider: 'threepass' }
  if (!isObject(first)) return undefined
  if (
    first.type === 'tool_use' ||
    items.some((item) => isObject(item) && item.type === 'tool_use')
  ) {
    return {
      calls: anthropic.readCalls({ content: [...items] })?.calls ?? [],
      provider: 'anthropic',
    }
  }
  if (items.some((item) => isObject(item) && item.type === 'function_call')) {
    const calls = openAIResponses.readCalls({ output: [...items] })?.calls ?? []
    return { calls, provider: 'openai-responses' }
  }
  if (items.some((item) => isObject(item) && isObject(item.functionCall))) {
    const calls = gemini.readCalls({ parts: [...items] })?.calls ?? []
    return { calls, provider: 'gemini' }
  }
  if (items.some((item) => isObject(item) && isObject(item.toolUse))) {
    const calls = bedrock.readCalls({ content: [...items] })?.calls ?? []
    return { calls, provider: 'bedrock' }
  }
  if (isObject(first.function)) {
    const calls = openAIChat.readCalls({ tool_calls: [...items] })?.calls ?? []
    return { calls, provider: 'openai-chat' }
  }
  if (!items.every((item) => isObject(item) && typeof item.name === 'string')) return undefined
  return { calls: objects([...items]).map(plainCall), provider: 'threepass' }
}

function plainCall(call: JsonObject): ReadCalls['calls'][number] {
  return callOf(call.id, call.name, call.arguments ?? call.args ?? call.input)
}

function described(value: Json | undefined): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isObject(value))
    return `an object with ${Object.keys(value).slice(0, 8).join(', ') || 'nothing in it'}`
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60)
}
