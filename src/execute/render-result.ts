/**
 * What a tool returned or threw, as text for the model and JSON for the rest.
 * @module
 */
import type { Json, MediaPart } from '../round.ts'
import { toPlain } from './plain.ts'
import { base64, wellFormed } from './text.ts'

export interface Rendered {
  readonly text: string
  readonly value?: Json
  readonly media?: readonly MediaPart[]
  readonly isError: boolean
  /** The tool says that its answer is not whole: never cached. */
  readonly partial: boolean
}

/** Renders whatever `execute` resolved to. Never throws. */
export function renderValue(returned: unknown): Rendered {
  if (returned === undefined) return plainText('')
  if (typeof returned === 'string') return plainText(wellFormed(returned))
  if (returned instanceof Uint8Array) return renderBytes(returned)
  const value = toPlain(returned)
  if (typeof value === 'string') return plainText(wellFormed(value))
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { text: JSON.stringify(value), value, isError: false, partial: false }
  }
  const isError = value.isError === true
  const partial = value.partial === true
  if (isContent(value.content) && (isError || value.content.length > 0)) {
    return { ...renderContent(value.content, value), isError, partial }
  }
  const text = isError ? errorOf(value) : JSON.stringify(value)
  return { text: wellFormed(text), value, isError, partial }
}

function plainText(text: string): Rendered {
  return { text, isError: false, partial: false }
}

const mostInlineBytes = 1_048_576

function renderBytes(bytes: Uint8Array): Rendered {
  const text = `[${bytes.byteLength} bytes of binary data]`
  const base = { text, isError: false, partial: false }
  if (bytes.byteLength > mostInlineBytes) return base
  return {
    ...base,
    media: [{ type: 'file', mimeType: 'application/octet-stream', data: base64(bytes) }],
  }
}

type Part = { [key: string]: Json; type: string }

/** Content blocks in MCP's form (text, image, audio, resource, resource_link). */
function isContent(content: Json | undefined): content is Part[] {
  return (
    Array.isArray(content) &&
    content.every(
      (part) =>
        part !== null &&
        typeof part === 'object' &&
        !Array.isArray(part) &&
        typeof part.type === 'string',
    )
  )
}

function renderContent(
  parts: readonly Part[],
  whole: { [key: string]: Json },
): { text: string; value?: Json; media?: MediaPart[] } {
  const media: MediaPart[] = []
  const lines: string[] = []
  for (const part of parts) {
    const { line, medium } = renderPart(part)
    if (line) lines.push(line)
    if (medium) media.push(medium)
  }
  const structured = whole.structuredContent
  let text = lines.join('\n')
  if (text === '' && structured !== undefined) text = JSON.stringify(structured)
  if (text === '' && whole.isError === true) text = errorOf(whole)
  return {
    text: wellFormed(text),
    ...(structured !== undefined && { value: structured }),
    ...(media.length > 0 && { media }),
  }
}

function renderPart(part: Part): { line?: string; medium?: MediaPart } {
  const mimeType = typeof part.mimeType === 'string' ? part.mimeType : 'application/octet-stream'
  if (part.type === 'text') return { line: String(part.text ?? '') }
  if ((part.type === 'image' || part.type === 'audio') && typeof part.data === 'string') {
    return {
      line: `[${part.type}: ${mimeType}]`,
      medium: { type: part.type, mimeType, data: part.data },
    }
  }
  const resource = part.resource
  if (
    part.type === 'resource' &&
    resource &&
    typeof resource === 'object' &&
    !Array.isArray(resource)
  ) {
    if (typeof resource.text === 'string') return { line: resource.text }
    const line = `[resource: ${resource.uri}]`
    return typeof resource.blob === 'string' ? { line, medium: mediumOf(resource) } : { line }
  }
  if (part.type === 'resource_link') return { line: `[link: ${part.uri}]` }
  return { line: JSON.stringify(part) }
}

/** An embedded resource that is no text. */
function mediumOf({ uri, blob, mimeType }: { [key: string]: Json }): MediaPart {
  const kind = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  const [family] = kind.split('/', 1)
  const type = family === 'image' || family === 'audio' ? family : 'file'
  return { type, mimeType: kind, data: String(blob), name: String(uri) }
}

/** The message of a returned error, wherever the tool put it. */
function errorOf(value: { [key: string]: Json }): string {
  const { error, message } = value
  if (typeof error === 'string' && error) return error
  if (
    error &&
    typeof error === 'object' &&
    !Array.isArray(error) &&
    typeof error.message === 'string'
  ) {
    return error.message
  }
  if (typeof message === 'string' && message) return message
  return JSON.stringify(value)
}

const longestError = 2_000

/** One useful line for anything that was thrown; no stack. Never throws. */
export function errorText(thrown: unknown): string {
  try {
    const line = wellFormed(describe(thrown, 0))
      .replace(/\s*\n\s*/g, ' ')
      .trim()
    return (line || 'unknown error').slice(0, longestError)
  } catch {
    return 'unknown error'
  }
}

function describe(thrown: unknown, depth: number): string {
  if (typeof thrown === 'string') return thrown
  if (!thrown || depth > 4) return 'unknown error'
  if (thrown instanceof AggregateError) {
    const inner = thrown.errors.map((each) => describe(each, depth + 1)).join('; ')
    return [thrown.message, inner].filter(Boolean).join(': ')
  }
  if (thrown instanceof Error) {
    const own = thrown.message || thrown.name
    return thrown.cause === undefined ? own : `${own}: ${describe(thrown.cause, depth + 1)}`
  }
  const plain = toPlain(thrown)
  return typeof plain === 'string' ? plain : JSON.stringify(plain)
}
