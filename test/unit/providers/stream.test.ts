import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStream } from '../../../src/providers/index.ts'

type Provider = Parameters<typeof readStream>[0]

function read(provider: Provider, chunks: readonly unknown[]) {
  const stream = readStream(provider)
  for (const chunk of chunks) stream.push(chunk)
  return stream.finish()
}

const chat = (...deltas: object[]) =>
  read(
    'openai-chat',
    deltas.map((delta) => ({ choices: [{ index: 0, delta: { tool_calls: [delta] } }] })),
  ).calls
const part = (text: string, name?: string) => ({
  function: { ...(name !== undefined && { name }), arguments: text },
})

interface Sent {
  readonly id: string
  readonly name: string
  readonly text: string
}

/** How each provider opens the call at a place, and sends a piece of its text. */
const wires: Record<
  Exclude<Provider, 'gemini'>,
  { open: (call: Sent, at: number) => object; piece: (text: string, at: number) => object }
> = {
  'openai-chat': {
    open: ({ id, name }, index) => ({
      choices: [{ delta: { tool_calls: [{ index, id, ...part('', name) }] } }],
    }),
    piece: (text, index) => ({ choices: [{ delta: { tool_calls: [{ index, ...part(text) }] } }] }),
  },
  'openai-responses': {
    open: ({ id, name }, at) => ({
      type: 'response.output_item.added',
      output_index: at,
      item: { type: 'function_call', id: `fc_${at}`, call_id: id, name, arguments: '' },
    }),
    piece: (delta, at) => ({
      type: 'response.function_call_arguments.delta',
      output_index: at,
      item_id: `other_${delta}`,
      delta,
    }),
  },
  anthropic: {
    open: ({ id, name }, index) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name, input: {} },
    }),
    piece: (partial_json, index) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    }),
  },
  bedrock: {
    open: ({ id, name }, contentBlockIndex) => ({
      contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } },
    }),
    piece: (input, contentBlockIndex) => ({
      contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } },
    }),
  },
}
const providers = Object.keys(wires) as (keyof typeof wires)[]

describe('readStream', () => {
  it('keeps interleaved deltas apart, and a repeated name whole (P25)', () => {
    const calls = chat(
      { index: 0, id: 'a', ...part('{"q":', 'x') },
      { index: 1, id: 'b', ...part('{"q":', 'x') },
      { index: 0, ...part('1}', 'x') },
      { index: 1, ...part('2}') },
    )
    expect(calls).toEqual([
      { id: 'a', name: 'x', arguments: '{"q":1}' },
      { id: 'b', name: 'x', arguments: '{"q":2}' },
    ])
  })

  it('opens a call for a new id at a used index, continues without id and index (P26)', () => {
    const calls = chat(
      { index: 0, id: 'a', ...part('{"q":"Emma"}', 's') },
      { index: 0, id: 'b', ...part('{"q":"Virginia"}', 's') },
      { id: 'c', ...part('{', 't') },
      part('}'),
    )
    expect(calls).toEqual([
      { id: 'a', name: 's', arguments: '{"q":"Emma"}' },
      { id: 'b', name: 's', arguments: '{"q":"Virginia"}' },
      { id: 'c', name: 't', arguments: '{}' },
    ])
  })

  it('tells whole calls apart that have neither id nor index (P26)', () => {
    const calls = chat(part('{"q":1}', 's'), part('{"q":2}', 's'), part('{}', 't'))
    expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['s', '{"q":1}'],
      ['s', '{"q":2}'],
      ['t', '{}'],
    ])
  })

  it('keeps two calls of one id: by index, or where other arguments begin (P17)', () => {
    const one = part('{"p":"A"}', 'read')
    const other = part('{"p":"B"}', 'read')
    const both = ['{"p":"A"}', '{"p":"B"}']
    const texts = (...deltas: object[]) => chat(...deltas).map((call) => call.arguments)
    expect(texts({ index: 0, id: 'x', ...one }, { index: 1, id: 'x', ...other })).toEqual(both)
    expect(texts({ id: 'x', ...one }, { id: 'x', ...other })).toEqual(both)
    // The whole call once more at the end is no second call.
    expect(texts({ index: 0, id: 'x', ...one }, { index: 0, id: 'x', ...one })).toEqual(
      both.slice(0, 1),
    )
  })

  it('takes an id that comes later, and goes by index for the order (P26)', () => {
    const calls = chat(
      { index: 1, ...part('{"n":', 'b') },
      { index: 0, id: 'a', ...part('{}', 'a') },
      { index: 1, id: 'late', ...part('1}') },
    )
    expect(calls).toEqual([
      { id: 'a', name: 'a', arguments: '{}' },
      { id: 'late', name: 'b', arguments: '{"n":1}' },
    ])
  })

  it('is not ended by text between the pieces; the finish reason is kept (P28)', () => {
    const call = { id: 'a', name: 't', text: '' }
    const between: Record<keyof typeof wires, object[]> = {
      'openai-chat': [{ choices: [{ delta: { content: 'hello' } }] }],
      'openai-responses': [{ type: 'response.output_text.delta', output_index: 1, delta: 'hello' }],
      anthropic: [
        { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hello' } },
        { type: 'content_block_stop', index: 1 },
      ],
      bedrock: [{ contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'hello' } } }],
    }
    const end: Record<keyof typeof wires, object> = {
      'openai-chat': { choices: [{ delta: {}, finish_reason: 'why' }] },
      'openai-responses': {
        type: 'response.incomplete',
        response: { incomplete_details: { reason: 'why' } },
      },
      anthropic: { type: 'message_delta', delta: { stop_reason: 'why' } },
      bedrock: { messageStop: { stopReason: 'why' } },
    }
    for (const provider of providers) {
      const { open, piece } = wires[provider]
      const chunks = [open(call, 0), piece('{"q":', 0), ...between[provider], piece('1}', 0)]
      expect(read(provider, [...chunks, end[provider], { choices: [], usage: {} }])).toEqual({
        calls: [{ id: 'a', name: 't', arguments: '{"q":1}' }],
        finishReason: 'why',
      })
    }
  })

  it('gives the same calls wherever the text is cut, interleaved or not (P25)', () => {
    const sent = fc.record({ name: fc.constantFrom('x', 'y'), text: fc.string({ unit: 'binary' }) })
    fc.assert(
      fc.property(
        fc.constantFrom(...providers),
        fc.array(sent, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (provider, list, size, interleaved) => {
          const { open, piece } = wires[provider]
          const calls = list.map((call, at) => ({ ...call, id: `c${at}` }))
          const pieces = calls.flatMap(({ text }, at) =>
            (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((each, turn) => ({
              chunk: piece(each, at),
              turn: interleaved ? turn : at,
            })),
          )
          const inTurn = [...pieces].sort((one, other) => one.turn - other.turn)
          const chunks = [...calls.map(open), ...inTurn.map(({ chunk }) => chunk)]
          expect(read(provider, chunks).calls).toEqual(
            calls.map(({ id, name, text }) => ({ id, name, arguments: text })),
          )
        },
      ),
    )
  })

  it('gives the same call when id and name stand on every delta, cut at each position (P25)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), fc.boolean(), (args, indexed) => {
        const text = JSON.stringify(args)
        for (let at = 0; at <= text.length; at += 1) {
          const deltas = [text.slice(0, at), text.slice(at)].map((each) => ({
            ...(indexed && { index: 0 }),
            id: 'a',
            ...part(each, 'x'),
          }))
          expect(chat(...deltas)).toEqual([{ id: 'a', name: 'x', arguments: text }])
        }
      }),
      { numRuns: 30 },
    )
  })

  it('takes whole parts of Gemini, and the text that other servers send at once', () => {
    const content = (functionCall: object) => ({
      content: { role: 'model', parts: [{ functionCall }] },
    })
    expect(
      read('gemini', [
        { candidates: [content({ name: 'w', args: { q: 1 } })] },
        { candidates: [{ ...content({ id: 'i', name: 'w' }), finishReason: 'STOP' }] },
      ]),
    ).toEqual({
      calls: [
        { name: 'w', arguments: { q: 1 } },
        { id: 'i', name: 'w' },
      ],
      finishReason: 'STOP',
    })
    const block = { type: 'tool_use', id: 'a', name: 'x', input: { q: 1 } }
    const whole = { type: 'content_block_start', index: 0, content_block: block }
    expect(read('anthropic', [whole]).calls).toMatchObject([{ arguments: '{"q":1}' }])
    const item = { type: 'function_call', call_id: 'a', name: 'x', arguments: '{"q":1}' }
    const done = { type: 'response.output_item.done', output_index: 0, item }
    const completed = { type: 'response.completed', response: { output: [item] } }
    for (const events of [[completed], [done], [done, completed]]) {
      expect(read('openai-responses', events).calls).toEqual([
        { id: 'a', name: 'x', arguments: '{"q":1}' },
      ])
    }
    const settled = { type: 'response.function_call_arguments.done', output_index: 0 }
    const { open, piece } = wires['openai-responses']
    const cut = [open({ id: 'a', name: 'x', text: '' }, 0), piece('{"q"', 0)]
    expect(
      read('openai-responses', [...cut, { ...settled, arguments: '{"q":1}' }]).calls,
    ).toMatchObject([{ arguments: '{"q":1}' }])
    const old = { choices: [{ delta: { function_call: { name: 'x', arguments: '{}' } } }] }
    expect(read('openai-chat', [old]).calls).toEqual([{ name: 'x', arguments: '{}' }])
  })

  it('ignores chunks that make no sense, of every provider', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...providers, 'gemini' as const),
        fc.array(fc.oneof(fc.anything(), fc.jsonValue())),
        (provider, chunks) => {
          expect(read(provider, chunks)).toEqual({ calls: [] })
        },
      ),
    )
    expect(read('openai-chat', [{ choices: [{ delta: { tool_calls: [{ index: 3 }] } }] }])).toEqual(
      {
        calls: [],
      },
    )
    const server = wires.anthropic.piece('{"query":1}', 2)
    expect(read('anthropic', [server])).toEqual({ calls: [] })
  })
})
