import { describe, expect, it } from 'vitest'
import {
  type AgentCheckpoint,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  runAgent,
  streamAgent,
} from '../../../src/agent/index.ts'
import { type AnyTool, createDispatcher, type JsonObject } from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { call, calls, finish, says, scriptedModel, text } from '../../support/scripted-model.ts'

const add: AnyTool = {
  name: 'add',
  description: 'Adds.',
  readOnly: true,
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
}
const broken: AnyTool = {
  name: 'broken',
  description: 'Fails.',
  readOnly: true,
  dedupe: false,
  execute: () => {
    throw new Error('no such host')
  },
}
const dispatcherOf = (...tools: AnyTool[]) => createDispatcher({ tools, mode: 'full' })

async function run(
  script: Parameters<typeof scriptedModel>[0],
  options: Partial<AgentOptions> = {},
  tools = [add, broken],
) {
  const model = scriptedModel(script)
  const events: AgentEvent[] = []
  const result = await runAgent({
    model,
    ...(!options.run && { dispatcher: dispatcherOf(...tools) }),
    prompt: 'go',
    sleep: async () => {},
    random: () => 1,
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { model, events, result }
}

/** Ids of the calls of a conversation, and of its results. */
function ids(messages: readonly AgentMessage[]) {
  const of = (type: string) =>
    messages.flatMap(({ content }) =>
      (content as { type: string; toolCallId: string }[]).flatMap((part) =>
        part.type === type ? part.toolCallId : [],
      ),
    )
  return { calls: of('tool-call'), results: of('tool-result') }
}

describe('the loop', () => {
  it('dispatches the calls of an answer as one round and feeds the results back', async () => {
    const { model, result, events } = await run([
      calls(['a', 'add', { a: 1, b: 2 }], ['b', 'add', { a: 3, b: 4 }]),
      says('3 and 7'),
    ])
    expect(result).toMatchObject({ reason: 'answer', text: '3 and 7', steps: 2 })
    expect(model.requests[1]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: { a: 1, b: 2 } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'add', input: { a: 3, b: 4 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'add',
            output: { type: 'text', value: '{"sum":3}' },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'add',
            output: { type: 'text', value: '{"sum":7}' },
          },
        ],
      },
    ])
    expect(result.usage).toEqual({
      inputTokens: 20,
      outputTokens: 6,
      cachedInputTokens: 8,
      reasoningTokens: 2,
    })
    expect(events.filter(({ type }) => type === 'round')).toHaveLength(1)
    expect(result.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: '3 and 7' }],
    })
  })

  it('tells text, reasoning and arguments as they arrive, and sends back what the provider signed', async () => {
    const signed = { provider: { signature: 'xyz' } }
    const { events, result, model } = await run([
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'hmm' },
        { type: 'reasoning-end', id: 'r', providerMetadata: signed },
        ...text('Hi'),
        ...call('a', 'add', { a: 1, b: 1 }),
        finish('tool-calls'),
      ],
      says('2'),
    ])
    const told = events.map((event) => [
      event.type,
      Object.values(event)[1],
      Object.values(event)[2],
    ])
    expect(told.slice(0, 10)).toEqual([
      ['step_start', 1, undefined],
      ['reasoning_start', 'r', undefined],
      ['reasoning_delta', 'r', 'hmm'],
      ['reasoning_end', 'r', undefined],
      ['text_start', '0', undefined],
      ['text_delta', '0', 'H'],
      ['text_delta', '0', 'i'],
      ['text_end', '0', undefined],
      ['tool_input_start', 'a', 'add'],
      ['tool_input_delta', 'a', '{"a'],
    ])
    expect(events.at(-1)).toEqual({ type: 'finish', result })
    expect(model.requests[1]?.prompt[1]?.content[0]).toEqual({
      type: 'reasoning',
      text: 'hmm',
      providerOptions: signed,
    })
  })

  it('goes through deferred schemas: the turn context in the system text, two schemas in the request', async () => {
    const model = scriptedModel([
      calls(['a', 'find_tools', { query: 'select:add' }]),
      calls(['b', 'run_tool', { name: 'add', args: { a: 1, b: 2 } }]),
      says('3'),
    ])
    const result = await runAgent({
      model,
      dispatcher: createDispatcher({ tools: [add] }),
      system: 'Be brief.',
      prompt: 'add 1 and 2',
    })
    expect(result.reason).toBe('answer')
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['find_tools', 'run_tool'])
    expect(model.requests[0]?.prompt[0]?.content).toMatch(/^Be brief\.\n\nTools .*: add$/)
    // The result answers the call under the name that the call said.
    expect(result.messages[4]).toMatchObject({
      content: [{ toolName: 'run_tool', output: { type: 'text', value: '{"sum":3}' } }],
    })
  })

  it('makes the last step of the budget without tools, so that it answers', async () => {
    const { model, result } = await run(
      [
        calls(['a', 'add', { a: 1, b: 1 }]),
        [...text('two'), ...call('x', 'add', { a: 2, b: 2 }), finish()],
      ],
      { maxSteps: 2 },
    )
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'none'])
    expect(model.requests[1]?.prompt.at(-1)).toMatchObject({ role: 'user' })
    expect(result).toMatchObject({ reason: 'steps', text: 'two', steps: 2 })
    // It called all the same: that did not run, and is answered.
    expect(ids(result.messages)).toEqual({ calls: ['a'], results: ['a'] })
    expect(result.messages.some(({ role, content }) => role === 'user' && content.length > 1)).toBe(
      false,
    )
  })

  it('stops a model that makes the same failing call again and again (P62)', async () => {
    const same = (id: string, args: string) => calls([id, 'broken', args])
    const { result, model } = await run([
      same('a', '{"x":1,"y":2}'),
      same('b', '{ "y": 2, "x": 1 }'),
      same('c', '{"x":1,"y":2}'),
      says('It cannot be reached.'),
    ])
    expect(result).toMatchObject({ reason: 'doom_loop', text: 'It cannot be reached.', steps: 4 })
    expect(model.requests[3]?.toolChoice).toEqual({ type: 'none' })
  })

  it('takes failures between which something completed for work, not for a loop', async () => {
    const { result } = await run([
      calls(['a', 'broken', {}]),
      calls(['b', 'broken', {}]),
      calls(['c', 'add', { a: 1, b: 1 }], ['c2', 'broken', {}]),
      calls(['d', 'broken', {}]),
      calls(['e', 'broken', {}]),
      says('done'),
    ])
    expect(result.reason).toBe('answer')
  })

  it('calls the model again after a passing failure, as late as the provider asks', async () => {
    const busy = Object.assign(new Error('429'), {
      isRetryable: true,
      responseHeaders: { 'retry-after': '7' },
    })
    const waited: number[] = []
    const { result, events } = await run(
      [Object.assign(new Error('503'), { isRetryable: true }), busy, says('ok')],
      { sleep: async (ms) => void waited.push(ms) },
    )
    expect(result).toMatchObject({ reason: 'answer', text: 'ok', steps: 1 })
    expect(waited).toEqual([500, 7_000])
    expect(events.filter(({ type }) => type === 'retry')).toEqual([
      { type: 'retry', attempt: 1, delayMs: 500, message: '503' },
      { type: 'retry', attempt: 2, delayMs: 7_000, message: '429' },
    ])
  })

  it('does not call again what is refused for good, what has given something out, or too often', async () => {
    const refused = await run([Object.assign(new Error('401 bad key'), { isRetryable: false })])
    expect(refused.result).toMatchObject({ reason: 'error', steps: 0 })
    expect(refused.result.error?.message).toBe('401 bad key')

    const cut = await run([
      [...text('Half an ans'), { type: 'error', error: new TypeError('terminated') }],
    ])
    expect(cut.result).toMatchObject({ reason: 'error', text: 'Half an ans' })
    expect(cut.result.messages.at(-1)).toMatchObject({ content: [{ text: 'Half an ans' }] })

    const broken = Object.assign(new Error('503'), { isRetryable: true })
    expect((await run([broken, broken, broken])).result.error?.cause).toBe(broken)
  })

  it('takes an answer that breaks off without a finish for a failure', async () => {
    const { result, events } = await run([[{ type: 'stream-start', warnings: [] }], says('whole')])
    expect(result.text).toBe('whole')
    expect(events.some(({ type }) => type === 'retry')).toBe(true)
  })

  it('ends at an abort, in the model call and in a round, and every call has its result', async () => {
    const controller = new AbortController()
    const early = await run(
      [
        () =>
          new ReadableStream({
            start(stream) {
              for (const part of text('Half')) stream.enqueue(part)
              setTimeout(() => controller.abort(), 0)
            },
          }),
      ],
      { signal: controller.signal },
    )
    expect(early.result).toMatchObject({ reason: 'aborted', text: 'Half' })

    const second = new AbortController()
    const hangs: AnyTool = {
      name: 'hang',
      description: 'Never ends.',
      readOnly: true,
      execute: () => {
        queueMicrotask(() => second.abort())
        return new Promise(() => {})
      },
    }
    const late = await run(
      [calls(['a', 'hang', {}], ['b', 'add', { a: 1, b: 2 }])],
      { signal: second.signal },
      [hangs, add],
    )
    expect(late.result.reason).toBe('aborted')
    expect(ids(late.result.messages)).toEqual({ calls: ['a', 'b'], results: ['a', 'b'] })
  })

  it('ends at an abort though the model hears of nothing, and at an error though its stream never ends', async () => {
    const deaf = scriptedModel([])
    deaf.doStream = () => new Promise(() => {})
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 0)
    const one = await runAgent({
      model: deaf,
      dispatcher: dispatcherOf(add),
      prompt: 'x',
      signal: controller.signal,
    })
    expect(one.reason).toBe('aborted')

    const stuck = () =>
      new ReadableStream({
        start: (stream) => stream.enqueue({ type: 'error', error: new Error('no') }),
        cancel: () => new Promise(() => {}),
      })
    expect((await run([stuck])).result).toMatchObject({ reason: 'error', error: { message: 'no' } })
  })

  it('is not changed by listeners that throw or reject', async () => {
    for (const onEvent of [
      () => {
        throw new Error('listener')
      },
      async () => Promise.reject(new Error('listener')),
    ]) {
      const { result } = await run([calls(['a', 'add', { a: 1, b: 2 }]), says('3')], { onEvent })
      expect(result.text).toBe('3')
    }
  })

  it('keeps what a provider ran itself with its result, and apart from its own calls', async () => {
    const theirs = (id: string) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: 'web',
      input: '{}',
      providerExecuted: true,
    })
    const { result } = await run([
      [
        theirs('p'),
        { type: 'tool-result', toolCallId: 'p', toolName: 'web', result: 'found' },
        theirs('lost'),
        ...call('p', 'add', { a: 1, b: 2 }),
        finish('tool-calls'),
      ],
      [theirs('late'), ...text('3'), finish()],
    ])
    expect(ids(result.messages)).toEqual({ calls: ['p', 'p_2'], results: ['p', 'p_2'] })
  })

  it('ends when a person stops the run', async () => {
    const dispatcher = createDispatcher({
      tools: [{ ...add, readOnly: false }],
      mode: 'full',
      approver: ({ requests }) =>
        requests.map(({ callId }) => ({ callId, decision: 'stop' as const })),
    })
    const { result } = await run([calls(['a', 'add', { a: 1, b: 2 }])], {
      run: dispatcher.run(),
    })
    expect(result.reason).toBe('stopped')
    expect(ids(result.messages).results).toEqual(['a'])
  })

  it('says when the provider cut or withheld the answer', async () => {
    expect((await run([[...text('so'), finish('length')]])).result.reason).toBe('length')
    expect((await run([[finish('content-filter')]])).result.reason).toBe('content_filter')
    expect((await run([[...text('x'), finish('error')]])).result.reason).toBe('error')
  })

  it('gives repeated and missing ids of a model ids of their own, in the call and in its result (P16, P17)', async () => {
    const { result, events } = await run([
      calls(
        ['x', 'add', { a: 1, b: 1 }],
        ['x', 'add', { a: 2, b: 2 }],
        ['', 'add', { a: 3, b: 3 }],
      ),
      calls(['x', 'add', { a: 4, b: 4 }]),
      says('ok'),
    ])
    const { calls: made, results } = ids(result.messages)
    expect(made).toEqual(results)
    expect(new Set(made).size).toBe(4)
    const rounds = events.flatMap((event) => (event.type === 'round' ? event.round.results : []))
    expect(new Set(rounds.map(({ callId }) => callId)).size).toBe(4)
    const started = events.flatMap((event) =>
      event.type === 'tool_input_start' ? event.callId : [],
    )
    expect(started).toEqual(['x', 'x'])
  })

  it('does not run a call again that the model sends once more with its id (P34)', async () => {
    let paid = 0
    const pay: AnyTool = {
      name: 'pay',
      description: 'Pays.',
      execute: ({ n }) => `${n}: ${++paid}`,
    }
    const { result } = await run(
      [
        // The second one is a write that voids the memory of the first: only its id tells the replay.
        calls(['a', 'pay', { n: 1 }], ['w', 'pay', { n: 9 }]),
        calls(['a', 'pay', { n: 1 }], ['b', 'add', { a: 1, b: 1 }]),
        calls(['a', 'pay', { n: 2 }]),
        says('ok'),
      ],
      { run: createDispatcher({ tools: [pay, add], mode: 'full', unattended: 'allow' }).run() },
    )
    expect(paid).toBe(3)
    const { calls: made, results } = ids(result.messages)
    expect(made).toEqual(results)
    expect(new Set(made).size).toBe(5)
  })

  it('replays arguments as an object, whatever the model wrote, and every digit of them (P09, P32)', async () => {
    const { result } = await run([
      calls(['a', 'add', '{"a":1'], ['b', 'add', '{"a":9007199254740993,"b":1}']),
      says('ok'),
    ])
    expect(result.messages[1]).toMatchObject({
      content: [
        { toolCallId: 'a', input: { rawArguments: '{"a":1' } },
        { toolCallId: 'b', input: { a: '9007199254740993', b: 1 } },
      ],
    })
  })

  it('repairs the conversation that it is given (P29)', async () => {
    const { model } = await run([says('ok')], {
      prompt: 'next',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: {} },
            { type: 'tool-call', toolCallId: 'b', toolName: 'add', input: '{"a":' },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'add',
              output: { type: 'text', value: '1' },
            },
            {
              type: 'tool-result',
              toolCallId: 'z',
              toolName: 'add',
              output: { type: 'text', value: '?' },
            },
          ],
        },
      ],
    })
    const [, assistant, results, user] = model.requests[0]?.prompt ?? []
    expect(assistant?.content).toMatchObject([{ input: {} }, { input: { rawArguments: '{"a":' } }])
    expect(results?.content).toMatchObject([
      { toolCallId: 'a', output: { type: 'text', value: '1' } },
      { toolCallId: 'b', output: { type: 'error-text' } },
    ])
    expect(user?.content).toEqual([{ type: 'text', text: 'next' }])
  })

  it('carries images of results to the model, and files of the user as they are', async () => {
    const camera: AnyTool = {
      name: 'camera',
      description: 'Takes a picture.',
      readOnly: true,
      execute: () => ({
        content: [
          { type: 'text', text: 'a dot' },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        ],
      }),
    }
    const { model } = await run(
      [calls(['a', 'camera', {}]), says('nice')],
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'file', mediaType: 'image/png', data: new Uint8Array([104, 105]) },
              { type: 'file', mediaType: 'image/png', data: new URL('https://x.example/a.png') },
              { type: 'file', mediaType: 'text/plain', data: 'data:text/plain,h%69' },
              { type: 'file', mediaType: 'image/png', data: 'data:image/png;base64,aGk=' },
            ],
          },
        ],
      },
      [camera],
    )
    const prompt = model.requests[1]?.prompt
    const files = (prompt?.[0]?.content ?? []) as { data: unknown }[]
    for (const at of [0, 2, 3]) expect(files[at]?.data).toBe('aGk=')
    expect(files[1]?.data instanceof URL && files[1].data.href).toBe('https://x.example/a.png')
    expect(prompt?.at(-1)?.content).toMatchObject([
      {
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'a dot\n[image: image/png]' },
            { type: 'image-data', data: 'aGk=' },
          ],
        },
      },
    ])
  })

  it('sends names that every provider takes and reads them back', async () => {
    const odd = { ...add, name: 'mcp/calc:add' }
    const { model, result } = await run(
      [(options) => calls(['a', options.tools?.[0]?.name ?? '', { a: 1, b: 2 }]), says('3')],
      {},
      [odd],
    )
    expect(model.requests[0]?.tools?.[0]?.name).toMatch(/^mcp_calc_add_\w+$/)
    expect(model.requests[1]?.prompt[1]).toMatchObject({
      content: [{ toolName: model.requests[0]?.tools?.[0]?.name }],
    })
    expect(result.messages[1]).toMatchObject({ content: [{ toolName: 'mcp/calc:add' }] })
  })
})

describe('checkpoints', () => {
  it('takes a turn up in another process where a crash broke it off: nothing runs twice', async () => {
    let runs = 0
    const write: AnyTool = {
      name: 'write',
      description: 'Writes.',
      writes: () => ['file:/a'],
      execute: () => {
        runs += 1
        return 'written'
      },
    }
    const store = memoryRunStore()
    const open = () =>
      createDispatcher({ tools: [write], mode: 'full', store, unattended: 'allow' }).run({
        runId: 'r',
      })
    const saved: AgentCheckpoint[] = []
    const onCheckpoint = (checkpoint: AgentCheckpoint) =>
      void saved.push(JSON.parse(JSON.stringify(checkpoint)))
    await run([calls(['a', 'write', {}]), new Error('crash')], { run: open(), onCheckpoint })
    expect(saved.map(({ steps, pending }) => [steps, pending?.calls.length])).toEqual([
      [1, 1],
      [1, undefined],
    ])

    // Broken off before the round was counted, and behind it.
    for (const checkpoint of saved) {
      const { result, model } = await run([says('done')], { run: open(), checkpoint })
      expect(result).toMatchObject({ reason: 'answer', text: 'done', steps: 2 })
      expect(ids(model.requests[0]?.prompt ?? [])).toEqual({ calls: ['a'], results: ['a'] })
    }
    expect(runs).toBe(1)
  })

  it('dispatches nothing that it could not store', async () => {
    let ran = false
    const tool: AnyTool = { ...add, execute: () => (ran = true) }
    const { result } = await run(
      [calls(['a', 'add', { a: 1, b: 2 }])],
      { onCheckpoint: () => Promise.reject(new Error('disk full')) },
      [tool],
    )
    expect(result).toMatchObject({ reason: 'error', error: { message: 'disk full' } })
    expect(ids(result.messages)).toEqual({ calls: ['a'], results: ['a'] })
    expect(ran).toBe(false)
  })
})

describe('streamAgent', () => {
  it('yields the events and returns the result', async () => {
    const stream = streamAgent({
      model: scriptedModel([says('hi')]),
      dispatcher: dispatcherOf(add),
      prompt: 'go',
    })
    const types: string[] = []
    let next = await stream.next()
    for (; !next.done; next = await stream.next()) types.push(next.value.type)
    expect(types).toEqual([
      'step_start',
      'text_start',
      'text_delta',
      'text_delta',
      'text_end',
      'step_end',
      'finish',
    ])
    expect(next.value.text).toBe('hi')
  })

  it('aborts the loop when nobody reads on', async () => {
    let cancelled = false
    const model = scriptedModel([
      () =>
        new ReadableStream({
          start: (stream) => stream.enqueue({ type: 'text-start', id: '0' }),
          cancel: () => {
            cancelled = true
          },
        }),
    ])
    for await (const event of streamAgent({ model, dispatcher: dispatcherOf(add), prompt: 'go' })) {
      if (event.type === 'text_start') break
    }
    expect(cancelled).toBe(true)
  })
})

describe('what the programmer does wrong', () => {
  const model = scriptedModel([])
  const dispatcher = dispatcherOf(add)
  it.each<[string, JsonObject | object]>([
    ['no model', { dispatcher, prompt: 'x' }],
    [
      'another specification',
      { model: { ...model, specificationVersion: 'v2' }, dispatcher, prompt: 'x' },
    ],
    ['no dispatcher', { model, prompt: 'x' }],
    ['both', { model, dispatcher, run: dispatcher.run(), prompt: 'x' }],
    ['nothing said', { model, dispatcher }],
    ['no message', { model, dispatcher, messages: [{ role: 'bot', content: 'x' }] }],
    ['no list', { model, dispatcher, messages: {} }],
    ['null for a list', { model, dispatcher, messages: null }],
    ['a part that is none', { model, dispatcher, messages: [{ role: 'user', content: [null] }] }],
    [
      'a file without an address',
      {
        model,
        dispatcher,
        messages: [{ role: 'user', content: [{ type: 'file', mediaType: 'a/b', data: 'https:' }] }],
      },
    ],
    ['a broken checkpoint', { model, dispatcher, checkpoint: { format: 1, messages: [null] } }],
    ['maxSteps 0', { model, dispatcher, prompt: 'x', maxSteps: 0 }],
    ['maxRetries -1', { model, dispatcher, prompt: 'x', maxRetries: -1 }],
    ['a checkpoint of another format', { model, dispatcher, checkpoint: { format: 2 } }],
  ])('throws for %s', async (_, options) => {
    await expect(runAgent(options as unknown as AgentOptions)).rejects.toMatchObject({
      code: 'THREEPASS_BAD_OPTION',
    })
  })
})
