/**
 * A result of the dispatcher as the protocol has it.
 * @module
 */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isAnswer, type MediaPart, type ToolResult } from '../round.ts'

/** Every outcome but an answer is an error that the client's model can read. */
export function callResult(result: ToolResult): CallToolResult {
  const { content, media = [], value, outcome, code } = result
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return {
    content: [{ type: 'text', text: content }, ...media.map(blockOf)],
    ...(isObject && { structuredContent: value }),
    ...(!isAnswer(outcome) && { isError: true }),
    _meta: { 'threepass/outcome': outcome, 'threepass/code': code },
  }
}

/** An error of this server itself, which no tool has seen. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function blockOf({ type, mimeType, data, url, name }: MediaPart): ContentBlock {
  if (data === undefined) {
    const uri = url ?? `threepass:${type}`
    return { type: 'resource_link', uri, name: name ?? uri, mimeType }
  }
  if (type !== 'file') return { type, data, mimeType }
  const uri = name && URL.canParse(name) ? name : `threepass:${encodeURIComponent(name ?? 'file')}`
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}
