/**
 * Messages of a page (the AI SDK's `UIMessage`) as the model's.
 * @module
 */
import type { AgentMessage } from './agent-event.ts'

/** What is read of a `UIMessage`; it comes from outside, so a member may be anything. */
export interface PageMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly {
    readonly type: string
    readonly text?: unknown
    readonly url?: unknown
    readonly mediaType?: unknown
    readonly filename?: unknown
  }[]
}

type UserPart = Extract<AgentMessage, { role: 'user' }>['content'][number]

/** What a person says, as one message of texts and files; none when that is nothing. */
export function saidBy({ parts }: PageMessage): AgentMessage[] {
  const content = parts.flatMap(({ type, text, url, mediaType, filename }): UserPart[] => {
    if (type === 'text') return hasWords(text) ? [{ type, text }] : []
    if (type !== 'file' || !isFileAddress(String(url)) || !isMediaType(mediaType)) return []
    const named = typeof filename === 'string' ? { filename } : {}
    return [{ type, mediaType, data: String(url), ...named }]
  })
  return content.length > 0 ? [{ role: 'user', content }] : []
}

/** The words of a message, those of each text on lines of their own. */
export function textOf({ parts }: PageMessage): string {
  return textsOf(parts).join('\n')
}

function textsOf(parts: PageMessage['parts']): string[] {
  return parts.flatMap(({ type, text }) => (type === 'text' && hasWords(text) ? [text] : []))
}

function isFileAddress(url: string): boolean {
  return url.startsWith('data:') || (/^https?:/.test(url) && URL.canParse(url))
}

function isMediaType(type: unknown): type is string {
  return typeof type === 'string' && /^[\w.+-]+\/[\w.+*-]+$/.test(type)
}

function hasWords(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

/**
 * A conversation that a page brings along: what was said, and nothing of what was done. A call or a
 * result that a page tells of never counts.
 */
export function saidBefore(messages: readonly PageMessage[]): AgentMessage[] {
  return messages.flatMap((message): AgentMessage[] => {
    if (message.role === 'user') return saidBy(message)
    const text = textsOf(message.parts).join('')
    const spoken = text !== '' && message.role === 'assistant'
    return spoken ? [{ role: 'assistant', content: [{ type: 'text', text }] }] : []
  })
}

/** The message without its files; what they were, and why they are not there, is said. */
export function withoutFiles(
  message: AgentMessage,
  why = 'the model cannot take it',
): AgentMessage {
  if (message.role === 'user') {
    const content = message.content.map((part): UserPart => {
      if (part.type !== 'file') return part
      const name = part.filename ?? 'a file'
      return { type: 'text', text: `[${name} (${part.mediaType}) was left out: ${why}.]` }
    })
    return { ...message, content }
  }
  if (message.role !== 'tool') return message
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || part.output.type !== 'content') return part
    const texts = part.output.value.flatMap((each) => (each.type === 'text' ? each.text : []))
    return { ...part, output: { type: 'text' as const, value: texts.join('\n') } }
  })
  return { ...message, content }
}

/**
 * The conversation within a number of characters of JSON: the files of the oldest messages go first, then
 * the oldest messages, up to one of a person.
 */
export function withinBounds(messages: readonly AgentMessage[], most: number): AgentMessage[] {
  const sizes = messages.map((message) => JSON.stringify(message).length)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  const kept = messages.map((message, index) => {
    if (total <= most) return message
    const lighter = withoutFiles(message, 'the conversation has grown too long')
    total -= (sizes[index] ?? 0) - JSON.stringify(lighter).length
    return lighter
  })
  let from = 0
  while (total > most && from < kept.length - 1) {
    do {
      total -= JSON.stringify(kept[from]).length
      from += 1
    } while (from < kept.length - 1 && kept[from]?.role !== 'user')
  }
  return kept.slice(from)
}
