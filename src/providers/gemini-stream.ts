/**
 * Gemini streamGenerateContent: each chunk is a response of its own, with whole `functionCall` parts.
 * Chunks: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.
 * @module
 */
import type { ToolCall } from '../round.ts'
import { gemini } from './gemini.ts'
import { readOf } from './provider.ts'
import type { ChunkReader } from './stream-reader.ts'

export function geminiStream(): ChunkReader {
  const calls: ToolCall[] = []
  let reason: string | undefined
  return {
    push(chunk) {
      const read = gemini.readCalls(chunk)
      calls.push(...(read?.calls ?? []))
      reason = read?.finishReason ?? reason
    },
    finish: () => readOf([...calls], reason),
  }
}
