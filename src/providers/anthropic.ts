/**
 * Anthropic Messages: `tool_use` blocks in, one user message of `tool_result` blocks out.
 * @module
 */
import { isAnswer, type JsonObject, type ToolResult } from '../round.ts'
import { callOf, objects, type ProviderFormat, readOf } from './provider.ts'
import type { WireMessages } from './wire-messages.ts'

export const anthropic: ProviderFormat<WireMessages['anthropic']> = {
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

type ResultBlock = WireMessages['anthropic']['content'][number]
type ImageType = (typeof imageTypes)[number]
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

function isImageType(type: string): type is ImageType {
  return imageTypes.some((known) => known === type)
}

function blockOf(result: ToolResult): ResultBlock {
  // An image of another type would make Anthropic refuse the whole request.
  const images = (result.media ?? []).flatMap(({ type, mimeType, data }) =>
    type === 'image' && data && isImageType(mimeType)
      ? [{ type: 'base64' as const, media_type: mimeType, data }]
      : [],
  )
  const content =
    images.length === 0
      ? result.content
      : [
          { type: 'text' as const, text: result.content },
          ...images.map((source) => ({ type: 'image' as const, source })),
        ]
  return {
    type: 'tool_result',
    tool_use_id: result.callId,
    content,
    ...(isError(result) && { is_error: true }),
  }
}
