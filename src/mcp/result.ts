/**
 * A server's result as the dispatcher takes it.
 * @module
 */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { Json, JsonObject } from '../round.ts'
import type { CompiledSchema } from '../schema/validator.ts'
import { structuredKey } from './messages.ts'

/**
 * What `execute` gives back: text, images, audio, resources and the structured answer. An answer that does
 * not fit the tool's own output schema is left out and the model is told so; the tool has run all the
 * same, so the call is no failure.
 */
export function resultOf(result: CallToolResult, output: CompiledSchema | undefined): JsonObject {
  const { content, isError, structuredContent, _meta, ...rest } = result
  const structured = (structuredContent ?? _meta?.[structuredKey]) as Json | undefined
  const parts = content.map(readable) as unknown as Json[]
  const shown = { ...(rest as JsonObject), content: parts, ...(isError && { isError }) }
  if (structured === undefined) return shown
  const problem = isError ? undefined : problemOf(structured, output)
  if (problem === undefined) return { ...shown, structuredContent: structured }
  return { ...shown, content: [...parts, { type: 'text', text: problem }] }
}

/** A link says what is behind it. */
function readable(part: ContentBlock): ContentBlock {
  if (part.type !== 'resource_link') return part
  const { uri, name, title, description, mimeType } = part
  const what = [title ?? name, mimeType && `(${mimeType})`, description].filter(Boolean)
  return { type: 'text', text: `[link: ${uri}${what.length > 0 ? ` ${what.join(' ')}` : ''}]` }
}

function problemOf(structured: Json, output: CompiledSchema | undefined): string | undefined {
  const checked = output?.check(structured as JsonObject, { coerce: false })
  if (!checked || checked.ok) return undefined
  const issues = checked.issues.slice(0, 5).map(({ path, message }) => `${path || 'it'} ${message}`)
  return `[The structured answer does not fit the tool's output schema and was left out: ${issues.join('; ')}]`
}
