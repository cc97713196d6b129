/** https://docs.claude.com/en/docs/build-with-claude/streaming */
import type { Json, JsonObject } from '../../../src/index.ts'
import { frame, list, nameProblem, pieces } from './rules.ts'
import type { Protocol, Said } from './server.ts'

export const anthropicProtocol: Protocol = {
  path: /\/messages$/,
  problem({ messages, tools, max_tokens: most }, headers) {
    // The official SDK sends a bearer token since its version 1.
    const key = headers['x-api-key'] ?? headers.authorization
    if (!key) return 'x-api-key header is required'
    if (!headers['anthropic-version']) return 'anthropic-version: header is required'
    if (typeof most !== 'number') return 'max_tokens: Field required'
    return messagesProblem(list(messages)) ?? toolsProblem(list(tools))
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
  }),
  whole: ({ text, calls = [] }, { model }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: model ?? '',
    content: [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, args }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(args) as Json,
      })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 5 },
  }),
  stream(said, { model }) {
    const event = (type: string, data: JsonObject) => frame({ type, ...data }, type)
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: model ?? '',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 20,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    }
    const reason = said.cut ? 'max_tokens' : said.calls?.length ? 'tool_use' : 'end_turn'
    return [
      event('message_start', { message }),
      event('ping', {}),
      ...blocksOf(said).flatMap(({ block, deltas }, index) => [
        event('content_block_start', { index, content_block: block }),
        ...deltas.map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      event('message_stop', {}),
    ].join('')
  },
}

const errorTypes: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function blocksOf({
  reasoning,
  text,
  calls = [],
}: Said): { block: JsonObject; deltas: JsonObject[] }[] {
  const thinking = {
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(reasoning ?? '').map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature: 'c2lnbmVk' },
    ],
  }
  const spoken = {
    block: { type: 'text', text: '' },
    deltas: pieces(text ?? '').map((piece) => ({ type: 'text_delta', text: piece })),
  }
  return [
    ...(reasoning === undefined ? [] : [thinking]),
    ...(text === undefined ? [] : [spoken]),
    ...calls.map(({ id, name, args }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: ['', ...pieces(args)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    })),
  ]
}

function messagesProblem(messages: readonly JsonObject[]): string | undefined {
  const seen = new Set<unknown>()
  let open: unknown[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant'))
      return `messages.${index}: roles must alternate`
    const blocks = list(content)
    const results = blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => block.tool_use_id)
    if (
      open.some((id) => !results.includes(id as never)) ||
      results.some((id) => !open.includes(id))
    ) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join()}`
    }
    if (new Set(results).size !== results.length) return 'each tool_use must have a single result'
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return 'tool_result blocks must come first'
    if (blocks.some(({ type, text }) => type === 'text' && String(text).trim() === ''))
      return 'text content blocks must be non-empty'
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    for (const { id, input, name } of calls) {
      if (seen.has(id)) return '`tool_use` ids must be unique'
      seen.add(id)
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return 'tool_use.input: Input should be a valid dictionary'
      const problem = nameProblem([name])
      if (problem) return problem
    }
    open = calls.map(({ id }) => id)
  }
  return open.length > 0 ? 'the last calls are unanswered' : undefined
}

function toolsProblem(tools: readonly JsonObject[]): string | undefined {
  for (const { input_schema: schema } of tools) {
    const { type, anyOf, oneOf, allOf } = schema as JsonObject
    if (type !== 'object') return 'tools.0.input_schema.type: Field required'
    if (anyOf || oneOf || allOf)
      return 'input_schema does not support oneOf, allOf, or anyOf at the top level'
  }
  return nameProblem(tools.map(({ name }) => name))
}
