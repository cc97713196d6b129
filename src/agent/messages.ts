/**
 * The conversation between the loop and a model: taken in, sent, and grown by rounds.
 * @module
 */
import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import { DispatchError } from '../errors.ts'
import { base64 } from '../execute/text.ts'
import { repairHistory } from '../providers/history.ts'
import type { WireNames } from '../providers/wire-names.ts'
import { isAnswer, type MediaPart, type ToolResult } from '../round.ts'
import type { AgentMessage } from './agent-event.ts'

type Assistant = Extract<LanguageModelV3Message, { role: 'assistant' }>
export type AssistantPart = Assistant['content'][number]
type FilePart = Extract<AssistantPart, { type: 'file' }>

/**
 * The messages in the loop's form: content as parts, files as text, and each call with its one result.
 * Throws `THREEPASS_BAD_OPTION` for what is no list of messages.
 */
export function takeMessages(given: unknown): AgentMessage[] {
  if (!Array.isArray(given)) throw badMessage('messages', 'a list')
  const messages = given.map((each: unknown, index) => {
    const { role, content } = Object(each) as { role?: unknown; content?: unknown }
    const where = `messages[${index}]`
    if (role === 'system' && typeof content === 'string') return each
    const known = role === 'user' || role === 'assistant' || role === 'tool'
    if (!known || !(typeof content === 'string' || Array.isArray(content))) {
      throw badMessage(where, "{ role: 'system' | 'user' | 'assistant' | 'tool', content }")
    }
    return { ...(each as object), content: partsOf(content, where) }
  })
  return repairHistory(messages as AgentMessage[], 'ai-sdk') as AgentMessage[]
}

function badMessage(where: string, what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `${where} must be ${what}.`)
}

function partsOf(content: string | readonly unknown[], where: string): unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content.map((part, index) => {
    const { type, data } = Object(part) as FilePart
    if (typeof type !== 'string')
      throw badMessage(`${where}.content[${index}]`, 'a part: { type, … }')
    if (type !== 'file') return part
    const text = fileText(data)
    if (isAddress(text) && !URL.canParse(text)) {
      throw badMessage(`${where}.content[${index}].data`, 'base64, bytes or an http(s) address')
    }
    return { ...(part as FilePart), data: text }
  })
}

/** Base64 holds no colon. */
function isAddress(data: string): boolean {
  return /^https?:/.test(data)
}

/** Base64, or an address; a `data:` address is its base64. */
export function fileText(data: FilePart['data']): string {
  if (data instanceof Uint8Array) return base64(data)
  const [, meta, payload = ''] = /^data:([^,]*),([\s\S]*)$/.exec(String(data)) ?? []
  if (meta === undefined) return String(data)
  return /;\s*base64$/i.test(meta) ? payload : base64(new TextEncoder().encode(decoded(payload)))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The request's prompt: the system text in front, addresses as such, names as the provider takes them. */
export function promptOf(
  system: string,
  messages: readonly AgentMessage[],
  names: WireNames,
  note: string,
): LanguageModelV3Prompt {
  const front: LanguageModelV3Prompt = system === '' ? [] : [{ role: 'system', content: system }]
  const behind: LanguageModelV3Prompt =
    note === ''
      ? []
      : [{ role: 'user', content: [{ type: 'text', text: note }], providerOptions: ofTheLoop }]
  return [...front, ...messages.map((message) => sent(message, names)), ...behind]
}

/** Marks what the loop says in the place of the user; providers pass over it. */
const ofTheLoop = { threepass: { note: true } }

function sent(message: AgentMessage, names: WireNames): LanguageModelV3Message {
  if (message.role === 'system') return message
  const content = (message.content as AssistantPart[]).map((part) => {
    if (part.type === 'tool-call' || part.type === 'tool-result') {
      const theirs = 'providerExecuted' in part && part.providerExecuted
      return theirs ? part : { ...part, toolName: names.toWire(part.toolName) }
    }
    const far = part.type === 'file' && isAddress(String(part.data))
    return far ? { ...part, data: new URL(String((part as FilePart).data)) } : part
  })
  return { ...message, content } as LanguageModelV3Message
}

/** What the model's next request says of a round: one answer a call, in call order. */
export function resultsMessage(
  calls: readonly { readonly name: string }[],
  ids: readonly string[],
  results: readonly ToolResult[],
): AgentMessage {
  return {
    role: 'tool',
    content: results.map((result, index) => ({
      type: 'tool-result',
      toolCallId: ids[index] ?? result.callId,
      // As the call said it: a result's own name is that behind run_tool.
      toolName: calls[index]?.name ?? result.name,
      output: outputOf(result),
    })),
  }
}

/** A result as the AI SDK's models take it; its images and files go along. */
export function outputOf({
  outcome,
  content,
  media = [],
}: ToolResult): LanguageModelV3ToolResultOutput {
  if (!isAnswer(outcome) && outcome !== 'schema') return { type: 'error-text', value: content }
  const parts = media.flatMap(mediaPart)
  if (parts.length === 0) return { type: 'text', value: content }
  return { type: 'content', value: [{ type: 'text', text: content }, ...parts] }
}

type ContentPart = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value'][number]

function mediaPart({ type, mimeType: mediaType, data, url, name }: MediaPart): ContentPart[] {
  if (type === 'image') {
    if (data !== undefined) return [{ type: 'image-data', data, mediaType }]
    return url === undefined ? [] : [{ type: 'image-url', url }]
  }
  const named = name === undefined ? {} : { filename: name }
  if (data !== undefined) return [{ type: 'file-data', data, mediaType, ...named }]
  return url === undefined ? [] : [{ type: 'file-url', url, mediaType }]
}
