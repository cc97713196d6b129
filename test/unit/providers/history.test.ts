import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCalls, repairHistory } from '../../../src/providers/index.ts'

const lost = expect.stringMatching(/^Interrupted/)
const providers = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'] as const
type Provider = (typeof providers)[number]

/** A history in small words: calls by id, a result by id, or what the user or the model says. */
type Step = { calls: string[] } | { result: string } | { user: string } | { model: string }

const use = (id: string) => ({ type: 'tool_use', id, name: 'w', input: {} })
const result = (id: string, content: unknown = `of ${id}`) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const text = (words: string) => ({ type: 'text', text: words })
const chatCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'w', arguments: '{}' },
})
const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'w', input: {} } })
const geminiCall = (id: string) => ({ functionCall: { id, name: 'w', args: {} } })

const writers: Record<Provider, (step: Step) => object[]> = {
  'openai-chat': (step) => {
    if ('calls' in step) return [{ role: 'assistant', tool_calls: step.calls.map(chatCall) }]
    if ('result' in step) return [{ role: 'tool', tool_call_id: step.result, content: 'r' }]
    if ('user' in step) return [{ role: 'user', content: step.user }]
    return [{ role: 'assistant', content: step.model }]
  },
  'openai-responses': (step) => {
    if ('calls' in step)
      return step.calls.flatMap((id) => [
        { type: 'reasoning', summary: [] },
        { type: 'function_call', call_id: id, name: 'w', arguments: '{}' },
      ])
    if ('result' in step)
      return [{ type: 'function_call_output', call_id: step.result, output: 'r' }]
    if ('user' in step) return [{ role: 'user', content: step.user }]
    return [{ role: 'assistant', content: step.model }]
  },
  anthropic: (step) => {
    if ('calls' in step) return [{ role: 'assistant', content: step.calls.map(use) }]
    if ('result' in step) return [{ role: 'user', content: [result(step.result, 'r')] }]
    if ('user' in step) return [{ role: 'user', content: step.user }]
    return [{ role: 'assistant', content: [text(step.model)] }]
  },
  gemini: (step) => {
    if ('calls' in step) return [{ role: 'model', parts: step.calls.map(geminiCall) }]
    if ('result' in step) {
      const functionResponse = { id: step.result, name: 'w', response: { output: 'r' } }
      return [{ role: 'user', parts: [{ functionResponse }] }]
    }
    if ('user' in step) return [{ role: 'user', parts: [{ text: step.user }] }]
    return [{ role: 'model', parts: [{ text: step.model }] }]
  },
  bedrock: (step) => {
    if ('calls' in step) return [{ role: 'assistant', content: step.calls.map(toolUse) }]
    if ('result' in step) {
      const toolResult = { toolUseId: step.result, content: [{ text: 'r' }], status: 'success' }
      return [{ role: 'user', content: [{ toolResult }] }]
    }
    if ('user' in step) return [{ role: 'user', content: [{ text: step.user }] }]
    return [{ role: 'assistant', content: [{ text: step.model }] }]
  },
}

/** Ids of calls and of results in their order, and where each run of them stands: `call a,b`, `result a,b`, `-`. */
function outline(messages: readonly object[]): string[] {
  const found = [
    ...JSON.stringify(messages).matchAll(
      /"(id|call_id|toolUseId|tool_call_id|tool_use_id)":"([^"]*)"|"(?:text|content)":"say|("functionResponse"|"toolResult"|"function_call_output")|("functionCall"|"toolUse"|"function_call")/g,
    ),
  ]
  let answers = false
  const marks: string[] = []
  for (const [, key, id, answer, call] of found) {
    if (answer || call) answers = Boolean(answer)
    if (id === undefined) {
      if (!answer && !call) marks.push('-')
      continue
    }
    const isAnswer =
      key === 'tool_call_id' ||
      key === 'tool_use_id' ||
      (answers && key !== 'id') ||
      (answers && key === 'id')
    marks.push(`${isAnswer ? 'result' : 'call'} ${id}`)
  }
  return marks
}

const id = fc.constantFrom('a', 'b', 'c')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ calls: fc.array(id, { minLength: 1, maxLength: 3 }) }),
  fc.record({ result: id }),
  fc.record({ user: fc.constant('say') }),
  fc.record({ model: fc.constant('say') }),
)

describe('repairHistory', () => {
  it('Anthropic: one user message behind the calls, results first, then the text (P29)', () => {
    const history = [
      { role: 'assistant', content: [text('Well.'), use('a'), use('b')] },
      { role: 'user', content: [text('first'), result('a')] },
      { role: 'user', content: 'next' },
    ]
    const copy = structuredClone(history)
    const repaired = repairHistory(history, 'anthropic')
    expect(repaired).toEqual([
      history[0],
      {
        role: 'user',
        content: [
          result('a'),
          { ...result('b', lost), is_error: true },
          text('first'),
          text('next'),
        ],
      },
    ])
    expect(repairHistory(repaired, 'anthropic')).toEqual(repaired)
    expect(history).toEqual(copy)
  })

  it('Anthropic: calls at the end are answered; late, doubled and orphan results are not left (P29)', () => {
    const late = [
      { role: 'user', content: [result('z')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: 'hm' },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: [result('a'), result('a', 'again')] },
      { role: 'assistant', content: [use('b')] },
    ]
    expect(repairHistory(late, 'anthropic')).toEqual([
      late[1],
      { role: 'user', content: [result('a'), text('hm')] },
      { role: 'assistant', content: [text('ok'), use('b')] },
      { role: 'user', content: [{ ...result('b', lost), is_error: true }] },
    ])
  })

  it('Gemini: as many responses as calls, in call order, signatures kept (P31)', () => {
    const signed = { ...geminiCall('1'), thoughtSignature: 'S' }
    const history = [
      { role: 'model', parts: [signed] },
      { role: 'model', parts: [geminiCall('2')] },
      {
        role: 'user',
        parts: [{ text: 'and' }, { functionResponse: { id: '2', name: 'w', response: 2 } }],
      },
    ]
    const repaired = repairHistory(history, 'gemini')
    expect(repaired).toEqual([
      { role: 'model', parts: [signed, geminiCall('2')] },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '1', name: 'w', response: { error: lost } } },
          { functionResponse: { id: '2', name: 'w', response: { output: 2 } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and' }] },
    ])
    expect(repairHistory(repaired, 'gemini')).toEqual(repaired)
  })

  it('Gemini: goes by name and order where there are no ids (P31)', () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } })
    const answer = (name: string, output: number) => ({
      functionResponse: { name, response: { output } },
    })
    const history = [
      { role: 'model', parts: [call('v'), call('w'), call('w')] },
      { role: 'function', parts: [answer('w', 1), answer('w', 2), answer('w', 3), answer('v', 0)] },
    ]
    expect(repairHistory(history, 'gemini')).toEqual([
      history[0],
      { role: 'user', parts: [answer('v', 0), answer('w', 1), answer('w', 2)] },
    ])
  })

  it('Chat Completions: tool messages right behind the calls (P29)', () => {
    const calls = { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] }
    const tool = (tool_call_id: string, content: unknown) => ({
      role: 'tool',
      tool_call_id,
      content,
    })
    const user = { role: 'user', content: 'next' }
    expect(
      repairHistory([tool('z', '0'), calls, user, tool('b', '2'), tool('b', '3')], 'openai-chat'),
    ).toEqual([calls, tool('a', lost), tool('b', '2'), user])
  })

  it('Responses: outputs behind the calls of one answer, reasoning beside its call (P29)', () => {
    const call = (call_id: string) => ({
      type: 'function_call',
      call_id,
      name: 'w',
      arguments: '{}',
    })
    const output = (call_id: string, said: unknown) => ({
      type: 'function_call_output',
      call_id,
      output: said,
    })
    const reasoning = { type: 'reasoning', summary: [] }
    const user = { role: 'user', content: 'next' }
    expect(
      repairHistory(
        [reasoning, call('a'), reasoning, call('b'), user, output('b', '2'), output('z', '0')],
        'openai-responses',
      ),
    ).toEqual([
      reasoning,
      call('a'),
      reasoning,
      call('b'),
      output('a', lost),
      output('b', '2'),
      user,
    ])
  })

  it('never takes an older call for one whose id came back (P16)', () => {
    const calls = { role: 'assistant', content: null, tool_calls: [chatCall('bash:0')] }
    const tool = (content: unknown) => ({ role: 'tool', tool_call_id: 'bash:0', content })
    expect(repairHistory([calls, calls, tool('2'), tool('3')], 'openai-chat')).toEqual([
      calls,
      tool(lost),
      calls,
      tool('2'),
    ])
    const claude = { role: 'assistant', content: [use('x')] }
    const answer = { role: 'user', content: [result('x', '1')] }
    expect(repairHistory([claude, answer, claude, answer], 'anthropic')).toEqual([
      claude,
      answer,
      { role: 'assistant', content: [use('x_2')] },
      { role: 'user', content: [result('x_2', '1')] },
    ])
  })

  it('gives the second call of an id a fresh one, in its result too (P17)', () => {
    const calls = { role: 'assistant', content: [use('x'), use('x')] }
    for (const second of ['x', 'x_2']) {
      const history = [calls, { role: 'user', content: [result('x', 'A'), result(second, 'B')] }]
      expect(repairHistory(history, 'anthropic')).toEqual([
        { role: 'assistant', content: [use('x'), use('x_2')] },
        { role: 'user', content: [result('x', 'A'), result('x_2', 'B')] },
      ])
    }
    const { id: _, ...nameless } = chatCall('')
    const chat = [{ role: 'assistant', tool_calls: [chatCall('x'), chatCall('x'), nameless] }]
    expect(outline(repairHistory(chat, 'openai-chat'))).toEqual([
      'call x',
      'call x_2',
      'call call_1_3',
      'result x',
      'result x_2',
      'result call_1_3',
    ])
  })

  it('answers each call once, behind it, in order; again changes nothing (P29) (P31)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...providers),
        fc.array(step, { maxLength: 12 }),
        (provider, steps) => {
          const history = steps.flatMap(writers[provider])
          const copy = structuredClone(history)
          const repaired = repairHistory(history, provider)
          expect(history).toEqual(copy)
          expect(repairHistory(repaired, provider)).toEqual(repaired)
          const marks = outline(repaired)
          const callsOf = (list: readonly object[]) =>
            outline(list).filter((mark) => mark.startsWith('call'))
          expect(callsOf(repaired)).toHaveLength(callsOf(history).length)
          let open: string[] = []
          for (const mark of marks) {
            const [kind, of = ''] = mark.split(' ')
            if (kind === 'call') open.push(of)
            else if (kind === 'result') expect(open.shift()).toBe(of)
            else if (provider !== 'anthropic' && provider !== 'bedrock') continue
          }
          expect(open).toEqual([])
          open = []
        },
      ),
      { numRuns: 500 },
    )
  })

  it('leaves a history that is right as it is', () => {
    for (const provider of providers) {
      const steps: Step[] = [
        { user: 'say' },
        { calls: ['a'] },
        { result: 'a' },
        { model: 'say' },
        { user: 'say' },
        { calls: ['b'] },
        { result: 'b' },
      ]
      const history = steps.flatMap(writers[provider])
      expect(repairHistory(history, provider)).toEqual(history)
      expect(repairHistory([], provider)).toEqual([])
    }
  })

  it('Bedrock: roles alternate, inputs are objects, names as in the tool list (P29) (P32)', () => {
    const broken = { toolUseId: 'a', name: 'my tool!', input: '{"x":' }
    const history = [
      { role: 'assistant', content: [{ toolUse: broken }] },
      { role: 'user', content: [{ text: 'next' }] },
    ]
    const repaired = repairHistory(history, 'bedrock')
    expect(repaired).toMatchObject([
      {
        content: [
          {
            toolUse: {
              toolUseId: 'a',
              name: expect.stringMatching(/^my_tool__[a-z0-9]{7}$/),
              input: { rawArguments: '{"x":' },
            },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: lost }], status: 'error' } },
          { text: 'next' },
        ],
      },
    ])
    expect(repairHistory(repaired, 'bedrock')).toEqual(repaired)
    expect(readCalls(repaired[0]).calls).toMatchObject([{ id: 'a', arguments: '{"x":' }])
  })
})
