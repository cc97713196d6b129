/**
 * Anthropic Messages as a stream: `content_block_*` events.
 * Events: https://docs.claude.com/en/docs/build-with-claude/streaming.
 * @module
 */
import { isObject } from './provider.ts'
import { indexOf, said, streamedCalls } from './stream-calls.ts'
import type { ChunkReader } from './stream-reader.ts'

export function anthropicStream(): ChunkReader {
  const calls = streamedCalls()
  let reason: string | undefined
  return {
    push(event) {
      const at = indexOf(event.index)
      const { content_block: block, delta } = event
      if (event.type === 'content_block_start' && isObject(block) && block.type === 'tool_use') {
        // The input is `{}` here and comes in pieces; a server that does not stream it sends it whole.
        const whole = isObject(block.input) && Object.keys(block.input).length > 0
        const text = whole ? JSON.stringify(block.input) : undefined
        calls.settle({ at, id: said(block.id), name: said(block.name), text })
      } else if (event.type === 'content_block_delta' && isObject(delta)) {
        if (delta.type === 'input_json_delta') calls.add({ at, text: said(delta.partial_json) })
      } else if (event.type === 'message_delta' && isObject(delta)) {
        reason = said(delta.stop_reason) ?? reason
      }
    },
    finish: () => calls.read(reason),
  }
}
