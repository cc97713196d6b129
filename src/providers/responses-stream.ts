/**
 * OpenAI Responses as a stream: `response.output_item.*` and `response.function_call_arguments.*` events.
 * Events: https://platform.openai.com/docs/api-reference/responses-streaming.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { isObject, objects } from './provider.ts'
import { type Delta, indexOf, said, streamedCalls } from './stream-calls.ts'
import type { ChunkReader } from './stream-reader.ts'

export function openAIResponsesStream(): ChunkReader {
  const calls = streamedCalls()
  let reason: Json | undefined
  return {
    push(event) {
      const at = placeOf(event)
      if (event.type === 'response.function_call_arguments.delta') {
        calls.add({ at, text: said(event.delta) })
      } else if (event.type === 'response.function_call_arguments.done') {
        calls.settle({ at, text: said(event.arguments) })
      } else if (/^response\.output_item\.(added|done)$/.test(String(event.type))) {
        if (isCall(event.item)) calls.settle(deltaOf(event.item, at))
      } else if (isObject(event.response)) {
        const { incomplete_details: details, output } = event.response
        if (isObject(details)) reason = details.reason
        // Only a stream that was joined late has calls here that no event told of.
        if (!calls.any()) for (const item of objects(output).filter(isCall)) settleLate(item)
      }
    },
    finish: () => calls.read(reason),
  }
  function settleLate(item: JsonObject): void {
    calls.settle(deltaOf(item, undefined))
  }
}

function isCall(item: Json | undefined): item is JsonObject {
  return isObject(item) && item.type === 'function_call'
}

/** The index first: some gateways give an item another id in each event. */
function placeOf({
  output_index: index,
  item_id: id,
  item,
}: JsonObject): number | string | undefined {
  return indexOf(index) ?? said(id) ?? (isObject(item) ? said(item.id) : undefined)
}

function deltaOf(item: JsonObject, at: Delta['at']): Delta {
  return { at, id: said(item.call_id), name: said(item.name), text: said(item.arguments) }
}
