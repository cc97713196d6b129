/**
 * What the model is told of an API's answer.
 * @module
 */
import { withoutSecrets } from '../builtin/secrets.ts'
import { headOf } from '../builtin/web.ts'
import type { Exchange } from '../net/request.ts'
import type { Json, JsonObject } from '../round.ts'

/** UTF-8 bytes of the body of an answer that is an error. */
const longestExcerpt = 4_096

export function answerOf(exchange: Exchange, secrets: readonly string[]): JsonObject {
  const { response, body } = exchange
  const { text, value } = contentOf(exchange, secrets)
  const partial = body.truncated || body.replaced
  if (response.status >= 400) {
    const after = response.headers.get('retry-after')
    const head = `HTTP ${response.status}${after ? ` (retry-after: ${withoutSecrets(after, secrets)})` : ''}`
    const excerpt = headOf(text, longestExcerpt)
    return {
      content: [{ type: 'text', text: [head, excerpt].filter(Boolean).join('\n') }],
      structuredContent: { status_code: response.status, body: value ?? excerpt },
      isError: true,
    }
  }
  // Where the next page is, and what was made; of an answer without a body all there is.
  const names = ['link', 'location', ...(text ? [] : ['content-type', 'content-length', 'etag'])]
  const lines = [
    text || `HTTP ${response.status}, no content`,
    ...names.flatMap((name) => {
      const header = response.headers.get(name)
      return header === null ? [] : [`[${name}: ${withoutSecrets(header, secrets)}]`]
    }),
    ...(body.truncated ? [`[Cut (${body.cutBy}): the first ${body.bytes.length} bytes.]`] : []),
    ...(body.replaced ? [`[Much of it could not be decoded as ${body.charset}.]`] : []),
  ]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    ...(value !== undefined && { structuredContent: value }),
    partial,
  }
}

/** The text without secrets, and its value when it is whole JSON. */
function contentOf(
  { response, body }: Exchange,
  secrets: readonly string[],
): { text: string; value?: Json } {
  const type = response.headers.get('content-type') ?? 'no content type'
  if (body.text === undefined)
    return { text: `[${body.bytes.length} bytes of binary data, ${type}]` }
  if (body.truncated) return { text: withoutSecrets(uncut(body.text, secrets), secrets) }
  const text = withoutSecrets(body.text, secrets)
  if (!/[/+]json\b/i.test(type)) return { text }
  try {
    const plain = JSON.stringify(JSON.parse(text))
    // JSON has more ways to write a character than one.
    const hidden = withoutSecrets(plain, secrets)
    return { text: hidden === plain ? text : hidden, value: JSON.parse(hidden) as Json }
  } catch {
    return { text }
  }
}

/** A text that was cut may end in the middle of a secret. */
function uncut(text: string, secrets: readonly string[]): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length * 3))
  return text.slice(0, text.length - Math.min(longest, text.length))
}
