import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  type ApprovalAnswer,
  type ApprovalBatch,
  createDispatcher,
  type DispatcherOptions,
  type JsonObject,
  type RunEvent,
  type ToolCall,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { callOf } from '../../support/gated-tool.ts'

const send: AnyTool = {
  name: 'send',
  description: 'Sends a message.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, n: { type: 'integer' } },
    required: ['to'],
  },
  execute: (args: JsonObject) => args,
}

/** Dispatches one round with an approver that gives these answers, and tells what it was asked. */
function withAnswers(tools: AnyTool[], options: Partial<DispatcherOptions> = {}) {
  const batches: ApprovalBatch[] = []
  let answers: readonly ApprovalAnswer[] = []
  const dispatcher = createDispatcher({
    tools,
    mode: 'full',
    approver: async (batch) => {
      batches.push(batch)
      return answers
    },
    ...options,
  })
  const round = (
    run: ReturnType<typeof dispatcher.run>,
    calls: ToolCall[],
    said: readonly ApprovalAnswer[],
  ) => {
    answers = said
    return run.dispatch(calls)
  }
  return { dispatcher, batches, round }
}

describe('who is asked', () => {
  it('every tool that is not readOnly, and what confirm says of these arguments [g.needs]', async () => {
    const tool = (name: string, traits: Partial<AnyTool>): AnyTool => ({ ...send, name, ...traits })
    const { dispatcher, batches, round } = withAnswers([
      tool('plain', {}),
      tool('reads', { readOnly: true }),
      tool('asks', { readOnly: true, confirm: true }),
      tool('never', { confirm: false }),
      tool('depends', { confirm: (args) => args.to !== 'me' }),
      tool('broken', {
        readOnly: true,
        confirm: () => {
          throw new Error('bad rule')
        },
      }),
    ])
    const calls = ['plain', 'reads', 'asks', 'never', 'broken'].map((name) =>
      callOf(name, name, { to: 'x' }),
    )
    calls.push(callOf('d1', 'depends', { to: 'me' }), callOf('d2', 'depends', { to: 'you' }))
    await round(dispatcher.run(), calls, [])
    expect(batches[0]?.requests.map((request) => request.callId)).toEqual([
      'plain',
      'asks',
      'broken',
      'd2',
    ])
  })

  it("nothing about a call's safety is read from arguments that the schema does not close", async () => {
    const { dispatcher, batches, round } = withAnswers([send])
    await round(
      dispatcher.run(),
      [callOf('a', 'send', { to: 'x', mode: 'read', readOnly: true })],
      [],
    )
    expect(batches).toHaveLength(1)
  })

  it('a confirm that says always is asked under every allow rule [g.always]', async () => {
    const tool: AnyTool = { ...send, confirm: (args) => (args.to === 'all' ? 'always' : undefined) }
    const { dispatcher, batches, round } = withAnswers([tool])
    const run = dispatcher.run()
    await round(
      run,
      [callOf('a', 'send', { to: 'x' })],
      [{ callId: 'a', decision: 'approve-for-run' }],
    )
    const { results } = await round(
      run,
      [callOf('b', 'send', { to: 'y' }), callOf('c', 'send', { to: 'all' })],
      [],
    )
    expect(batches[1]?.requests.map((request) => request.callId)).toEqual(['c'])
    expect(results.map((result) => result.outcome)).toEqual(['completed', 'denied'])
  })
})

describe('answers', () => {
  it('edited arguments are validated again and asked again when they are wrong; keys use them [g.once]', async () => {
    const asked: ApprovalBatch[] = []
    const dispatcher = createDispatcher({
      tools: [{ ...send, dedupe: true }],
      mode: 'full',
      approver: (batch) => {
        asked.push(batch)
        const to = asked.length === 1 ? 5 : 'eve'
        return batch.requests.map(({ callId }) => ({
          callId,
          decision: 'approve',
          arguments: { to },
        }))
      },
    })
    const run = dispatcher.run()
    const { results } = await run.dispatch([callOf('a', 'send', { to: 'bob', n: 1 })])
    expect(asked[1]?.requests[0]?.problem).toContain('/to')
    expect(results[0]).toMatchObject({
      outcome: 'completed',
      value: { to: 'eve' },
      editedArguments: { to: 'eve' },
      content: expect.stringContaining('changed the arguments'),
    })
    const again = await run.dispatch([callOf('b', 'send', { to: 'eve' })])
    expect(again.results[0]?.outcome).toBe('duplicate')
    expect(asked).toHaveLength(2)
  })

  it('an allow rule made by one answer releases the waiting siblings of its tool and no other [g.run]', async () => {
    const search: AnyTool = { ...send, name: 'search' }
    const create: AnyTool = { ...send, name: 'create' }
    const { dispatcher, round } = withAnswers([search, create])
    const { results } = await round(
      dispatcher.run(),
      [
        callOf('a', 'search', { to: '1' }),
        callOf('b', 'create', { to: '1' }),
        callOf('c', 'search', { to: '2' }),
      ],
      [
        { callId: 'a', decision: 'approve-for-run' },
        { callId: 'b', decision: 'deny' },
      ],
    )
    expect(results.map((result) => result.outcome)).toEqual(['completed', 'denied', 'completed'])
  })

  it('remember makes a rule for the session, with a pattern over the arguments [g.remember]', async () => {
    const { dispatcher, batches, round } = withAnswers([send])
    const first = dispatcher.run({ sessionId: 's' })
    await round(
      first,
      [callOf('a', 'send', { to: 'team/ann' })],
      [{ callId: 'a', decision: 'approve-and-remember', pattern: { to: 'team/*' } }],
    )
    const second = dispatcher.run({ sessionId: 's' })
    const { results } = await round(
      second,
      ['team/bob', 'team/x/y', 'team/../boss', 'other'].map((to) => callOf(to, 'send', { to })),
      [],
    )
    expect(results.map((result) => result.outcome)).toEqual([
      'completed',
      'denied',
      'denied',
      'denied',
    ])
    expect(batches[1]?.requests.map((request) => request.callId)).toEqual([
      'team/x/y',
      'team/../boss',
      'other',
    ])
    const elsewhere = await round(
      dispatcher.run({ sessionId: 'other' }),
      [callOf('z', 'send', { to: 'team/bob' })],
      [],
    )
    expect(elsewhere.results[0]?.outcome).toBe('denied')
  })

  it('a remembered approval does not carry over to a tool that has changed [g.drift]', async () => {
    const store = memoryRunStore()
    const before = withAnswers([send], { store })
    await before.round(
      before.dispatcher.run({ sessionId: 's' }),
      [callOf('a', 'send', { to: 'x' })],
      [{ callId: 'a', decision: 'approve-and-remember' }],
    )
    const after = withAnswers(
      [{ ...send, description: 'Sends a message, and a copy to everybody.' }],
      { store },
    )
    const { results } = await after.round(
      after.dispatcher.run({ sessionId: 's' }),
      [callOf('b', 'send', { to: 'y' })],
      [],
    )
    expect(after.batches).toHaveLength(1)
    expect(results[0]?.outcome).toBe('denied')
  })

  it('answers for calls that were not asked about, and second answers, change nothing and are reported', async () => {
    const events: RunEvent[] = []
    const { dispatcher, round } = withAnswers([send], { onEvent: (event) => events.push(event) })
    const { results } = await round(
      dispatcher.run(),
      [callOf('a', 'send', { to: 'x' })],
      [
        { callId: 'nobody', decision: 'approve' },
        { callId: 'a', decision: 'deny', reason: 'no' },
        { callId: 'a', decision: 'approve' },
      ],
    )
    expect(results[0]?.outcome).toBe('denied')
    expect(events.filter((event) => event.type === 'warning')).toHaveLength(2)
  })

  it('fails closed when the approver throws, rejects or answers nonsense; unattended allow needs no approver [g.closed]', async () => {
    const approvers = [
      () => {
        throw new Error('down')
      },
      () => Promise.reject(new Error('down')),
      () => undefined as unknown as ApprovalAnswer[],
      () => [{ callId: 'a', decision: 'sure' } as unknown as ApprovalAnswer],
    ]
    for (const approver of approvers) {
      const run = createDispatcher({ tools: [send], mode: 'full', approver }).run()
      const { results } = await run.dispatch([callOf('a', 'send', { to: 'x' })])
      expect(results[0]).toMatchObject({ outcome: 'denied', code: 'no-answer' })
    }
    const open = createDispatcher({ tools: [send], mode: 'full', unattended: 'allow' }).run()
    expect((await open.dispatch([callOf('a', 'send', { to: 'x' })])).results[0]?.outcome).toBe(
      'completed',
    )
  })

  it('stop: nothing else of the round or the run runs [g.stop]', async () => {
    const { dispatcher, round } = withAnswers([send])
    const run = dispatcher.run()
    const stopped = await round(
      run,
      [callOf('a', 'send', { to: 'x' }), callOf('b', 'send', { to: 'y' })],
      [
        { callId: 'b', decision: 'stop' },
        { callId: 'a', decision: 'approve' },
      ],
    )
    expect(stopped.stopped).toBe(true)
    expect(stopped.results.map((result) => result.outcome)).toEqual(['cancelled', 'denied'])
    expect((await round(run, [callOf('c', 'send', { to: 'z' })], [])).results[0]?.code).toBe(
      'run-stopped',
    )
  })
})

describe('what the maker of a tool tells of a call', () => {
  const ask = async (tells: NonNullable<AnyTool['tells']>) => {
    const events: RunEvent[] = []
    const { dispatcher, batches, round } = withAnswers([{ ...send, tells }], {
      onEvent: (event) => events.push(event),
    })
    await round(dispatcher.run(), [callOf('a', 'send', { to: 'x' })], [])
    const event = events.find(({ type }) => type === 'approval_requested')
    const [question] = event?.type === 'approval_requested' ? event.questions : []
    const told = batches[0]?.requests[0]?.tells
    expect(question?.tells).toBe(told)
    expect(question?.arguments).toEqual({ to: 'x' })
    return told
  }

  it('stands in the question, in one line of bounded length', async () => {
    expect(await ask(({ to }) => `goes to ${to}`)).toBe('goes to x')
    expect(await ask(() => ' a\n\u202eb\u0000\u2028c ')).toBe('a b c')
    expect(await ask(() => 'x'.repeat(2_000))).toBe(`${'x'.repeat(500)}…`)
  })

  it('that throws, or is no text, leaves the question as it is', async () => {
    const broken = () => {
      throw new Error('no')
    }
    expect(await ask(broken)).toBeUndefined()
    expect(await ask((() => 7) as unknown as () => string)).toBeUndefined()
    expect(await ask(() => ' ')).toBeUndefined()
    // It cannot change what runs.
    expect(
      await ask((args) => {
        Object.assign(args, { to: 'eve' })
        return 'done'
      }),
    ).toBe('done')
  })
})
