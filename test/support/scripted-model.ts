/** A language model that says what it is told: one entry an attempt, and keeps what it was asked. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'

type Script =
  | readonly LanguageModelV3StreamPart[]
  | Error
  | ((options: LanguageModelV3CallOptions) => readonly LanguageModelV3StreamPart[] | ReadableStream)

export interface ScriptedModel extends LanguageModelV3 {
  readonly requests: LanguageModelV3CallOptions[]
}

export function scriptedModel(script: readonly Script[]): ScriptedModel {
  const requests: LanguageModelV3CallOptions[] = []
  const next = (options: LanguageModelV3CallOptions) => {
    const entry = script[requests.length]
    requests.push(options)
    if (!entry) throw new Error(`asked ${requests.length} times, scripted ${script.length}`)
    if (entry instanceof Error) throw entry
    return typeof entry === 'function' ? entry(options) : entry
  }
  return {
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'scripted',
    supportedUrls: {},
    requests,
    async doGenerate(options) {
      return wholeAnswer(next(options) as LanguageModelV3StreamPart[])
    },
    async doStream(options) {
      const parts = next(options)
      return { stream: parts instanceof ReadableStream ? parts : streamOf(parts) }
    },
  }
}

function wholeAnswer(parts: readonly LanguageModelV3StreamPart[]): LanguageModelV3GenerateResult {
  const content = parts.flatMap((part): LanguageModelV3Content[] => {
    if (part.type === 'text-delta') return [{ type: 'text', text: part.delta }]
    return part.type === 'tool-call' ? [part] : []
  })
  const end = parts.find((part) => part.type === 'finish')
  if (!end) throw new Error('no finish scripted')
  return { content, finishReason: end.finishReason, usage: end.usage, warnings: [] }
}

export function streamOf(parts: readonly LanguageModelV3StreamPart[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

export function text(said: string, id = '0'): LanguageModelV3StreamPart[] {
  return [
    { type: 'text-start', id },
    ...[...said].map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ]
}

export function call(id: string, name: string, args: unknown): LanguageModelV3StreamPart[] {
  const input = typeof args === 'string' ? args : JSON.stringify(args)
  return [
    { type: 'tool-input-start', id, toolName: name },
    { type: 'tool-input-delta', id, delta: input.slice(0, 3) },
    { type: 'tool-input-delta', id, delta: input.slice(3) },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: name, input },
  ]
}

export function finish(
  unified: LanguageModelV3FinishReason['unified'] = 'stop',
  tokens = 10,
): LanguageModelV3StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: tokens, noCache: tokens - 4, cacheRead: 4, cacheWrite: undefined },
      outputTokens: { total: 3, text: 2, reasoning: 1 },
    },
  }
}

/** A whole answer of calls. */
export function calls(...made: [id: string, name: string, args: unknown][]) {
  return [...made.flatMap((each) => call(...each)), finish('tool-calls')]
}

/** A whole answer of text. */
export function says(said: string): LanguageModelV3StreamPart[] {
  return [...text(said), finish()]
}
