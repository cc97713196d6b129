/** The AI SDK's own loop over a run: the real `ai` package, scripted model. */
import { generateText, stepCountIs, streamText } from 'ai'
import { describe, expect, it } from 'vitest'
import { repairToolCall, toAISDKTools } from '../../src/agent/index.ts'
import { type AnyTool, createDispatcher, type RunEvent } from '../../src/index.ts'
import { gatedTool } from '../support/gated-tool.ts'
import { calls, says, scriptedModel } from '../support/scripted-model.ts'

const add: AnyTool = {
  name: 'add',
  description: 'Adds.',
  readOnly: true,
  concurrent: true,
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
}

function setUp(tools: AnyTool[], options: Partial<Parameters<typeof createDispatcher>[0]> = {}) {
  const events: RunEvent[] = []
  const dispatcher = createDispatcher({ tools, mode: 'full', ...options })
  const run = dispatcher.run({ onEvent: (event) => events.push(event) })
  const rounds = () => events.flatMap((event) => (event.type === 'round_start' ? event.calls : []))
  return { run, events, rounds }
}

describe('toAISDKTools', () => {
  it('dispatches the calls of one step as one round, at most so many at a time', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true })
    const { run, rounds } = setUp([slow.tool], { maxConcurrent: 2 })
    const made = ['1', '2', '3', '4'].map((n): [string, string, unknown] => [n, 'slow', { n }])
    const model = scriptedModel([calls(...made), says('done')])
    const result = streamText({
      model,
      tools: toAISDKTools(run),
      stopWhen: stepCountIs(5),
      prompt: 'go',
    })
    const said = result.text
    await slow.whenStarted(2)
    expect(slow.started).toEqual(['1', '2'])
    slow.finish('1')
    await slow.whenStarted(3)
    for (const n of ['2', '3']) slow.finish(n)
    await slow.whenStarted(4)
    slow.finish('4')
    expect(await said).toBe('done')
    expect(slow.peak()).toBe(2)
    expect(rounds()).toEqual([4])
  })

  it('gives dedupe, validation, repair and the reason of each failure to the model', async () => {
    let runs = 0
    const counted: AnyTool = { ...add, execute: (args) => ({ runs: ++runs, args }) }
    const { run } = setUp([counted])
    const model = scriptedModel([
      calls(
        ['a', 'add', { a: 1, b: 2 }],
        ['b', 'add', '{ "b": 2, "a": 1 }'],
        ['c', 'add', { a: 1 }],
        ['d', 'add', "{'a': 5, 'b': 6,}"],
      ),
      says('done'),
    ])
    const { steps } = await streamed(model, run)
    const outputs = steps[0]?.toolResults.map(({ output }) => output) as { outcome: string }[]
    expect(outputs.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'duplicate',
      'invalid',
      'completed',
    ])
    expect(runs).toBe(2)
    const prompt = model.requests[1]?.prompt.at(-1)?.content as unknown as {
      output: { type: string; value: string }
    }[]
    expect(prompt.map(({ output }) => output.type)).toEqual(['text', 'text', 'error-text', 'text'])
    expect(prompt[2]?.output.value).toContain('b')
  })

  it('asks the approver of the dispatcher, and a denial is what the model reads', async () => {
    const { run } = setUp([{ ...add, readOnly: false }], {
      approver: ({ requests }) =>
        requests.map(({ callId }) => ({ callId, decision: 'deny' as const, reason: 'not today' })),
    })
    const model = scriptedModel([calls(['a', 'add', { a: 1, b: 2 }]), says('ok')])
    const { steps } = await streamed(model, run)
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ outcome: 'denied' })
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('not today')
  })

  it('works with generateText as well', async () => {
    const { run, rounds } = setUp([add])
    const model = scriptedModel([
      calls(['a', 'add', { a: 1, b: 2 }], ['b', 'add', { a: 3, b: 4 }]),
      says('ok'),
    ])
    const tools = toAISDKTools(run)
    const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: 'x' })
    expect(text).toBe('ok')
    expect(rounds()).toEqual([2])
  })

  it('ends a call with the abort of the AI SDK', async () => {
    const controller = new AbortController()
    const hangs: AnyTool = {
      ...add,
      execute: () => {
        queueMicrotask(() => controller.abort())
        return new Promise(() => {})
      },
    }
    const { run } = setUp([hangs])
    const given = { toolCallId: 'x', messages: [], abortSignal: controller.signal }
    const result = await toAISDKTools(run).add?.execute({ a: 1, b: 2 }, given)
    expect(result?.outcome).toBe('cancelled')
  })

  it('leaves a name that does not exist to the AI SDK, which tells the model', async () => {
    const { run } = setUp([add])
    const model = scriptedModel([calls(['a', 'nope', {}]), says('ok')])
    const { text } = await streamed(model, run)
    expect(text).toBe('ok')
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('unavailable tool')
  })
})

async function streamed(
  model: ReturnType<typeof scriptedModel>,
  run: ReturnType<typeof setUp>['run'],
) {
  const result = streamText({
    model,
    tools: toAISDKTools(run),
    experimental_repairToolCall: repairToolCall,
    stopWhen: stepCountIs(5),
    prompt: 'go',
  })
  return { text: await result.text, steps: await result.steps }
}
