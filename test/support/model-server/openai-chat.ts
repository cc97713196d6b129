/** https://platform.openai.com/docs/api-reference/chat-streaming */
import type { JsonObject } from '../../../src/index.ts'
import { frame, list, nameProblem, pieces, strictProblem } from './rules.ts'
import type { Protocol, Said } from './server.ts'

export const openAIChatProtocol: Protocol = {
  path: /\/chat\/completions$/,
  problem({ model, messages, tools }, headers) {
    if (!headers.authorization?.startsWith('Bearer ')) return 'You did not provide an API key.'
    if (typeof model !== 'string') return 'you must provide a model parameter'
    return messagesProblem(list(messages)) ?? toolsProblem(list(tools))
  },
  error: (status, message) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    },
  }),
  whole: (said, { model }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: model ?? '',
    choices: [
      {
        index: 0,
        message: wholeMessage(said),
        finish_reason: said.calls?.length ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
  }),
  stream(said, { model, stream_options: options }) {
    const chunk = (choices: JsonObject[], more: JsonObject = {}) =>
      frame({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: model ?? '',
        choices,
        ...more,
      })
    const delta = (given: JsonObject, finish: string | null = null) =>
      chunk([{ index: 0, delta: given, logprobs: null, finish_reason: finish }])
    const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
    return [
      delta({ role: 'assistant', content: '', refusal: null }),
      ...pieces(said.text ?? '').map((content) => delta({ content })),
      ...callDeltas(said).map((call) => delta({ tool_calls: [call] })),
      delta({}, said.cut ? 'length' : said.calls?.length ? 'tool_calls' : 'stop'),
      ...((options as JsonObject | undefined)?.include_usage ? [chunk([], { usage })] : []),
      'data: [DONE]\n\n',
    ].join('')
  },
}

function wholeMessage({ text, calls = [] }: Said): JsonObject {
  const made = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  return { role: 'assistant', content: text ?? null, ...(made.length > 0 && { tool_calls: made }) }
}

/** The arguments of several calls interleave. */
function callDeltas({ calls = [] }: Said): JsonObject[] {
  const opened = calls.map(({ id, name }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: '' },
  }))
  const parts = calls.map(({ args }) => pieces(args))
  const longest = Math.max(0, ...parts.map(({ length }) => length))
  const rest = Array.from({ length: longest }, (_, at) =>
    parts.flatMap((own, index) => {
      const piece = own[at]
      return piece === undefined ? [] : [{ index, function: { arguments: piece } }]
    }),
  )
  return [...opened, ...rest.flat()]
}

function messagesProblem(messages: readonly JsonObject[]): string | undefined {
  if (messages.length === 0) return 'messages is too short'
  let open = new Set<unknown>()
  for (const { role, tool_calls: calls, tool_call_id: id, content } of messages) {
    if (role === 'tool') {
      if (!open.delete(id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
      if (typeof content !== 'string' && !Array.isArray(content))
        return 'a tool message needs content'
      continue
    }
    if (open.size > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages: ${[...open].join()}`
    const own = list(calls)
    if (own.some((call) => typeof (call.function as JsonObject).arguments !== 'string'))
      return 'arguments must be a string'
    open = new Set(own.map((call) => call.id))
    if (open.size !== own.length) return 'tool call ids must be unique'
  }
  return open.size > 0 ? 'tool calls are unanswered' : undefined
}

export function toolsProblem(tools: readonly JsonObject[]): string | undefined {
  if (tools.length > 128) return 'array too long: at most 128 tools'
  const functions = tools.map((tool) => tool.function as JsonObject)
  for (const { parameters, strict } of functions) {
    if ((parameters as JsonObject).type !== 'object')
      return 'schema must be a JSON Schema of type: "object"'
    const problem = strict === true ? strictProblem(parameters) : undefined
    if (problem) return problem
  }
  return nameProblem(functions.map(({ name }) => name))
}
