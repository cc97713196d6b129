/**
 * Bedrock ConverseStream: `contentBlockStart`, `contentBlockDelta` and `messageStop` events.
 * Events: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 * @module
 */
import { isObject } from './provider.ts'
import { indexOf, said, streamedCalls } from './stream-calls.ts'
import type { ChunkReader } from './stream-reader.ts'

export function bedrockStream(): ChunkReader {
  const calls = streamedCalls()
  let reason: string | undefined
  return {
    push({ contentBlockStart: begun, contentBlockDelta: more, messageStop: end }) {
      if (isObject(begun) && isObject(begun.start) && isObject(begun.start.toolUse)) {
        const { toolUseId, name } = begun.start.toolUse
        calls.settle({
          at: indexOf(begun.contentBlockIndex),
          id: said(toolUseId),
          name: said(name),
        })
      }
      if (isObject(more) && isObject(more.delta) && isObject(more.delta.toolUse)) {
        const { input } = more.delta.toolUse
        calls.add({ at: indexOf(more.contentBlockIndex), text: said(input) })
      }
      if (isObject(end)) reason = said(end.stopReason) ?? reason
    },
    finish: () => calls.read(reason),
  }
}
