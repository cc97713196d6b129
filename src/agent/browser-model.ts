/**
 * The browser's own model (Prompt API, https://webmachinelearning.github.io/prompt-api/) as a language
 * model of the AI SDK: calls come out of output that is constrained by a JSON Schema.
 * @module
 */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { DispatchError } from '../errors.ts'
import {
  answerSchema,
  type BrowserAnswer,
  type PromptMessage,
  readBrowserAnswer,
  writePrompts,
} from './browser-prompts.ts'

/** The part of the page's `LanguageModel` that is used. */
export interface PromptApi {
  availability(options?: PromptLanguages): Promise<Availability>
  create(
    options: PromptLanguages & {
      initialPrompts: readonly PromptMessage[]
      signal?: AbortSignal
      monitor?: (monitor: EventTarget) => void
    },
  ): Promise<PromptSession>
}
interface PromptLanguages {
  readonly expectedOutputs?: readonly {
    readonly type: 'text'
    readonly languages: readonly string[]
  }[]
}
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'
interface PromptSession {
  promptStreaming(
    input: string,
    options?: { signal?: AbortSignal; responseConstraint?: object },
  ): ReadableStream<string>
  destroy(): void
}

export interface BrowserModelOptions {
  /** Default: the page's `LanguageModel`. */
  readonly api?: PromptApi
  /** Of the answers, such as `en`; default: the page's own where the browser's model speaks it, else `en`. */
  readonly language?: string
  /** Hears how much of the model has been downloaded, from 0 to 1. */
  readonly onDownload?: (loaded: number) => void
}

const pageApi = () => (globalThis as { LanguageModel?: PromptApi }).LanguageModel

/** What Chrome's model speaks; a session for any other language is refused. */
const spoken = ['en', 'de', 'es', 'fr', 'ja']

function languagesOf(wanted: string | undefined): PromptLanguages {
  const { navigator } = globalThis as { navigator?: { language?: string } }
  const own = (navigator?.language ?? '').slice(0, 2)
  const language = wanted ?? (spoken.includes(own) ? own : 'en')
  return { expectedOutputs: [{ type: 'text', languages: [language] }] }
}

/** Whether the browser has a model, or can load one; never rejects. */
export async function browserModelAvailability({
  api = pageApi(),
  language,
}: Pick<BrowserModelOptions, 'api' | 'language'> = {}): Promise<Availability> {
  try {
    return (await api?.availability(languagesOf(language))) ?? 'unavailable'
  } catch {
    return 'unavailable'
  }
}

/** Throws `THREEPASS_BAD_OPTION` where there is no Prompt API: ask `browserModelAvailability` first. */
export function browserModel({
  api = pageApi(),
  language,
  onDownload,
}: BrowserModelOptions = {}): LanguageModelV3 {
  if (!api) {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      'This page has no LanguageModel (Prompt API): use offlineModel() or a provider.',
    )
  }
  const monitor = (target: EventTarget) =>
    target.addEventListener('downloadprogress', (event) =>
      onDownload?.((event as Event & { loaded: number }).loaded),
    )
  async function* stream(options: LanguageModelV3CallOptions) {
    const { abortSignal: signal } = options
    const { before, input } = writePrompts(options)
    const signalled = signal ? { signal } : {}
    const session = await api?.create({
      ...languagesOf(language),
      initialPrompts: before,
      monitor,
      ...signalled,
    })
    if (!session) return
    try {
      const schema = answerSchema(options)
      const constrained = schema ? { responseConstraint: schema } : {}
      const chunks = session.promptStreaming(input, { ...signalled, ...constrained })
      yield { type: 'stream-start' as const, warnings: [] }
      yield* schema ? calledParts(chunks) : textParts(chunks)
    } finally {
      session.destroy()
    }
  }
  return {
    specificationVersion: 'v3',
    provider: 'browser',
    modelId: 'prompt-api',
    supportedUrls: {},
    async doStream(options) {
      return { stream: readable(stream(options)) }
    },
    async doGenerate(options) {
      const content: ({ type: 'text'; text: string } | Called)[] = []
      for await (const part of stream(options)) {
        if (part.type === 'tool-call') content.push(part)
        if (part.type === 'text-delta') content.push({ type: 'text', text: part.delta })
      }
      const calls = content.some(({ type }) => type === 'tool-call')
      return { content, ...ending(calls), warnings: [] }
    },
  }
}

type Called = Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>

async function* textParts(
  chunks: ReadableStream<string>,
): AsyncGenerator<LanguageModelV3StreamPart> {
  yield { type: 'text-start', id: '0' }
  for await (const delta of read(chunks)) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  yield { type: 'finish', ...ending(false) }
}

/** The whole answer is one JSON text: nothing of it can be told before its end. */
async function* calledParts(
  chunks: ReadableStream<string>,
): AsyncGenerator<LanguageModelV3StreamPart> {
  let whole = ''
  for await (const chunk of read(chunks)) whole += chunk
  const { text, calls }: BrowserAnswer = readBrowserAnswer(whole)
  if (text !== '') {
    yield { type: 'text-start', id: '0' }
    yield { type: 'text-delta', id: '0', delta: text }
    yield { type: 'text-end', id: '0' }
  }
  for (const { name, arguments: args } of calls) {
    const toolCallId = crypto.randomUUID()
    yield { type: 'tool-call', toolCallId, toolName: name, input: JSON.stringify(args) }
  }
  yield { type: 'finish', ...ending(calls.length > 0) }
}

/** The Prompt API counts no tokens of single answers. */
function ending(calls: boolean) {
  const reason = calls ? ('tool-calls' as const) : ('stop' as const)
  const none = undefined
  return {
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: none, noCache: none, cacheRead: none, cacheWrite: none },
      outputTokens: { total: none, text: none, reasoning: none },
    },
  }
}

async function* read(chunks: ReadableStream<string>): AsyncGenerator<string> {
  const reader = chunks.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function readable<T>(parts: AsyncGenerator<T>): ReadableStream<T> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}
