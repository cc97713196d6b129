/**
 * OpenAI Chat Completions as a stream: `choices[0].delta.tool_calls`.
 * Chunks: https://platform.openai.com/docs/api-reference/chat-streaming.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { isObject, objects } from './provider.ts'
import { type Delta, indexOf, said, streamedCalls } from './stream-calls.ts'
import type { ChunkReader } from './stream-reader.ts'

export function openAIChatStream(): ChunkReader {
  const calls = streamedCalls()
  let reason: string | undefined
  return {
    push(chunk) {
      // Of several answers the first one counts, as in a whole response.
      const choice = objects(chunk.choices).find(({ index = 0 }) => index === 0)
      if (!choice) return
      const { delta = choice.message } = choice
      for (const each of isObject(delta) ? deltasOf(delta) : []) calls.add(each)
      reason = said(choice.finish_reason) ?? reason
    },
    finish: () => calls.read(reason),
  }
}

/** `tool_calls`, or the older `function_call`, which has neither index nor id. */
function deltasOf({ tool_calls: list, function_call: old }: JsonObject): Delta[] {
  if (isObject(old)) return [{ name: said(old.name), text: textOf(old.arguments) }]
  return objects(list).map(({ index, id, function: inner }) => ({
    at: indexOf(index),
    id: said(id),
    ...(isObject(inner) && { name: said(inner.name), text: textOf(inner.arguments) }),
  }))
}

/** Some compatible servers send the arguments parsed. */
function textOf(value: Json | undefined): string | undefined {
  return isObject(value) ? JSON.stringify(value) : said(value)
}
