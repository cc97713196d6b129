/**
 * Anthropic Messages: `tool_use` blocks in, one user message of `tool_result` blocks out.
 * @module
 */
import { isAnswer, type JsonObject, type ToolResult } from '../round.ts'
import { callOf, objects, type ProviderFormat, readOf } from './provider.ts'

export const anthropic: ProviderFormat = {
  name: 'anthropic',
  readCalls(value) {
    const blocks = value.type === 'tool_use' ? [value] : objects(value.content)
    const own = blocks.filter((block) => block.type === 'tool_use')
    if (own.length === 0 && !isTextAnswer(value)) return undefined
    const calls = own.map((block) => callOf(block.id, block.name, block.input))
    return readOf(calls, value.stop_reason)
  },
  writeResults(results) {
    return [{ role: 'user', content: results.map(blockOf) }]
  },
}

/** An assistant's answer without a call. */
function isTextAnswer({ role, content, stop_reason: reason }: JsonObject): boolean {
  return typeof reason === 'string' || (role === 'assistant' && Array.isArray(content))
}

/** A schema that is shown instead of running is news for the model, not its error. */
function isError({ outcome }: ToolResult): boolean {
  return !isAnswer(outcome) && outcome !== 'schema'
}

function blockOf(result: ToolResult): JsonObject {
  const images = (result.media ?? []).filter(({ type, data }) => type === 'image' && data)
  const text = { type: 'text', text: result.content }
  const content =
    images.length === 0
      ? result.content
      : [
          text,
          ...images.map(({ mimeType, data }) => ({
            type: 'image',
            source: { type: 'base64', media_type: mimeType, data: data ?? '' },
          })),
        ]
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    content,
    ...(isError(result) && { is_error: true }),
  }
}
