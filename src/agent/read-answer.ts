/**
 * One streamed answer of a model, part by part: told as events, kept as the message it makes.
 * @module
 */
import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import { callInput } from '../providers/call-input.ts'
import type { WireNames } from '../providers/wire-names.ts'
import type { AgentEvent } from './agent-event.ts'
import { type AssistantPart, fileText } from './messages.ts'

/** A call as the model wrote it, under the dispatcher's name of the tool. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  /** The raw text. */
  readonly arguments: string
}

export interface ModelAnswer {
  /** Its calls carry the model's ids, and their inputs as objects. */
  readonly content: readonly AssistantPart[]
  readonly calls: readonly ModelCall[]
  readonly text: string
  readonly finish: LanguageModelV3FinishReason
  readonly usage: LanguageModelV3Usage | undefined
}

export interface AnswerReader {
  /** Takes one part. Throws what an `error` part holds. */
  readonly push: (part: LanguageModelV3StreamPart) => void
  /** Something of it has been told: the attempt cannot be made again unnoticed. */
  readonly given: () => boolean
  /** The stream has said its finish reason. */
  readonly finished: () => boolean
  /** The answer as far as it came. */
  readonly answer: () => ModelAnswer
}

type Block = { type: 'text' | 'reasoning'; text: string; metadata?: SharedV3ProviderMetadata }

/** @param shows whether a call under this id is told while it arrives, and not only when its round is. */
export function readAnswer(
  names: WireNames,
  shows: (id: string) => boolean,
  tell: (event: AgentEvent) => void,
): AnswerReader {
  const content: (AssistantPart | Block)[] = []
  const open = new Map<string, Block>()
  const calls: ModelCall[] = []
  const shown = new Set<string>()
  let given = false
  let end: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined

  const give = (event: AgentEvent) => {
    given = true
    tell(event)
  }
  const nameOf = (wire: string) => names.fromWire(wire) ?? wire

  const begin = (type: Block['type'], { id, providerMetadata }: Meta) => {
    const block: Block = { type, text: '' }
    keep(block, providerMetadata)
    content.push(block)
    open.set(`${type} ${id}`, block)
    give({ type: `${type}_start`, id })
    return block
  }
  const grow = (type: Block['type'], part: Meta & { delta: string }) => {
    // A delta without its start is text all the same.
    const block = open.get(`${type} ${part.id}`) ?? begin(type, { id: part.id })
    block.text += part.delta
    keep(block, part.providerMetadata)
    give({ type: `${type}_delta`, id: part.id, text: part.delta })
  }
  const close = (type: Block['type'], { id, providerMetadata }: Meta) => {
    const block = open.get(`${type} ${id}`)
    if (!block) return
    keep(block, providerMetadata)
    open.delete(`${type} ${id}`)
    give({ type: `${type}_end`, id })
  }

  const onCall = (part: Extract<LanguageModelV3StreamPart, { type: 'tool-call' }>) => {
    const { toolCallId, input, providerExecuted, providerMetadata } = part
    given = true
    const name = providerExecuted ? part.toolName : nameOf(part.toolName)
    if (!providerExecuted) calls.push({ id: toolCallId, name, arguments: input })
    content.push({
      type: 'tool-call',
      toolCallId,
      toolName: name,
      input: callInput(input),
      ...(providerExecuted && { providerExecuted }),
      ...options(providerMetadata),
    })
  }

  const onInput = (part: InputPart) => {
    if (part.type === 'tool-input-delta') {
      if (shown.has(part.id)) give({ type: 'tool_input_delta', callId: part.id, delta: part.delta })
    } else if (!part.providerExecuted && part.id !== '' && shows(part.id)) {
      shown.add(part.id)
      give({ type: 'tool_input_start', callId: part.id, name: nameOf(part.toolName) })
    }
  }
  const onOther = (part: LanguageModelV3StreamPart) => {
    if (part.type === 'tool-result' && !part.preliminary) content.push(resultOf(part))
    if (part.type === 'file') {
      const file = { type: 'file' as const, mediaType: part.mediaType, data: fileText(part.data) }
      content.push(file)
      give(file)
    }
    if (part.type === 'source' && part.sourceType === 'url') {
      const { id, url, title } = part
      give({ type: 'source', id, url, ...(title !== undefined && { title }) })
    }
    if (part.type === 'finish') end = part
    if (part.type === 'error') throw part.error
  }

  const push = (part: LanguageModelV3StreamPart) => {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        begin(kindOf(part), part)
        break
      case 'text-delta':
      case 'reasoning-delta':
        grow(kindOf(part), part)
        break
      case 'text-end':
      case 'reasoning-end':
        close(kindOf(part), part)
        break
      case 'tool-input-start':
      case 'tool-input-delta':
        onInput(part)
        break
      case 'tool-call':
        onCall(part)
        break
      default:
        onOther(part)
    }
  }

  return {
    push,
    given: () => given,
    finished: () => end !== undefined,
    answer() {
      // What broke off in the middle is closed, so that nothing waits for its end.
      for (const key of [...open.keys()]) {
        const at = key.indexOf(' ')
        close(key.slice(0, at) as Block['type'], { id: key.slice(at + 1) })
      }
      return {
        content: content.flatMap(partOf),
        calls,
        text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        finish: end?.finishReason ?? { unified: 'other', raw: undefined },
        usage: end?.usage,
      }
    },
  }
}

type InputPart = Extract<
  LanguageModelV3StreamPart,
  { type: 'tool-input-start' | 'tool-input-delta' }
>

interface Meta {
  readonly id: string
  readonly providerMetadata?: SharedV3ProviderMetadata
}

function kindOf({ type }: { type: `${'text' | 'reasoning'}-${string}` }): Block['type'] {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

/** Of a tool that the provider ran itself. */
function resultOf(
  part: Extract<LanguageModelV3StreamPart, { type: 'tool-result' }>,
): AssistantPart {
  const { toolCallId, toolName, result: value, isError } = part
  const output = { type: isError ? ('error-json' as const) : ('json' as const), value }
  return { type: 'tool-result', toolCallId, toolName, output }
}

/** A signature comes at the start, at the end or between: the last one said counts. */
function keep(block: Block, metadata: SharedV3ProviderMetadata | undefined): void {
  if (metadata) block.metadata = { ...block.metadata, ...metadata }
}

function partOf(part: AssistantPart | Block): AssistantPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part as AssistantPart]
  const { type, text, metadata } = part as Block
  // An empty text is refused by providers; an empty reasoning may carry what the next request needs.
  if (text === '' && (type === 'text' || !metadata)) return []
  return [{ type, text, ...options(metadata) }]
}

/** What a provider said of a part goes back with it. */
function options(metadata: SharedV3ProviderMetadata | undefined) {
  return metadata ? { providerOptions: metadata } : {}
}
