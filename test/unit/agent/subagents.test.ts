import { describe, expect, it } from 'vitest'
import { type SubagentRecord, subagentsTool } from '../../../src/agent/subagents.ts'
import {
  type AnyTool,
  type ApprovalBatch,
  createDispatcher,
  type JsonObject,
  type RunEvent,
  type ToolSource,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'
import { calls, finish, says, scriptedModel, text } from '../../support/scripted-model.ts'

const helper = (model: ReturnType<typeof scriptedModel>, tools: AnyTool[], more = {}) =>
  subagentsTool({ models: { tiny: model }, tools, ...more })

const open = (tools: AnyTool[], options = {}) =>
  createDispatcher({ tools, mode: 'full', unattended: 'allow', ...options }).run({
    sessionId: 's',
    runId: 'parent',
  })

const echo: AnyTool = {
  name: 'echo',
  description: 'Says it again.',
  readOnly: true,
  concurrent: true,
  execute: ({ what }: JsonObject) => what,
}

/** What a test hears while it waits. */
let onEvent: (event: RunEvent) => void = () => {}

const invoke = (id: string, more = {}) => callOf(id, 'subagents', { task: `task ${id}`, ...more })

describe('subagents', () => {
  it('works in a conversation of its own and answers with text, steps and usage', async () => {
    const model = scriptedModel([calls(['c1', 'echo', { what: 'hi' }]), says('It said hi.')])
    const events: RunEvent[] = []
    const run = open([helper(model, [echo])], { onEvent: (event: RunEvent) => events.push(event) })
    const { results } = await run.dispatch([invoke('a')])
    expect(results[0]?.content).toMatch(
      /^\[subagent · tiny · session=[\w-]+ · answer after 2 steps · usage: in=20 out=6 cached=8\]\nIt said hi\.$/,
    )
    expect(results[0]?.value).toMatchObject({ reason: 'answer', text: 'It said hi.', steps: 2 })
    const prompt = JSON.stringify(model.requests[0]?.prompt)
    expect(prompt).toContain('task a')
    expect(prompt).toContain('You are a subagent')
    // Whoever waits sees what it does.
    const told = events.filter((event) => event.runId === 'parent').map((event) => event.type)
    expect(told.filter((type) => type === 'tool_call_progress')).toHaveLength(3)
    expect(told).toContain('tool_call_text')
  })

  it.each([1, 2, 5])(
    '%i places hold across nested rounds, and nothing waits for ever',
    async (maxConcurrent) => {
      const slow = gatedTool('slow', { readOnly: true, concurrent: true })
      const work = (name: string) => [
        calls(
          ...['1', '2', '3'].map((n): [string, string, object] => [
            `c${n}`,
            'slow',
            { n: name + n },
          ]),
        ),
        says(`${name} is done`),
      ]
      const scripts = { a: scriptedModel(work('a')), b: scriptedModel(work('b')) }
      const tool = subagentsTool({ models: scripts, tools: [slow.tool] })
      const done = open([tool, slow.tool], { maxConcurrent }).dispatch([
        invoke('1', { model: 'a' }),
        callOf('x', 'slow', { n: 'x' }),
        invoke('2', { model: 'b' }),
      ])
      const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'x']
      const open7 = new Set(names)
      while (open7.size > 0) {
        await slow.whenStarted(names.length - open7.size + 1)
        for (const name of slow.started) if (open7.delete(name)) slow.finish(name)
        await settled()
      }
      const { results } = await done
      expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed'])
      expect(results[0]?.content).toContain('a is done')
      expect(results[2]?.content).toContain('b is done')
      expect(slow.peak()).toBeLessThanOrEqual(maxConcurrent)
    },
  )

  it('the place comes back when the round inside is over', async () => {
    const slow = gatedTool('slow', { readOnly: true, concurrent: true })
    const outer = gatedTool('outer', { concurrent: true, writes: () => ['r:'] })
    let end = (_: string) => {}
    const nested: AnyTool = {
      name: 'nested',
      description: 'Dispatches inside.',
      concurrent: true,
      readOnly: true,
      async execute(_: JsonObject, context) {
        const run = createDispatcher({ tools: [slow.tool], mode: 'full' }).run()
        await run.dispatch([callOf('i', 'slow', { n: 'i' })], { within: context })
        return new Promise((resolve) => {
          end = resolve
        })
      },
    }
    const done = open([nested, outer.tool], { maxConcurrent: 1 }).dispatch([
      callOf('n', 'nested'),
      ...['1', '2', '3'].map((n) => callOf(n, 'outer', { n })),
    ])
    // First come, first served: what waited already goes before the round inside.
    await outer.whenStarted(1)
    expect(slow.started).toEqual([])
    outer.finish('1')
    await slow.whenStarted(1)
    expect(outer.started).toEqual(['1'])
    slow.finish('i')
    await outer.whenStarted(2)
    await settled()
    outer.finish('2')
    // The third waited for the second, and then for the place that the nested call has again.
    await settled()
    expect(outer.started).toEqual(['1', '2'])
    end('all')
    await outer.whenStarted(3)
    outer.finish('3')
    expect((await done).results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'))
  })

  it.each(['before', 'while it waits'])(
    'a call that is given up on %s takes no place when the round inside it ends',
    async (when) => {
      const slow = gatedTool('slow', { readOnly: true, concurrent: true, timeout: 60_000 })
      const outer = gatedTool('outer', { concurrent: true, writes: () => ['r:'] })
      const nested: AnyTool = {
        name: 'nested',
        description: 'Dispatches inside.',
        concurrent: true,
        readOnly: true,
        timeout: 50,
        async execute(_: JsonObject, context) {
          const run = createDispatcher({ tools: [slow.tool], mode: 'full' }).run()
          return run.dispatch([callOf('i', 'slow', { n: 'i' })], { within: context })
        },
      }
      const late = new Promise<void>((resolve) => {
        onEvent = (event) => {
          if (event.type === 'tool_call_end' && event.callId === 'n') resolve()
        }
      })
      const run = open([nested, outer.tool], {
        maxConcurrent: 1,
        onEvent: (event: RunEvent) => onEvent(event),
      })
      const done = run.dispatch([
        callOf('n', 'nested'),
        ...['1', '2', '3'].map((n) => callOf(n, 'outer', { n })),
      ])
      await outer.whenStarted(1)
      outer.finish('1')
      await slow.whenStarted(1)
      if (when === 'before') await late
      slow.finish('i')
      await outer.whenStarted(2)
      await late
      outer.finish('2')
      await outer.whenStarted(3)
      outer.finish('3')
      const { results } = await done
      expect(results.map(({ outcome }) => outcome)).toEqual([
        'timed_out',
        ...Array(3).fill('completed'),
      ])
    },
  )

  it('a round inside a call of its own run, at any depth, is refused and not waited for', async () => {
    const inner: AnyTool = {
      name: 'inner',
      description: 'Goes back to the run around.',
      readOnly: true,
      execute: (_: JsonObject, context) =>
        outer.dispatch([callOf('x', 'echo')], { within: context }),
    }
    const nested: AnyTool = {
      name: 'nested',
      description: 'Dispatches inside.',
      readOnly: true,
      async execute(_: JsonObject, context) {
        const run = createDispatcher({ tools: [inner], mode: 'full' }).run()
        const { results } = await run.dispatch([callOf('i', 'inner')], { within: context })
        return results[0]?.content
      },
    }
    const outer = open([nested, inner, echo])
    const { results } = await outer.dispatch([callOf('a', 'inner'), callOf('b', 'nested')])
    expect(results[0]?.content).toContain('inside a call of its own run')
    expect(results[1]?.content).toContain('inside a call of its own run')
  })

  it('cannot call subagents, ask people by tools, or use the page’s; exclude_tools takes more away', async () => {
    const model = scriptedModel([says('one'), says('two')])
    const named = (name: string, traits: Partial<AnyTool> = {}): AnyTool => ({
      ...echo,
      ...traits,
      name,
    })
    const tools = [
      named('ask', { interactive: true }),
      named('page', { origin: 'client' }),
      named('mcp__a__x'),
      named('mcp__a__y'),
      named('stays'),
      named('subagents'),
    ]
    const run = open([helper(model, tools)])
    await run.dispatch([invoke('a'), invoke('b', { exclude_tools: ['mcp__a__*', 'nothing'] })])
    const offered = model.requests.map((request) => request.tools?.map(({ name }) => name).sort())
    expect(offered).toContainEqual(['mcp__a__x', 'mcp__a__y', 'stays'])
    expect(offered).toContainEqual(['stays'])
  })

  it('may call what comes from sources too, but for what exclude_tools takes away', async () => {
    const model = scriptedModel([says('one'), says('two'), says('three')])
    const named = (name: string): AnyTool => ({ ...echo, name })
    let tools = [named('mcp__a__x'), named('mcp__a__y')]
    const source: ToolSource = {
      name: 'mcp:a',
      prefix: 'mcp__a__',
      tools: () => tools,
      health: () => ({ status: 'ready', problems: [] }),
    }
    const dispatcher = { sources: [source], mode: 'full' as const }
    const tool = subagentsTool({ models: { default: model }, tools: [echo], dispatcher })
    const run = open([tool])
    await run.dispatch([invoke('a')])
    await run.dispatch([invoke('b', { exclude_tools: ['mcp__a__y'] })])
    tools = [named('mcp__a__y'), named('mcp__a__z')]
    await run.dispatch([invoke('c', { exclude_tools: ['mcp__a__y'] })])
    const offered = model.requests.map((request) => request.tools?.map(({ name }) => name).sort())
    expect(offered).toEqual([
      ['echo', 'mcp__a__x', 'mcp__a__y'],
      ['echo', 'mcp__a__x'],
      ['echo', 'mcp__a__z'],
    ])
  })

  it('an abort of the round ends the model call under way', async () => {
    let seen: AbortSignal | undefined
    const model = scriptedModel([
      ({ abortSignal }) => {
        seen = abortSignal
        return new ReadableStream()
      },
    ])
    const stop = new AbortController()
    const done = open([helper(model, [echo])]).dispatch([invoke('a')], { signal: stop.signal })
    while (!seen) await settled()
    stop.abort()
    expect((await done).results[0]?.outcome).toBe('cancelled')
    expect(seen.aborted).toBe(true)
  })

  it('questions go out in the name of the round around, and its stop stops both', async () => {
    const write: AnyTool = { name: 'write', description: 'Writes.', execute: () => 'written' }
    const model = scriptedModel([
      calls(['c1', 'write', {}]),
      says('done'),
      calls(['c1', 'write', {}]),
    ])
    const batches: ApprovalBatch[] = []
    const events: RunEvent[] = []
    const options = {
      store: memoryRunStore(),
      approver: (batch: ApprovalBatch) => {
        batches.push(batch)
        const { callId } = batch.requests[0] ?? { callId: '' }
        return [
          { callId, decision: batches.length === 1 ? ('approve' as const) : ('stop' as const) },
        ]
      },
    }
    const tool = helper(model, [write], { dispatcher: options })
    const run = open([tool], { ...options, onEvent: (event: RunEvent) => events.push(event) })
    const first = await run.dispatch([invoke('a')], { roundId: 'r1' })
    expect(first.results[0]?.content).toContain('done')
    expect(batches[0]).toMatchObject({ runId: 'parent', roundId: 'r1', sessionId: 's' })
    expect(batches[0]?.requests[0]).toMatchObject({ callId: 'a/c1', name: 'write' })
    const asked = events.filter(({ type }) => type.startsWith('approval'))
    expect(asked).toMatchObject([
      { type: 'approval_requested', runId: 'parent', questions: [{ callId: 'a/c1' }] },
      { type: 'approval_answered', runId: 'parent', callId: 'a/c1' },
    ])
    const second = await run.dispatch([invoke('b')])
    expect(second.stopped).toBe(true)
    expect(second.results[0]).toMatchObject({ outcome: 'failed' })
    expect(second.results[0]?.content).toContain('a person stopped it')
    const third = await run.dispatch([invoke('c')])
    expect(third.results[0]?.code).toBe('run-stopped')
  })

  it('edited arguments of a question inside are looked at by their own schema', async () => {
    const write: AnyTool = {
      name: 'write',
      description: 'Writes.',
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      execute: ({ n }: JsonObject) => `wrote ${n}`,
    }
    const model = scriptedModel([calls(['c1', 'write', { n: 1 }]), says('done')])
    const approver = async ({ requests, review }: ApprovalBatch) => {
      const { callId } = requests[0] ?? { callId: '' }
      const bad = await review({ callId, decision: 'approve', arguments: { n: 'x' } })
      expect(bad.problem).toContain('/n must be integer')
      const good = await review({ callId, decision: 'approve', arguments: { n: 2 } })
      expect(good).toEqual({ settles: ['a/c1'] })
      return [{ callId, decision: 'approve' as const, arguments: { n: 2 } }]
    }
    const tool = helper(model, [write], { dispatcher: { approver } })
    await open([tool], { approver }).dispatch([invoke('a')])
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('wrote 2')
  })

  it('bounds: tokens, steps, subagents a run', async () => {
    const model = scriptedModel([
      [...calls(['c1', 'echo', { what: 'x' }]).slice(0, -1), finish('tool-calls', 90)],
      calls(['c2', 'echo', { what: 'y' }]),
      says('out of steps'),
    ])
    const tool = helper(model, [echo], { maxTokens: 50, maxSteps: 2, maxPerRun: 2 })
    const run = open([tool])
    const [over] = (await run.dispatch([invoke('a')])).results
    expect(over?.content).toContain('[Stopped: its budget of 50 tokens is used up.]')
    expect(model.requests).toHaveLength(1)
    const [steps] = (await run.dispatch([invoke('b')])).results
    expect(steps?.content).toContain('steps after 2 steps')
    expect(model.requests.at(-1)?.toolChoice).toEqual({ type: 'none' })
    const [third] = (await run.dispatch([invoke('c')])).results
    expect(third?.content).toContain('no more than 2 subagents a run')
  })

  it('session_id goes on with an earlier conversation; an unknown one is an error', async () => {
    const model = scriptedModel([says('The answer is 4.'), says('I said 4.')])
    const run = open([helper(model, [echo])])
    const [first] = (await run.dispatch([invoke('a')])).results
    const { session } = Object(first?.value) as { session: string }
    await run.dispatch([invoke('b', { session_id: session })])
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('The answer is 4.')
    const [wrong] = (await run.dispatch([invoke('c', { session_id: 'nope' })])).results
    expect(wrong?.content).toContain('there is no subagent with the session nope')
    const records = memoryRecords<SubagentRecord>()
    await records.save(
      'session:x',
      { runId: 'x', sessionId: 'another', messages: [] },
      { now: 0, forgetAt: 1 },
    )
    const other = open([helper(scriptedModel([]), [echo], { records })])
    const [foreign] = (await other.dispatch([invoke('a', { session_id: 'x' })])).results
    expect(foreign?.content).toContain('there is no subagent with the session x')
  })

  it('mode list names the kinds; a kind has its own words; reasoning is a parameter only where it means something', async () => {
    const model = scriptedModel([says('ok')])
    const roles = {
      reader: { description: 'Reads files.', system: 'You read.' },
      judge: { description: 'Judges.', system: 'You judge.' },
    }
    const tool = helper(model, [echo], { roles, reasoning: { high: { temperature: 0.1 } } })
    const run = open([tool])
    const [list] = (await run.dispatch([callOf('l', 'subagents', {})])).results
    expect(list?.content).toBe('- reader — Reads files.\n- judge — Judges.')
    await run.dispatch([invoke('a', { name: 'judge', reasoning: 'high' })])
    expect(model.requests[0]?.temperature).toBe(0.1)
    expect(JSON.stringify(model.requests[0]?.prompt)).toContain('You judge.')
    const plain = open([helper(scriptedModel([]), [echo])])
    const [refused] = (await plain.dispatch([invoke('a', { reasoning: 'high' })])).results
    expect(refused?.outcome).toBe('invalid')
  })

  it('with durable records a crash leaves nothing to do twice', async () => {
    const store = memoryRunStore()
    const records = memoryRecords<SubagentRecord>()
    let wrote = 0
    const write: AnyTool = {
      name: 'write',
      description: 'Writes.',
      execute: () => {
        wrote += 1
        return 'written'
      },
    }
    const never = scriptedModel([calls(['c1', 'write', {}]), () => new ReadableStream()])
    const options = { store, unattended: 'allow' as const }
    const process1 = open([helper(never, [write], { records, dispatcher: options })], options)
    void process1.dispatch([invoke('a')], { roundId: 'r1' })
    while (never.requests.length < 2) await settled()
    const next = scriptedModel([says('All written.')])
    const process2 = open([helper(next, [write], { records, dispatcher: options })], options)
    const { results } = await process2.dispatch([invoke('a')], { roundId: 'r1' })
    expect(results[0]?.content).toContain('All written.')
    expect(JSON.stringify(next.requests[0]?.prompt)).toContain('written')
    expect(wrote).toBe(1)
    // Without them it may have happened.
    const other = scriptedModel([() => new ReadableStream()])
    const process3 = open([helper(other, [write], { dispatcher: options })], { ...options, store })
    void process3.dispatch([invoke('b')], { roundId: 'r2' })
    while (other.requests.length < 1) await settled()
    const process4 = open([helper(scriptedModel([]), [write])], options)
    const again = await process4.dispatch([invoke('b')], { roundId: 'r2' })
    expect(again.results[0]?.outcome).toBe('interrupted')
  })

  it('needs a model', () => {
    expect(() => subagentsTool({ models: {}, tools: [] })).toThrow(
      expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }),
    )
  })

  it('a model that fails, or says nothing, is a failed call', async () => {
    const model = scriptedModel([new Error('no key'), [...text(' '), finish()]])
    const run = open([helper(model, [echo])])
    const [failed] = (await run.dispatch([invoke('a')])).results
    expect(failed?.content).toContain('no key')
    const [empty] = (await run.dispatch([invoke('b')])).results
    expect(empty?.content).toContain('ended without an answer (answer)')
  })
})
