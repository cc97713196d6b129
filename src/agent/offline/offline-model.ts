/**
 * A model without a network, a key or a language model: it plans what it is told, and says so.
 * @module
 */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { type Move, nextMove, type Offered } from './plan.ts'
import { readTranscript } from './transcript.ts'

/**
 * A language model of the AI SDK for demos and tests. Deterministic and without state: the next move
 * follows from the prompt and the tools of the request alone. It understands
 * `/tool key=value`, several calls parted by `;` or line breaks, `then`, `$last`, and plain requests that
 * match a tool by search; it asks for what it is not told. See docs/offline-model.md.
 */
export function offlineModel(): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'threepass',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate(options) {
      const move = moveOf(options)
      return {
        content: contentOf(move, options),
        finishReason: finishOf(move),
        usage: usageOf(move, options),
        warnings: [],
      }
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      return { stream: streamed(partsOf(moveOf(options), options)) }
    },
  }
}

function moveOf({ prompt, tools = [], toolChoice }: LanguageModelV3CallOptions): Move {
  const offered: Offered = tools.flatMap((tool) =>
    tool.type === 'function'
      ? {
          name: tool.name,
          description: tool.description ?? '',
          inputSchema: tool.inputSchema as { readonly [keyword: string]: unknown },
        }
      : [],
  )
  return nextMove(readTranscript(prompt), offered, toolChoice?.type !== 'none')
}

/** Ids go up over the whole conversation, as a provider's would. */
function callsOf(move: Move, { prompt }: LanguageModelV3CallOptions) {
  if (!('calls' in move)) return []
  const before = prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter(({ type }) => type === 'tool-call') : [],
  ).length
  return move.calls.map(({ name, input }, index) => ({
    type: 'tool-call' as const,
    toolCallId: `call_${before + index + 1}`,
    toolName: name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }))
}

function contentOf(move: Move, options: LanguageModelV3CallOptions): LanguageModelV3Content[] {
  if ('answer' in move) return [{ type: 'text', text: move.answer }]
  return [{ type: 'reasoning', text: move.thought }, ...callsOf(move, options)]
}

function partsOf(move: Move, options: LanguageModelV3CallOptions): LanguageModelV3StreamPart[] {
  const said = 'answer' in move ? move.answer : move.thought
  const type = 'answer' in move ? 'text' : 'reasoning'
  const words = said.match(/\s*\S+\s*$|\s*\S+/g) ?? []
  return [
    { type: 'stream-start', warnings: [] },
    { type: `${type}-start`, id: '0' },
    ...words.map((delta) => ({ type: `${type}-delta` as const, id: '0', delta })),
    { type: `${type}-end`, id: '0' },
    ...callsOf(move, options).flatMap((call): LanguageModelV3StreamPart[] => [
      { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName },
      { type: 'tool-input-delta', id: call.toolCallId, delta: call.input },
      { type: 'tool-input-end', id: call.toolCallId },
      call,
    ]),
    { type: 'finish', finishReason: finishOf(move), usage: usageOf(move, options) },
  ]
}

function streamed(
  parts: readonly LanguageModelV3StreamPart[],
): ReadableStream<LanguageModelV3StreamPart> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const part = parts[at]
      at += 1
      if (part) controller.enqueue(part)
      else controller.close()
    },
  })
}

function finishOf(move: Move): LanguageModelV3FinishReason {
  return 'calls' in move
    ? { unified: 'tool-calls', raw: 'tool-calls' }
    : { unified: 'stop', raw: 'stop' }
}

/** Four characters a token, about. */
function usageOf(move: Move, options: LanguageModelV3CallOptions): LanguageModelV3Usage {
  const input = Math.ceil(JSON.stringify([options.prompt, options.tools ?? []]).length / 4)
  const output = Math.ceil(JSON.stringify(move).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}
