/**
 * Gemini generateContent: `functionCall` parts in, one user content of `functionResponse` parts out.
 * @module
 */
import { isAnswer, type ToolResult } from '../round.ts'
import { callOf, isObject, objects, type ProviderFormat, readOf } from './provider.ts'
import type { WireMessages } from './wire-messages.ts'

export const gemini: ProviderFormat<WireMessages['gemini']> = {
  name: 'gemini',
  readCalls(value) {
    const [candidate] = objects(value.candidates)
    const content = candidate ? (candidate.content ?? {}) : value
    if (!isObject(content)) return undefined
    const parts = isObject(value.functionCall) ? [value] : content.parts
    // A candidate that was stopped may come without content: it made no call.
    if (!Array.isArray(parts) && !candidate) return undefined
    const calls = objects(parts).flatMap(({ functionCall }) =>
      isObject(functionCall) ? [callOf(functionCall.id, functionCall.name, functionCall.args)] : [],
    )
    return readOf(calls, candidate?.finishReason)
  },
  writeResults(results, calls = []) {
    const answers = results.map((result, index) => answerOf(result, calls[index]?.name))
    // Behind all answers: their number is held against that of the calls.
    return [{ role: 'user', parts: [...answers, ...results.flatMap(imagesOf)] }]
  },
}

type Part = WireMessages['gemini']['parts'][number]

/** `response` must be an object; `output` and `error` are the keys that Gemini documents. */
function answerOf(result: ToolResult, name = result.name): Part {
  const key = isAnswer(result.outcome) || result.outcome === 'schema' ? 'output' : 'error'
  return {
    functionResponse: {
      // Gemini sent no id: it matches by name and order, and would not know one of ours.
      ...(result.originalId !== null && { id: result.originalId ?? result.callId }),
      name,
      response: { [key]: result.content },
    },
  }
}

function imagesOf({ media = [] }: ToolResult): Part[] {
  return media.flatMap(({ type, mimeType, data }) =>
    type === 'image' && data !== undefined ? [{ inlineData: { mimeType, data } }] : [],
  )
}
