import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type JsonObject,
  type PromptOptions,
  promptApprover,
  type QuestionRecord,
  type RunEvent,
  type RunStore,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import { callOf } from '../../support/gated-tool.ts'

const ran: string[] = []
const toolNamed = (name: string, traits: Partial<AnyTool> = {}): AnyTool => ({
  name,
  description: name,
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, n: { type: 'integer' } },
    required: ['to'],
  },
  execute: (args: JsonObject) => {
    ran.push(`${name} ${args.to}`)
    return args
  },
  ...traits,
})

/** One life of a process: dispatcher and approver are its own, the stores are not. */
function life(
  store: RunStore,
  options: PromptOptions = {},
  tools: AnyTool[] = [toolNamed('send')],
) {
  let wake = () => {}
  const prompt = promptApprover({ ...options, onChange: () => wake() })
  /** Resolves when so many questions wait. */
  const asked = async (count: number) => {
    while (prompt.pending().length !== count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const events: RunEvent[] = []
  const { approver } = prompt
  const dispatcher = createDispatcher({ tools, mode: 'full', approver, store })
  const run = dispatcher.run({ runId: 'r', sessionId: 's', onEvent: (event) => events.push(event) })
  return { prompt, run, events, asked }
}

const tokens = ({ prompt }: ReturnType<typeof life>) =>
  Object.fromEntries(prompt.pending().map(({ callId, token }) => [callId, token]))

describe('answers by token', () => {
  it('in any order; the first counts, a repeat is harmless, a made-up or foreign token is unknown', async () => {
    const { prompt, run, asked } = life(memoryRunStore())
    const done = run.dispatch([callOf('a', 'send', { to: 'x' }), callOf('b', 'send', { to: 'y' })])
    await asked(2)
    const [first, second] = prompt.pending()
    expect([first?.callId, second?.callId]).toEqual(['a', 'b'])
    const approve = { callId: 'b', decision: 'approve' } as const
    const [a = '', b = ''] = [first?.token, second?.token]
    expect(await prompt.answer(approve, 'made-up')).toEqual({ receipt: 'unknown' })
    expect(await prompt.answer(approve, a)).toEqual({ receipt: 'unknown' })
    expect(await prompt.answer(approve, b, 'another run')).toEqual({ receipt: 'unknown' })
    expect(await prompt.answer(approve, b, 'r')).toEqual({ receipt: 'taken' })
    expect(await prompt.answer(approve, b)).toEqual({ receipt: 'repeated' })
    expect(await prompt.answer({ callId: 'b', decision: 'deny' }, b)).toEqual({
      receipt: 'conflict',
    })
    expect(await prompt.answer({ callId: 'a', decision: 'deny' }, a)).toEqual({ receipt: 'taken' })
    expect((await done).results.map((result) => result.outcome)).toEqual(['denied', 'completed'])
    expect(prompt.pending()).toEqual([])
  })

  it('two different answers at once: one is taken, the other a conflict (P83)', async () => {
    const { prompt, run, asked } = life(memoryRunStore())
    const done = run.dispatch([callOf('a', 'send', { to: 'x' })])
    await asked(1)
    const token = prompt.pending()[0]?.token ?? ''
    const receipts = await Promise.all([
      prompt.answer({ callId: 'a', decision: 'deny' }, token),
      prompt.answer({ callId: 'a', decision: 'approve' }, token),
    ])
    expect(receipts.map(({ receipt }) => receipt)).toEqual(['taken', 'conflict'])
    expect((await done).results[0]?.outcome).toBe('denied')
  })

  it('an abort closes its questions, and a late answer is over', async () => {
    const { prompt, run, asked } = life(memoryRunStore())
    const controller = new AbortController()
    const done = run.dispatch([callOf('a', 'send', { to: 'x' })], { signal: controller.signal })
    await asked(1)
    const token = prompt.pending()[0]?.token ?? ''
    controller.abort()
    expect((await done).results[0]?.code).toBe('cancelled-before-start')
    expect(await prompt.answer({ callId: 'a', decision: 'approve' }, token)).toEqual({
      receipt: 'over',
    })
  })

  it('edited arguments that do not fit are refused at once and the question stays open (P85)', async () => {
    const { prompt, run, events, asked } = life(memoryRunStore())
    const done = run.dispatch([
      callOf('a', 'send', { to: 'bob', n: 1 }),
      callOf('b', 'send', { to: 'x' }),
    ])
    await asked(2)
    const [a = '', b = ''] = prompt.pending().map(({ token }) => token)
    const edited = (to: unknown) =>
      ({ callId: 'a', decision: 'approve', arguments: { to } }) as never
    expect(await prompt.answer(edited(5), a)).toEqual({
      receipt: 'refused',
      problem: expect.stringContaining('/to'),
    })
    expect(prompt.pending()).toHaveLength(2)
    expect(await prompt.answer(edited('eve'), a)).toEqual({ receipt: 'taken' })
    await prompt.answer({ callId: 'b', decision: 'deny' }, b)
    expect((await done).results[0]).toMatchObject({
      outcome: 'completed',
      value: { to: 'eve' },
      editedArguments: { to: 'eve' },
    })
    expect(events.filter(({ type }) => type === 'approval_requested')).toHaveLength(1)
  })

  it('an allow rule releases the waiting siblings it covers, not others, not always (P82)', async () => {
    const tools = [
      toolNamed('search'),
      toolNamed('create'),
      toolNamed('strict', { confirm: 'always' }),
    ]
    const { prompt, run, events, asked } = life(memoryRunStore(), {}, tools)
    const done = run.dispatch([
      callOf('s1', 'search', { to: '1' }),
      callOf('c', 'create', { to: '1' }),
      callOf('s2', 'search', { to: '2' }),
      callOf('x', 'strict', { to: '1' }),
    ])
    await asked(4)
    const byCall = Object.fromEntries(prompt.pending().map((each) => [each.callId, each.token]))
    await prompt.answer({ callId: 's1', decision: 'approve-for-run' }, byCall.s1 ?? '')
    expect(prompt.pending().map(({ callId }) => callId)).toEqual(['c', 'x'])
    expect(await prompt.answer({ callId: 's2', decision: 'deny' }, byCall.s2 ?? '')).toEqual({
      receipt: 'over',
    })
    await prompt.answer({ callId: 'c', decision: 'deny' }, byCall.c ?? '')
    await prompt.answer({ callId: 'x', decision: 'deny' }, byCall.x ?? '')
    expect((await done).results.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'denied',
      'completed',
      'denied',
    ])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'approval_answered', callId: 's2', decision: 'covered' }),
    )
  })
})

describe('over a restart', () => {
  const fresh = () => ({ store: memoryRunStore(), records: memoryRecords<QuestionRecord>() })
  const calls = [
    callOf('log', 'log', { to: 'l' }),
    callOf('x', 'x', { to: 'x' }),
    callOf('y', 'y', { to: 'y' }),
  ]
  const tools = () => [
    toolNamed('log', { readOnly: true, dedupe: false }),
    toolNamed('x'),
    toolNamed('y'),
  ]

  it('the same questions wait with the same tokens; each tool runs exactly once [g.across] (P79)', async () => {
    const { store, records } = fresh()
    ran.length = 0
    const first = life(store, { store: records }, tools())
    void first.run.dispatch(calls, { roundId: 'one' })
    await first.asked(2)
    const before = tokens(first)
    expect(await first.prompt.answer({ callId: 'x', decision: 'approve' }, before.x ?? '')).toEqual(
      { receipt: 'taken' },
    )
    expect(ran).toEqual([])

    const second = life(store, { store: records }, tools())
    const [unfinished] = await second.run.unfinished()
    expect(unfinished).toMatchObject({ roundId: 'one', calls })
    const done = second.run.dispatch(unfinished?.calls ?? [], { roundId: 'one' })
    await second.asked(1)
    expect(tokens(second)).toEqual({ y: before.y })
    const { prompt } = second
    expect(await prompt.answer({ callId: 'x', decision: 'approve' }, before.x ?? '')).toEqual({
      receipt: 'repeated',
    })
    expect(await prompt.answer({ callId: 'x', decision: 'deny' }, before.x ?? '')).toEqual({
      receipt: 'conflict',
    })
    await prompt.answer({ callId: 'y', decision: 'deny', reason: 'no' }, before.y ?? '')
    expect((await done).results.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'denied',
    ])
    expect(ran).toEqual(['log l', 'x x'])
    expect(await second.run.unfinished()).toEqual([])
  })

  it('a tool that has changed meanwhile is asked about anew: the old answer is not for it', async () => {
    const { store, records } = fresh()
    const first = life(store, { store: records }, tools())
    void first.run.dispatch(calls, { roundId: 'one' })
    await first.asked(2)
    const before = tokens(first)
    await first.prompt.answer({ callId: 'x', decision: 'approve' }, before.x ?? '')
    const [log, x, y] = tools() as [AnyTool, AnyTool, AnyTool]
    const second = life(store, { store: records }, [log, { ...x, description: 'other' }, y])
    void second.run.dispatch(calls, { roundId: 'one' })
    await second.asked(2)
    expect(tokens(second).y).toBe(before.y)
    expect(tokens(second).x).not.toBe(before.x)
    expect(
      await second.prompt.answer({ callId: 'x', decision: 'approve' }, before.x ?? ''),
    ).toEqual({ receipt: 'repeated' })
    expect(tokens(second).x).toBeDefined()
  })

  it('its time does not begin anew; what expired is denied and a late answer is over (P83)', async () => {
    const { store, records } = fresh()
    let now = 1_000
    const options = { store: records, timeoutMs: 500, clock: () => now }
    const first = life(store, options, tools())
    void first.run.dispatch(calls, { roundId: 'one' })
    await first.asked(2)
    expect(first.prompt.pending()[0]?.expiresAt).toBe(1_500)
    const before = tokens(first)
    now = 1_400
    const second = life(store, options, tools())
    void second.run.dispatch(calls, { roundId: 'one' })
    await second.asked(2)
    expect(second.prompt.pending()[0]?.expiresAt).toBe(1_500)
    now = 1_500
    expect(
      await second.prompt.answer({ callId: 'x', decision: 'approve' }, before.x ?? ''),
    ).toEqual({ receipt: 'over' })
    const third = life(store, options, tools())
    const { results } = await third.run.dispatch(calls, { roundId: 'one' })
    expect(results.map(({ code }) => code)).toEqual(['completed', 'no-answer', 'no-answer'])
  })

  it('an edit that was approved before the crash is what runs, once', async () => {
    const { store, records } = fresh()
    ran.length = 0
    let began = () => {}
    const begun = new Promise<void>((resolve) => {
      began = resolve
    })
    const hang = () => {
      began()
      return new Promise(() => {})
    }
    const stuck = toolNamed('x', { idempotent: true, execute: hang })
    const first = life(store, { store: records }, [stuck])
    void first.run.dispatch([callOf('x', 'x', { to: 'bob' })], { roundId: 'one' })
    await first.asked(1)
    await first.prompt.answer(
      { callId: 'x', decision: 'approve', arguments: { to: 'eve' } },
      tokens(first).x ?? '',
    )
    await begun
    // Begun and never ended: an idempotent tool runs again, with the person's arguments, unasked.
    const second = life(store, { store: records }, [toolNamed('x', { idempotent: true })])
    const { results } = await second.run.dispatch([callOf('x', 'x', { to: 'bob' })], {
      roundId: 'one',
    })
    expect(results[0]).toMatchObject({ outcome: 'completed', editedArguments: { to: 'eve' } })
    expect(ran).toEqual(['x eve'])
  })
})
