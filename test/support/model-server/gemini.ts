/** https://ai.google.dev/api/generate-content */
import type { Json, JsonObject } from '../../../src/index.ts'
import { frame, list, nameProblem, pieces } from './rules.ts'
import type { Protocol, Said } from './server.ts'

export const geminiProtocol: Protocol = {
  path: /:streamGenerateContent/,
  problem({ contents, tools }, headers) {
    if (!headers['x-goog-api-key']) return 'Method doesn’t allow unregistered callers.'
    const declared = list(tools).flatMap((tool) => list(tool.functionDeclarations))
    return contentsProblem(list(contents)) ?? toolsProblem(declared)
  },
  error: (code, message) => ({
    error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT' },
  }),
  stream(said) {
    const parts = partsOf(said)
    const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 }
    return parts
      .map((part, index) => {
        const last = index === parts.length - 1
        const candidate = { content: { role: 'model', parts: [part] }, index: 0 }
        const end = last ? { finishReason: said.cut ? 'MAX_TOKENS' : 'STOP' } : {}
        return frame({ candidates: [{ ...candidate, ...end }], usageMetadata, modelVersion: 'x' })
      })
      .join('')
  },
}

function partsOf({ reasoning, text, calls = [] }: Said): JsonObject[] {
  return [
    ...pieces(reasoning ?? '').map((piece) => ({ text: piece, thought: true })),
    ...pieces(text ?? '').map((piece) => ({ text: piece })),
    ...calls.map(({ id, name, args }, index) => ({
      functionCall: { ...(id !== '' && { id }), name, args: JSON.parse(args) as Json },
      // Only the first call of an answer carries one.
      ...(index === 0 && { thoughtSignature: 'c2lnbmVk' }),
    })),
  ]
}

function contentsProblem(contents: readonly JsonObject[]): string | undefined {
  let calls: JsonObject[] = []
  for (const { role, parts } of contents) {
    const own = list(parts)
    if (own.length === 0) return 'contents.parts must not be empty'
    const answers = own.flatMap((part) =>
      part.functionResponse ? [part.functionResponse as JsonObject] : [],
    )
    if (answers.length !== calls.length) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    }
    if (answers.some(({ name }, index) => name !== calls[index]?.name))
      return 'function response names differ'
    if (
      answers.some(
        ({ response }) =>
          typeof response !== 'object' || response === null || Array.isArray(response),
      )
    ) {
      return 'functionResponse.response must be an object'
    }
    const made = own.filter((part) => part.functionCall)
    if (role === 'model' && made[0] && made[0].thoughtSignature !== 'c2lnbmVk') {
      return 'Function call is missing a thought_signature'
    }
    calls = made.map((part) => part.functionCall as JsonObject)
  }
  return calls.length > 0 ? 'the last calls are unanswered' : undefined
}

const known = new Set(
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'.split(
    ' ',
  ),
)

function toolsProblem(declared: readonly JsonObject[]): string | undefined {
  for (const { parameters } of declared) {
    const problem = parameters === undefined ? undefined : schemaProblem(parameters as JsonObject)
    if (problem) return problem
  }
  return nameProblem(declared.map(({ name }) => name))
}

function schemaProblem(schema: JsonObject): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !known.has(keyword))
  if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}" at 'tools[0]'`
  const properties = Object.values(Object(schema.properties)) as JsonObject[]
  if (String(schema.type).toLowerCase() === 'object' && properties.length === 0) {
    return 'should be non-empty for OBJECT type'
  }
  const inner = [
    ...properties,
    ...list(schema.anyOf),
    ...(schema.items ? [schema.items as JsonObject] : []),
  ]
  return inner.map(schemaProblem).find(Boolean)
}
