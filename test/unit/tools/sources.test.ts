/** Tools from outside: they come, change and go while the dispatcher lives. */
import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  type ApprovalBatch,
  createDispatcher,
  type DispatcherOptions,
  type Run,
  type SourceHealth,
  type ToolSource,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { callOf, gatedTool, settled } from '../../support/gated-tool.ts'

const named = (name: string, traits: Partial<AnyTool> = {}): AnyTool => ({
  name,
  description: `Does ${name}.`,
  readOnly: true,
  execute: () => `${name} ran`,
  ...traits,
})

interface Controlled extends ToolSource {
  set(tools: readonly AnyTool[], health?: Partial<SourceHealth>): void
}

function sourceOf(name: string, prefix: string, first: readonly AnyTool[] = []): Controlled {
  let tools = first
  let health: SourceHealth = { status: 'ready', problems: [] }
  return {
    name,
    prefix,
    tools: () => tools,
    health: () => health,
    set(next, changed = {}) {
      tools = next
      health = { ...health, ...changed }
    },
  }
}

const open = (sources: readonly ToolSource[], options: Partial<DispatcherOptions> = {}) =>
  createDispatcher({ tools: [named('own')], sources, mode: 'full', ...options })

const ran = async (run: Run, ...names: string[]) => {
  const { results } = await run.dispatch(names.map((name) => callOf(name, name)))
  return results.map(({ outcome }) => outcome)
}

describe('the tools of a source', () => {
  it('come, change and go between the rounds of a run, whose model is shown the same bytes to its end', async () => {
    const source = sourceOf('api', 'api_', [named('api_a')])
    const dispatcher = open([source])
    const run = dispatcher.run()
    const shown = JSON.stringify(run.tools)
    expect(await ran(run, 'own', 'api_a', 'api_b')).toEqual(['completed', 'completed', 'unknown'])
    source.set([named('api_b'), named('api_a', { execute: () => 'another' })])
    expect(await ran(run, 'api_b')).toEqual(['completed'])
    const { results } = await run.dispatch([callOf('x', 'api_a', { again: 1 })])
    expect(results[0]?.content).toBe('another')
    source.set([])
    expect(await ran(run, 'api_b', 'api_a')).toEqual(['unknown', 'unknown'])
    expect(JSON.stringify(run.tools)).toBe(shown)
    expect(JSON.stringify(dispatcher.run({ runId: run.runId }).tools)).toBe(shown)
    expect(dispatcher.run().tools.map(({ name }) => name)).toEqual(['own'])
  })

  it('stay as a round began with them: a change in its middle is for the next one', async () => {
    const slow = gatedTool('api_slow', { readOnly: true })
    const source = sourceOf('api', 'api_', [slow.tool, named('api_after')])
    const run = open([source]).run()
    const done = run.dispatch([callOf('s', 'api_slow', { n: 's' }), callOf('a', 'api_after')])
    await slow.whenStarted(1)
    source.set([])
    slow.finish('s')
    expect((await done).results.map(({ content }) => content)).toEqual(['done s', 'api_after ran'])
    expect(await ran(run, 'api_after', 'api_slow')).toEqual(['unknown', 'unknown'])
  })

  it('keep the mode in which the model was shown them', async () => {
    const many = Array.from({ length: 9 }, (_, at) => named(`api_${at}`))
    const source = sourceOf('api', 'api_', [named('api_a')])
    const dispatcher = open([source], { mode: 'auto', maxTools: 5 })
    const run = dispatcher.run()
    source.set(many)
    expect(dispatcher.exposure).toBe('deferred')
    // Shown in full: neither a schema first nor run_tool.
    expect(await ran(run, 'api_3')).toEqual(['completed'])
    expect(await ran(dispatcher.run(), 'api_3')).toEqual(['refused'])
  })

  it('whose schema has changed is shown anew before it runs, and asks a person anew', async () => {
    const write = (properties: object) =>
      named('mcp__s__put', { readOnly: false, inputSchema: { type: 'object', properties } })
    const source = sourceOf('mcp:s', 'mcp__s__', [write({ a: { type: 'string' } })])
    const asked: ApprovalBatch[] = []
    const run = open([source], {
      mode: 'deferred',
      approver: (batch) => {
        asked.push(batch)
        return batch.requests.map(({ callId }) => ({ callId, decision: 'approve-for-run' }))
      },
    }).run()
    const put = (id: string, args: object) => callOf(id, 'run_tool', { name: 'mcp__s__put', args })
    const outcomes = async (...calls: ReturnType<typeof callOf>[]) =>
      (await run.dispatch(calls)).results.map(({ outcome }) => outcome)
    await outcomes(callOf('f', 'find_tools', { query: 'select:mcp__s__put' }))
    expect(await outcomes(put('1', { a: '1' }))).toEqual(['completed'])
    expect(await outcomes(put('2', { a: '2' }))).toEqual(['completed'])
    expect(asked).toHaveLength(1)
    source.set([write({ a: { type: 'string' }, b: { type: 'string' } })])
    expect(await outcomes(put('3', { a: '3' }))).toEqual(['schema'])
    expect(await outcomes(put('4', { a: '4' }))).toEqual(['completed'])
    expect(asked).toHaveLength(2)
  })

  it('that are bad are one diagnostic each, and never take the others down', () => {
    const source = sourceOf('api', 'api_', [
      named('api_good'),
      named('api_good', { description: 'Again.' }),
      named('other'),
      named('api_schema', { inputSchema: { type: 'nothing' } }),
      named('api_timeout', { timeout: -1 }),
      null as unknown as AnyTool,
    ])
    const late = sourceOf('x', 'own', [named('own')])
    const dispatcher = open([source, late])
    expect(dispatcher.catalogue.map(({ name, source: from }) => [name, from])).toEqual([
      ['api_good', 'api'],
      ['find_tools', undefined],
      ['own', undefined],
    ])
    expect(dispatcher.diagnostics.map((each) => [each.source, each.tool, each.code])).toEqual([
      ['api', 'api_good', 'THREEPASS_DUPLICATE_TOOL'],
      ['api', 'other', 'THREEPASS_BAD_TOOL'],
      ['api', 'api_schema', 'THREEPASS_BAD_SCHEMA'],
      ['api', 'api_timeout', 'THREEPASS_BAD_TOOL'],
      ['api', '(no name)', 'THREEPASS_BAD_TOOL'],
      ['x', 'own', 'THREEPASS_DUPLICATE_TOOL'],
    ])
  })

  it('are diagnostics however they fail when they are looked at, also when they come later', async () => {
    const throwing = (member: string) =>
      Object.defineProperty(named('api_x'), member, {
        get() {
          throw new Error('no')
        },
        enumerable: true,
      })
    const bad = [
      { ...named('api_needs'), needs: 5 as never },
      { ...named('api_schema'), inputSchema: 5 as never },
      throwing('name'),
      throwing('execute'),
      throwing('inputSchema'),
    ]
    const source = sourceOf('api', 'api_', [...bad, named('api_good')])
    const dispatcher = open([source])
    expect(dispatcher.diagnostics.map(({ code }) => code)).toEqual(
      Array(5).fill('THREEPASS_BAD_TOOL'),
    )
    const run = dispatcher.run()
    expect(await ran(run, 'own', 'api_good')).toEqual(['completed', 'completed'])
    source.set([...bad, named('api_later')])
    expect(await ran(run, 'api_later')).toEqual(['completed'])
  })

  it('that have changed do not give the answer of what they were', async () => {
    const source = sourceOf('api', 'api_', [named('api_a', { version: '1', execute: () => 1 })])
    const run = open([source]).run()
    const call = async () => {
      const { results } = await run.dispatch([callOf('c', 'api_a')])
      return [results[0]?.outcome, results[0]?.content]
    }
    expect(await call()).toEqual(['completed', '1'])
    expect(await call()).toEqual(['duplicate', '1'])
    source.set([named('api_a', { version: '2', execute: () => 2 })])
    expect(await call()).toEqual(['completed', '2'])
    expect(await call()).toEqual(['duplicate', '2'])
  })

  it.each([
    ['unchanged', (tool: AnyTool) => [tool]],
    ['gone', () => []],
    [
      'another schema',
      (tool: AnyTool) => [{ ...tool, inputSchema: { type: 'object', required: ['x'] } }],
    ],
    ['another description', (tool: AnyTool) => [{ ...tool, description: 'Another.' }]],
    ['read-only by now', (tool: AnyTool) => [{ ...tool, readOnly: true }]],
  ] as const)('after a crash a write that may have happened is told so: %s', async (_, now) => {
    for (const mode of ['full', 'deferred'] as const) {
      for (const recorded of [false, true]) {
        const store = memoryRunStore()
        let writes = 0
        let began = () => {}
        const begun = new Promise<void>((resolve) => {
          began = resolve
        })
        const write = named('api_w', {
          readOnly: false,
          execute: () => {
            writes += 1
            began()
            return recorded ? 'wrote' : new Promise(() => {})
          },
        })
        const hang = gatedTool('hang', { readOnly: true })
        const source = sourceOf('api', 'api_', [write])
        const setUp = { tools: [hang.tool], store, mode, unattended: 'allow' as const }
        const call = (id: string, name: string, args: object) =>
          mode === 'full' ? callOf(id, name, args) : callOf(id, 'run_tool', { name, args })
        const first = open([source], setUp).run({ runId: 'r' })
        if (mode === 'deferred') {
          await first.dispatch([callOf('f', 'find_tools', { query: 'select:api_w,hang' })])
        }
        const round = [call('w', 'api_w', {}), call('h', 'hang', { n: 'h' })]
        void first.dispatch(round, { roundId: 'R' })
        await (recorded ? hang.whenStarted(1) : begun)
        source.set(now(write))
        const again = open([source], { ...setUp, tools: [named('hang')] }).run({ runId: 'r' })
        const { results } = await again.dispatch(round, { roundId: 'R' })
        expect([mode, recorded, results[0]?.outcome, results[0]?.content]).toEqual([
          mode,
          recorded,
          recorded ? 'completed' : 'interrupted',
          recorded ? 'wrote' : expect.stringContaining('It may have happened'),
        ])
        expect(writes).toBe(1)
      }
    }
  })

  it('do not come from a source that throws or gives no list; the others are there', async () => {
    const broken = {
      ...sourceOf('a', 'a_'),
      tools: () => {
        throw new Error('broken')
      },
      health: () => {
        throw new Error('ill')
      },
      load: () => {
        throw new Error('no')
      },
    }
    const odd = { ...sourceOf('b', 'b_'), tools: () => 'none' as unknown as AnyTool[] }
    const dispatcher = open([broken, odd, sourceOf('c', 'c_', [named('c_a')])])
    const run = dispatcher.run()
    expect(await ran(run, 'c_a', 'a_x', 'b_x')).toEqual(['completed', 'unknown', 'unknown'])
    expect(dispatcher.diagnostics.map(({ source, message }) => [source, message])).toEqual([
      ['a', 'The source "a" failed: broken.'],
      ['b', 'The source "b" gave no list of tools.'],
    ])
    expect(dispatcher.sources[0]).toMatchObject({ status: 'failed', message: 'ill', tools: 0 })
  })

  it('that two sources share are each one’s by its prefix', () => {
    const shared = named('a_x')
    const dispatcher = open([sourceOf('a', 'a_', [shared]), sourceOf('b', 'b_', [shared])])
    expect(dispatcher.catalogue.map(({ name, source }) => [name, source])).toContainEqual([
      'a_x',
      'a',
    ])
    expect(dispatcher.diagnostics).toMatchObject([{ source: 'b', tool: 'a_x' }])
  })

  it('are screened as what strangers wrote, unless the source vouches for them', () => {
    const inputSchema = {
      type: 'object',
      properties: { s: { type: 'string', pattern: '^(a+)+$' } },
    }
    const source = sourceOf('api', 'api_', [
      named('api_a', { inputSchema }),
      named('api_b', { inputSchema, trust: 'author' }),
    ])
    expect(open([source]).diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('it is not checked'),
      expect.stringContaining('rewrite it'),
    ])
  })
})

describe('a source that is slow or dead', () => {
  const dead = (prefix = 'mcp__dead__') => {
    let loads = 0
    let loaded = () => {}
    const source = sourceOf('mcp:dead', prefix)
    source.set([], { status: 'loading', message: 'connecting' })
    const load = () => {
      loads += 1
      return new Promise<void>((resolve) => {
        loaded = resolve
      })
    }
    return { source: { ...source, load }, loads: () => loads, loaded: () => loaded() }
  }

  it('delays no round that does not use it; a search says that it is not ready', async () => {
    const { source, loads } = dead()
    const run = open([source], { mode: 'deferred' }).run()
    const { results } = await run.dispatch([
      callOf('f', 'find_tools', { query: 'own' }),
      callOf('o', 'run_tool', { name: 'own', args: {} }),
      callOf('x', 'api_unknown'),
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'schema', 'unknown'])
    expect(results[0]?.value).toMatchObject({ not_ready: ['mcp__dead__*: loading (connecting)'] })
    expect(loads()).toBe(0)
  })

  it.each([
    ['called by its name', 'full', callOf('c', 'mcp__dead__x')],
    ['inside run_tool', 'deferred', callOf('c', 'run_tool', { name: 'mcp__dead__x', args: {} })],
    [
      'inside run_tool as text',
      'deferred',
      callOf('c', 'run_tool', '{"args":{},"name" : "mcp__dead__x"}'),
    ],
  ] as const)('is waited for by a round that could use it: %s', async (_, mode, call) => {
    const { source, loads, loaded } = dead()
    const run = open([source], { mode }).run()
    const done = run.dispatch([call])
    await settled()
    expect(loads()).toBe(1)
    source.set([named('mcp__dead__x')], { status: 'ready' })
    loaded()
    const [result] = (await done).results
    expect(result?.outcome).toBe(mode === 'full' ? 'completed' : 'schema')
    await run.dispatch([callOf('d', 'mcp__dead__x')])
    expect(loads()).toBe(1)
  })

  it('is not waited for because an argument of another tool has such a name', async () => {
    const { source, loads } = dead()
    const run = open([source]).run()
    for (const args of [{ name: 'mcp__dead__x' }, '{"name":"mcp__dead__x"}']) {
      await run.dispatch([callOf('o', 'own', args)])
    }
    expect(loads()).toBe(0)
  })

  it('that fails does not end the wait for another', async () => {
    const failing = { ...sourceOf('a', 'a_'), load: () => Promise.reject(new Error('no')) }
    const { source, loaded } = dead()
    const run = open([failing, source]).run()
    const done = run.dispatch([callOf('a', 'a_x'), callOf('c', 'mcp__dead__x')])
    await settled()
    source.set([named('mcp__dead__x')])
    loaded()
    expect((await done).results.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed'])
  })

  it('may be an object of a class', async () => {
    class Own implements ToolSource {
      readonly name = 'own'
      readonly prefix = 'o_'
      own: readonly AnyTool[] = []
      tools() {
        return this.own
      }
      health(): SourceHealth {
        return { status: 'ready' } as SourceHealth
      }
      async load() {
        this.own = [named('o_x')]
      }
    }
    const dispatcher = open([new Own()])
    expect(await ran(dispatcher.run(), 'o_x')).toEqual(['completed'])
    expect(dispatcher.sources).toMatchObject([{ name: 'own', tools: 1, problems: [] }])
  })

  it('is not waited for after an abort, nor when it fails', async () => {
    const { source } = dead()
    const stop = new AbortController()
    const run = open([source]).run()
    const done = run.dispatch([callOf('c', 'mcp__dead__x')], { signal: stop.signal })
    await settled()
    stop.abort()
    expect((await done).results[0]?.outcome).toBe('unknown')
    const broken = { ...source, load: () => Promise.reject(new Error('no')) }
    expect(await ran(open([broken]).run(), 'mcp__dead__x')).toEqual(['unknown'])
  })

  it('shows in the list of sources', () => {
    const { source } = dead()
    const api = sourceOf('api', 'api_', [named('api_a'), named('wrong')])
    expect(open([source, api]).sources).toEqual([
      {
        name: 'mcp:dead',
        prefix: 'mcp__dead__',
        tools: 0,
        status: 'loading',
        message: 'connecting',
        problems: [],
      },
      { name: 'api', prefix: 'api_', tools: 1, status: 'ready', problems: [] },
    ])
  })
})

describe('ten thousand tools of several sources', () => {
  const words = ['invoice', 'weather', 'calendar', 'ticket', 'customer', 'image', 'payment']
  const tools = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      named(`${prefix}${words[at % words.length]}_${at}`, {
        description: `Gets ${words[(at * 3) % words.length]} number ${at}.`,
      }),
    )

  it('a change prepares what has changed and nothing else, and a search knows it', async () => {
    let compiled = 0
    const validator = cfworkerValidator()
    const counting = {
      ...validator,
      compile: (...args: Parameters<typeof validator.compile>) => {
        compiled += 1
        return validator.compile(...args)
      },
    }
    const sources = ['a', 'b', 'c', 'd'].map((name) =>
      sourceOf(name, `${name}_`, tools(`${name}_`, 2_500)),
    )
    const dispatcher = open(sources, { validator: counting, mode: 'deferred' })
    expect(dispatcher.catalogue).toHaveLength(10_002)
    await dispatcher.search('invoice')
    const before = compiled
    const [a, b] = sources as [Controlled, Controlled]
    a.set([...a.tools().slice(1), named('a_zeppelin', { description: 'Steers a zeppelin.' })])
    b.set(b.tools().map((tool, at) => (at === 7 ? { ...tool, description: 'A balloon.' } : tool)))
    expect(await dispatcher.search('zeppelin')).toEqual(['a_zeppelin'])
    expect(await dispatcher.search('balloon')).toEqual(['b_invoice_7'])
    expect(compiled - before).toBe(2)
    const gone = 'a_invoice_0'
    expect(await dispatcher.search('invoice number 0')).not.toContain(gone)
    // As if it had been made of these tools.
    const fresh = open(sources, { mode: 'deferred' })
    for (const query of ['weather', 'get payment 12', 'b_ticket_3', 'zepelin']) {
      expect(await dispatcher.search(query)).toEqual(await fresh.search(query))
    }
  })
})

describe('sources as an option', () => {
  it.each([
    [[sourceOf('a', 'a_'), sourceOf('a', 'b_')]],
    [[sourceOf('a', 'a_'), sourceOf('b', 'a_b_')]],
    [[sourceOf('a', '')]],
    [[{ name: 'a' } as unknown as ToolSource]],
    ['none' as unknown as ToolSource[]],
  ])('%#: names and prefixes must be their own', (sources) => {
    expect(() => open(sources)).toThrowError(
      expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }),
    )
  })
})
