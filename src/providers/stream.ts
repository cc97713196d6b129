/**
 * Calls out of a streamed answer: one reader a provider, fed with parsed chunks.
 * @module
 */
import type { Json } from '../round.ts'
import { anthropicStream } from './anthropic-stream.ts'
import { bedrockStream } from './bedrock-stream.ts'
import { geminiStream } from './gemini-stream.ts'
import { openAIChatStream } from './openai-stream.ts'
import { isObject, type ReadCalls } from './provider.ts'
import type { ProviderName } from './read-calls.ts'
import { openAIResponsesStream } from './responses-stream.ts'
import type { ChunkReader } from './stream-reader.ts'

export interface CallStream {
  /** Takes one parsed chunk, in the order of arrival. One that makes no sense is ignored; never throws. */
  readonly push: (chunk: unknown) => void
  /**
   * The calls of all chunks so far, in the model's order, and the last finish reason. Arguments are the raw text, for
   * `run.dispatch` to judge; of Gemini the object, since it streams no text of them.
   */
  readonly finish: () => ReadCalls
}

const readers: Readonly<Record<Exclude<ProviderName, 'threepass'>, () => ChunkReader>> = {
  'openai-chat': openAIChatStream,
  'openai-responses': openAIResponsesStream,
  anthropic: anthropicStream,
  gemini: geminiStream,
  bedrock: bedrockStream,
}

/** A reader of one streamed answer. Deltas may interleave, share an index, repeat names, and be cut anywhere. */
export function readStream(provider: Exclude<ProviderName, 'threepass'>): CallStream {
  const reader = readers[provider]()
  return {
    push(chunk) {
      const value = chunk as Json | undefined
      if (isObject(value)) reader.push(value)
    },
    finish: () => reader.finish(),
  }
}
