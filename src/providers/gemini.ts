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
  writeResults(results) {
    return [{ role: 'user', parts: results.map(partOf) }]
  },
}

/** `response` must be an object; `output` and `error` are the keys that Gemini documents. */
function partOf(result: ToolResult): WireMessages['gemini']['parts'][number] {
  const key = isAnswer(result.outcome) ? 'output' : 'error'
  return {
    functionResponse: {
      // Gemini sent no id: it matches by name and order, and would not know one of ours.
      ...(result.originalId !== null && { id: result.originalId ?? result.callId }),
      name: result.name,
      response: { [key]: result.content },
    },
  }
}
