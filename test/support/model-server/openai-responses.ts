/** https://platform.openai.com/docs/api-reference/responses-streaming */
import type { JsonObject } from '../../../src/index.ts'
import { toolsProblem } from './openai-chat.ts'
import { frame, list, pieces } from './rules.ts'
import type { Protocol, Said } from './server.ts'

export const openAIResponsesProtocol: Protocol = {
  path: /\/responses$/,
  problem({ input, tools }, headers) {
    if (!headers.authorization?.startsWith('Bearer ')) return 'You did not provide an API key.'
    const functions = list(tools).map((tool) => ({ function: tool }))
    return inputProblem(list(input)) ?? toolsProblem(functions)
  },
  error: (status, message) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    },
  }),
  stream(said, { model }) {
    let sequence = 0
    const event = (type: string, data: JsonObject) => {
      sequence += 1
      return frame({ type, sequence_number: sequence, ...data }, type)
    }
    const response = (status: string, more: JsonObject = {}) => ({
      response: {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        model: model ?? '',
        status,
        output: [],
        ...more,
      },
    })
    const items = itemsOf(said)
    const usage = {
      input_tokens: 20,
      output_tokens: 5,
      total_tokens: 25,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    }
    const details = said.cut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}
    return [
      event('response.created', response('in_progress')),
      event('response.in_progress', response('in_progress')),
      ...items.flatMap((item, index) => itemEvents(item, index, event)),
      event(
        said.cut ? 'response.incomplete' : 'response.completed',
        response(said.cut ? 'incomplete' : 'completed', { output: items, usage, ...details }),
      ),
    ].join('')
  },
}

function itemsOf({ text, calls = [] }: Said): JsonObject[] {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: text ?? '', annotations: [] }],
  }
  return [
    ...(text === undefined ? [] : [message]),
    ...calls.map(({ id, name, args }, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: id,
      name,
      arguments: args,
      status: 'completed',
    })),
  ]
}

function itemEvents(
  item: JsonObject,
  output_index: number,
  event: (type: string, data: JsonObject) => string,
): string[] {
  const begun = { ...item, status: 'in_progress' }
  const done = event('response.output_item.done', { output_index, item })
  const at = { item_id: item.id ?? '', output_index }
  if (item.type === 'function_call') {
    const text = String(item.arguments)
    return [
      event('response.output_item.added', { output_index, item: { ...begun, arguments: '' } }),
      ...pieces(text).map((delta) =>
        event('response.function_call_arguments.delta', { ...at, delta }),
      ),
      event('response.function_call_arguments.done', { ...at, arguments: text }),
      done,
    ]
  }
  const [part] = list(item.content)
  const text = String(part?.text)
  const within = { ...at, content_index: 0 }
  return [
    event('response.output_item.added', { output_index, item: { ...begun, content: [] } }),
    event('response.content_part.added', { ...within, part: { ...part, text: '' } }),
    ...pieces(text).map((delta) => event('response.output_text.delta', { ...within, delta })),
    event('response.output_text.done', { ...within, text }),
    event('response.content_part.done', { ...within, part: part ?? {} }),
    done,
  ]
}

function inputProblem(items: readonly JsonObject[]): string | undefined {
  const calls = items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id)
  const outputs = items
    .filter(({ type }) => type === 'function_call_output')
    .map(({ call_id }) => call_id)
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return `No tool output found for function call ${String(open)}.`
  const lost = outputs.find((id) => !calls.includes(id))
  return lost === undefined
    ? undefined
    : `No tool call found for function call output with call_id ${String(lost)}.`
}
