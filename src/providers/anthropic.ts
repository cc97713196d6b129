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
    // Text alone is an Anthropic message too, but so it is of others: only its stop reason tells.
    if (own.length === 0 && typeof value.stop_reason !== 'string') return undefined
    const calls = own.map((block) => callOf(block.id, block.name, block.input))
    return readOf(calls, value.stop_reason)
  },
  writeResults(results) {
    return [{ role: 'user', content: results.map(blockOf) }]
  },
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
    ...(!isAnswer(result.outcome) && { is_error: true }),
  }
}
