import { describe, expect, it } from 'vitest'
import { createDispatcher, isDispatchError, type ToolResult } from '../../../src/index.ts'
import {
  anthropic,
  gemini,
  openAIChat,
  openAIResponses,
  readCalls,
} from '../../../src/providers/index.ts'

const chat = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'a', type: 'function', function: { name: 'x', arguments: '{"q":1}' } },
    { id: 'b', type: 'function', function: { name: 'y', arguments: '' } },
  ],
}
const claude = {
  role: 'assistant',
  stop_reason: 'max_tokens',
  content: [
    { type: 'text', text: 'Well.' },
    { type: 'tool_use', id: 'a', name: 'x', input: { q: 1 } },
  ],
}
const google = {
  role: 'model',
  parts: [{ text: 'Well.' }, { functionCall: { name: 'x', args: { q: 1 } } }],
}
const responses = {
  id: 'r',
  output: [
    { type: 'reasoning', summary: [] },
    { type: 'function_call', id: 'fc', call_id: 'a', name: 'x', arguments: '{"q":1}' },
  ],
  incomplete_details: { reason: 'max_output_tokens' },
}
const xOf = (args: unknown) => [{ id: 'a', name: 'x', arguments: args }]

describe('readCalls', () => {
  const cases: [string, unknown, object][] = [
    [
      'a Chat Completions message',
      chat,
      {
        provider: 'openai-chat',
        calls: [...xOf('{"q":1}'), { id: 'b', name: 'y', arguments: '' }],
      },
    ],
    [
      'a Chat Completions response',
      { choices: [{ finish_reason: 'length', message: chat }] },
      { provider: 'openai-chat', finishReason: 'length' },
    ],
    [
      'a bare list of tool_calls',
      chat.tool_calls,
      { provider: 'openai-chat', calls: [{ id: 'a' }, { id: 'b' }] },
    ],
    [
      'a Responses output',
      responses,
      { provider: 'openai-responses', calls: xOf('{"q":1}'), finishReason: 'max_output_tokens' },
    ],
    [
      'an Anthropic message',
      claude,
      { provider: 'anthropic', calls: xOf({ q: 1 }), finishReason: 'max_tokens' },
    ],
    ['Anthropic content alone', claude.content, { provider: 'anthropic', calls: xOf({ q: 1 }) }],
    [
      'a Gemini content',
      google,
      { provider: 'gemini', calls: [{ name: 'x', arguments: { q: 1 } }] },
    ],
    [
      'a Gemini response',
      { candidates: [{ content: google, finishReason: 'STOP' }] },
      { provider: 'gemini', finishReason: 'STOP' },
    ],
    [
      'a list of calls',
      [
        { name: 'x', args: { q: 1 } },
        { id: 'i', name: 'y', input: {} },
      ],
      {
        provider: 'threepass',
        calls: [
          { name: 'x', arguments: { q: 1 } },
          { id: 'i', name: 'y', arguments: {} },
        ],
      },
    ],
    ['one call', { name: 'x' }, { provider: 'threepass', calls: [{ name: 'x' }] }],
    [
      'an object with calls',
      { calls: [{ name: 'x' }] },
      { provider: 'threepass', calls: [{ name: 'x' }] },
    ],
    [
      'an OpenAI answer without calls',
      { role: 'assistant', content: 'Hello.' },
      { provider: 'openai-chat', calls: [] },
    ],
    [
      'a bare choice',
      { finish_reason: 'stop', message: chat },
      { provider: 'openai-chat', finishReason: 'stop' },
    ],
    [
      'the older function_call',
      { role: 'assistant', content: null, function_call: { name: 'x', arguments: '{}' } },
      { provider: 'openai-chat', calls: [{ name: 'x', arguments: '{}' }] },
    ],
    ['one tool call alone', chat.tool_calls[0], { provider: 'openai-chat', calls: xOf('{"q":1}') }],
    [
      'an Anthropic answer without calls',
      { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
      { provider: 'anthropic', calls: [] },
    ],
    ['Gemini parts alone', google.parts, { provider: 'gemini', calls: [{ name: 'x' }] }],
    ['one functionCall part', google.parts[1], { provider: 'gemini', calls: [{ name: 'x' }] }],
    [
      'a Gemini candidate without content',
      { candidates: [{ finishReason: 'MAX_TOKENS' }] },
      { provider: 'gemini', calls: [], finishReason: 'MAX_TOKENS' },
    ],
    ['an empty list', [], { provider: 'threepass', calls: [] }],
  ]
  it.each(cases)('%s', (_, message, expected) => {
    expect(readCalls(message)).toMatchObject(expected)
  })

  it.each([
    [undefined],
    [null],
    [7],
    ['text'],
    [{}],
    [[1]],
    [{ role: 'user', content: 'hi' }],
    [[{ x: 1 }]],
  ])('%j is refused with what is accepted', (message) => {
    expect(() => readCalls(message)).toThrowError(/tool_use.*functionCall/)
    try {
      readCalls(message)
    } catch (error) {
      expect(isDispatchError(error) && error.code).toBe('THREEPASS_BAD_ROUND')
    }
  })
})

describe('writeResults', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
  const results: ToolResult[] = [
    {
      callId: 'a',
      name: 'x',
      outcome: 'completed',
      code: 'completed',
      content: 'one',
      media: [image],
    },
    { callId: 'b', name: 'y', outcome: 'failed', code: 'tool-failed', content: 'y failed: no' },
  ]

  it('Chat Completions: one tool message a call, images in a user message after them', () => {
    expect(openAIChat.writeResults(results)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'y failed: no' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
    ])
  })

  it('Responses: one output item a call', () => {
    expect(openAIResponses.writeResults(results)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { type: 'function_call_output', call_id: 'b', output: 'y failed: no' },
    ])
  })

  it('Anthropic: one user message, errors marked', () => {
    expect(anthropic.writeResults(results)).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'one' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'b', content: 'y failed: no', is_error: true },
        ],
      },
    ])
  })

  it('Gemini: one user content, a response object each, no id that Gemini did not send', async () => {
    const tool = { name: 'x', description: 'x', readOnly: true, execute: () => 'one' }
    const run = createDispatcher({ tools: [tool], mode: 'full' }).run()
    const round = await run.dispatch(readCalls(google).calls)
    expect(gemini.writeResults(round.results)).toEqual([
      { role: 'user', parts: [{ functionResponse: { name: 'x', response: { output: 'one' } } }] },
    ])
    expect(gemini.writeResults(results.slice(1))).toEqual([
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'b', name: 'y', response: { error: 'y failed: no' } } }],
      },
    ])
  })
})
