import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bedrock, readCalls, toolsFor, wireNames } from '../../../src/providers/index.ts'
import type { ToolResult } from '../../../src/round.ts'

const toolUse = { toolUseId: 'a', name: 'x', input: { q: 1 } }
const message = { role: 'assistant', content: [{ text: 'Well.' }, { toolUse }] }
const call = { id: 'a', name: 'x', arguments: { q: 1 } }

describe('bedrock', () => {
  it.each<[string, unknown, object]>([
    ['a message', message, { calls: [call] }],
    [
      'a whole response',
      { output: { message }, stopReason: 'max_tokens', usage: {} },
      { calls: [call], finishReason: 'max_tokens' },
    ],
    ['content alone', message.content, { calls: [call] }],
    ['one block', { toolUse }, { calls: [call] }],
    ['an answer without calls', { role: 'assistant', content: [{ text: 'Hi.' }] }, { calls: [] }],
    [
      'a stopped answer without content',
      { output: {}, stopReason: 'guardrail_intervened' },
      { calls: [], finishReason: 'guardrail_intervened' },
    ],
  ])('readCalls knows %s', (_, value, expected) => {
    expect(readCalls(value)).toEqual({ provider: 'bedrock', ...expected })
  })

  it('replays input as an object and the name as in the tool list (P32)', () => {
    const names = wireNames(['my tool!', 'x'])
    const tool = { name: 'my tool!', description: '', inputSchema: { properties: {} } }
    const [listed] = toolsFor('bedrock', [tool], names)
    const calls = [{ id: 'a', name: 'my tool!', arguments: '{"x":' }]
    const written = bedrock.writeCalls(calls, names)
    expect(written).toEqual({
      role: 'assistant',
      content: [
        {
          toolUse: {
            toolUseId: 'a',
            name: listed?.toolSpec.name,
            input: { rawArguments: '{"x":' },
          },
        },
      ],
    })
    expect(listed?.toolSpec).toEqual({
      name: names.toWire('my tool!'),
      inputSchema: { json: { type: 'object', properties: {} } },
    })
    expect(names.toWire('my tool!')).toMatch(/^[a-zA-Z0-9_-]+$/)
  })

  it.each<[unknown, object]>([
    [{ q: 1 }, { q: 1 }],
    ['{"q":1}', { q: 1 }],
    ['', {}],
    [undefined, {}],
    [null, {}],
    ['[1]', { rawArguments: '[1]' }],
    [[1], { rawArguments: '[1]' }],
    ['"x"', { rawArguments: '"x"' }],
  ])('writes arguments %j as %j (P32)', (given, input) => {
    const { content } = bedrock.writeCalls(
      [{ id: 'a', name: 'x', arguments: given }],
      wireNames([]),
    )
    expect(content[0]?.toolUse.input).toEqual(input)
  })

  it('reads back the text that it kept, whatever it was (P32)', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(text.trim() !== '')
        const written = bedrock.writeCalls(
          [{ id: 'a', name: 'x', arguments: `!${text}` }],
          wireNames([]),
        )
        expect(bedrock.readCalls({ ...written })?.calls).toEqual([
          { id: 'a', name: 'x', arguments: `!${text}` },
        ])
      }),
    )
  })

  it('writes results into one user message, errors marked, images as bytes', () => {
    const base = { name: 'x', code: 'c' }
    const media = [
      { type: 'image', mimeType: 'image/png', data: 'AAEC' },
      { type: 'image', mimeType: 'image/svg+xml', data: 'AAEC' },
      { type: 'image', mimeType: 'constructor', data: 'AAEC' },
    ] as const
    const results: ToolResult[] = [
      { ...base, callId: 'a', outcome: 'completed', content: 'one', media },
      { ...base, callId: 'b', outcome: 'schema', content: 'schema' },
      { ...base, callId: 'c', outcome: 'failed', content: 'no' },
    ]
    const bytes = new Uint8Array([0, 1, 2])
    const block = (toolUseId: string, text: string, status: string, more: object[] = []) => ({
      toolResult: { toolUseId, content: [{ text }, ...more], status },
    })
    expect(bedrock.writeResults(results)).toEqual([
      {
        role: 'user',
        content: [
          block('a', 'one', 'success', [{ image: { format: 'png', source: { bytes } } }]),
          block('b', 'schema', 'success'),
          block('c', 'no', 'error'),
        ],
      },
    ])
  })
})
