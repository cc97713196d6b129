/**
 * What a server sends, made fit for the SDK before the SDK sees it: it refuses a whole list for one bad
 * tool, a whole result for one part, and waits for ever for an answer whose connection broke.
 * @module
 */
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client'
import { toPlain } from '../execute/plain.ts'
import type { Json, JsonObject } from '../round.ts'

/** Told by the code of an answer that never came: the connection broke, and nobody knows what happened. */
export const connectionBroke = -32_999

export interface MessageRules {
  readonly isTool: (value: unknown) => boolean
  /** Names of the tools of a page that the SDK is given. */
  readonly onTools: (names: readonly string[]) => void
  readonly isContent: (value: unknown) => boolean
  readonly hide: (text: string) => string
  /** A definition of the list that was left out, or the list that was cut short. */
  readonly onProblem: (definition: string, message: string) => void
}

/** The transport with every message looked at on its way in. */
export function watchMessages(inner: Transport, rules: MessageRules): Transport {
  const open = new Map<RequestId, string>()
  let cursors = new Set<string>()
  const outer: Transport = {
    hasPerRequestStream: true,
    start: () => inner.start(),
    close: () => inner.close(),
    get sessionId() {
      return inner.sessionId
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    async send(message, options = {}) {
      // A subscription has no answer: its stream is what it is about.
      if (!('method' in message && 'id' in message) || options.onRequestStreamEnd) {
        return inner.send(message, options)
      }
      const { id, method, params } = message
      open.set(id, method)
      if (method === 'tools/list' && params?.cursor === undefined) cursors = new Set()
      const onRequestStreamEnd = () => {
        if (open.delete(id)) outer.onmessage?.(brokenAnswer(id))
      }
      try {
        await inner.send(message, { ...options, onRequestStreamEnd })
      } catch (error) {
        open.delete(id)
        throw error
      }
    },
  }
  inner.onclose = () => outer.onclose?.()
  inner.onerror = (error) => outer.onerror?.(error)
  inner.onmessage = (message, extra) => {
    const shown = hideIn(message, rules.hide) as typeof message
    const { id, result } = shown as { id?: RequestId; result?: JsonObject }
    const method = id === undefined || 'method' in shown ? undefined : open.get(id)
    if (id !== undefined && method !== undefined) open.delete(id)
    if (method === 'tools/list' && result) tidyList(result, cursors, rules)
    if (method === 'tools/call' && result) tidyResult(result, rules)
    outer.onmessage?.(shown, extra)
  }
  return outer
}

function brokenAnswer(id: RequestId): JSONRPCMessage {
  const message = 'the connection broke before the answer came'
  return { jsonrpc: '2.0', id, error: { code: connectionBroke, message } }
}

/** Also bounds depth and size. */
function hideIn(message: unknown, hide: MessageRules['hide']): Json {
  return mapTexts(toPlain(message), hide)
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each, map)]),
  )
}

const mostPages = 64

function tidyList(
  result: JsonObject,
  cursors: Set<string>,
  { isTool, onTools, onProblem }: MessageRules,
): void {
  if (Array.isArray(result.tools)) {
    result.tools = result.tools.flatMap((given, index) => {
      const tool = withSchema(given)
      if (isTool(tool) && nameOf(tool) !== undefined) return [tool]
      onProblem(nameOf(given) ?? `tool ${index + 1}`, whatIsWrong(given))
      return []
    })
    onTools(result.tools.flatMap((tool) => nameOf(tool) ?? []))
  }
  const { nextCursor } = result
  if (typeof nextCursor !== 'string') return
  const problem = cursors.has(nextCursor)
    ? 'Its pages go in a circle: a cursor came twice. The list ends there.'
    : cursors.size + 1 >= mostPages
      ? `It has more than ${mostPages} pages: the rest was left out.`
      : undefined
  cursors.add(nextCursor)
  if (problem === undefined) return
  delete result.nextCursor
  onProblem('tools/list', problem)
}

/** No schema, or one without a type, means an object of anything. */
function withSchema(given: Json): Json {
  if (!isObject(given)) return given
  const { inputSchema = {} } = given
  if (!isObject(inputSchema) || inputSchema.type !== undefined) return { ...given, inputSchema }
  return { ...given, inputSchema: { type: 'object', ...inputSchema } }
}

function whatIsWrong(given: Json): string {
  if (!isObject(given)) return 'It is no object.'
  if (nameOf(given) === undefined) return 'It has no name.'
  const { inputSchema } = given
  if (isObject(inputSchema) && (inputSchema.type ?? 'object') !== 'object') {
    return 'Its inputSchema describes no object: a call has named arguments.'
  }
  return 'It is no tool as the protocol defines one: the server must correct its definition.'
}

function nameOf(given: Json): string | undefined {
  const name = isObject(given) ? given.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Where a structured answer that is no object waits until the SDK has looked at the result. */
export const structuredKey = 'threepass/structured'

/** The tool has run: whatever is odd about its answer, the answer is kept. */
function tidyResult(result: JsonObject, { isContent }: MessageRules): void {
  const { content, structuredContent, _meta } = result
  if (Array.isArray(content)) {
    result.content = content.map((part) =>
      isContent(part) ? part : { type: 'text', text: textOf(part) },
    )
  } else if (content !== undefined) {
    result.content = [{ type: 'text', text: textOf(content) }]
  }
  if (structuredContent === undefined || isObject(structuredContent)) return
  delete result.structuredContent
  if (structuredContent === null) return
  result._meta = { ...(isObject(_meta) && _meta), [structuredKey]: structuredContent }
}

function textOf(part: Json): string {
  return typeof part === 'string' ? part : JSON.stringify(part)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
