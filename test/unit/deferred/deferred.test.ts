import { describe, expect, it } from 'vitest'
import { compactNames } from '../../../src/deferred/exposure.ts'
import {
  type AnyTool,
  createDispatcher,
  type JsonObject,
  type ToolResult,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { callOf } from '../../support/gated-tool.ts'

const tool = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  readOnly: true,
  concurrent: true,
  execute: (args: JsonObject) => args,
  ...more,
})
const page = tool('pick_color', { origin: 'client' })
const names = (tools: readonly { name: string }[]) => tools.map((each) => each.name)
const runTool = (id: string, name: string, args: unknown) => callOf(id, 'run_tool', { name, args })

describe('the tools array', () => {
  const tools = [tool('zeta'), page, tool('alpha')]

  it('deferred, the default: find_tools, run_tool and the client tools, sorted; the rest by name in the turn context [d.modes] [spec.tools-array]', () => {
    const run = createDispatcher({ tools }).run()
    expect(names(run.tools)).toEqual(['find_tools', 'pick_color', 'run_tool'])
    expect(run.turnContext).toMatch(/: alpha, zeta$/)
  })

  it('full: every schema, no search tools [d.modes]', () => {
    const run = createDispatcher({ tools, mode: 'full' }).run()
    expect(names(run.tools)).toEqual(['alpha', 'pick_color', 'zeta'])
    expect(run.tools[0]?.inputSchema).toEqual(tools[0]?.inputSchema)
    expect(run.turnContext).toBe('')
  })

  it('stub: every tool but run_tool, with empty parameters except find_tools and client tools [spec.stub]', () => {
    const run = createDispatcher({ tools, mode: 'stub' }).run()
    expect(names(run.tools)).toEqual(['alpha', 'find_tools', 'pick_color', 'zeta'])
    const properties = run.tools.map(
      ({ inputSchema }) => Object.keys(Object(inputSchema.properties)).length,
    )
    expect(properties.map((count) => count > 0)).toEqual([false, true, true, false])
    expect(run.turnContext).toBe('')
  })

  it('auto: full below the schema tokens, deferred above [d.modes]', () => {
    const many = Array.from({ length: 40 }, (_, index) => tool(`tool_${index}`))
    const of = (autoSchemaTokens: number) =>
      createDispatcher({ tools: many, mode: 'auto', autoSchemaTokens }).exposure
    expect([of(100), of(5_000)]).toEqual(['deferred', 'full'])
  })

  it('more tools than the provider takes are deferred, with a diagnostic [d.too-many]', () => {
    const many = Array.from({ length: 600 }, (_, index) => tool(`tool_${index}`))
    const dispatcher = createDispatcher({ tools: many, mode: 'full', maxTools: 128 })
    expect(names(dispatcher.tools)).toEqual(['find_tools', 'run_tool'])
    expect(dispatcher.diagnostics).toMatchObject([{ code: 'deferred-for-size' }])
  })

  it('is the same bytes whatever the order of registration and whatever has been loaded [d.bytes]', async () => {
    const run = createDispatcher({ tools }).run()
    const before = JSON.stringify(run.tools)
    await run.dispatch([callOf('a', 'find_tools', { query: 'select:alpha' })])
    expect(JSON.stringify(run.tools)).toBe(before)
    const other = createDispatcher({ tools: [...tools].reverse() })
    expect(JSON.stringify(other.tools)).toBe(before)
    expect(other.run().turnContext).toBe(run.turnContext)
  })

  it('there is no flag that loads a tool from the start [spec.no-always-load]', async () => {
    const flagged = { ...tool('alpha'), alwaysLoad: true }
    const run = createDispatcher({ tools: [flagged] }).run()
    expect(names(run.tools)).toEqual(['find_tools', 'run_tool'])
    expect((await run.dispatch([callOf('a', 'alpha', { q: 'x' })])).results[0]?.outcome).toBe(
      'refused',
    )
  })

  it('client tools are called directly, without a look-up', async () => {
    const run = createDispatcher({ tools }).run()
    expect((await run.dispatch([callOf('a', 'pick_color', { q: 'x' })])).results[0]?.outcome).toBe(
      'completed',
    )
  })
})

describe('the turn context', () => {
  it('costs few characters a name: shared prefixes are written once [d.turn-context]', () => {
    expect(compactNames(['browser_click', 'browser_drag', 'browser_close', 'add'])).toBe(
      'add, browser_{click,close,drag}',
    )
    const many = Array.from({ length: 300 }, (_, index) => `mongodb_operation_${index}`)
    expect(compactNames(many).length / 300).toBeLessThan(16)
  })

  it('keeps every name readable and is the same whatever the order', () => {
    const some = ['a_b', 'a-c', 'math.factorial', 'API-post-page', 'x', 'a_d']
    const expand = (text: string) =>
      text
        .match(/[^,\s{]+\{[^}]*\}|[^,\s]+/g)
        ?.flatMap((piece) => {
          const [, prefix, rest] = /^(.*)\{(.*)\}$/.exec(piece) ?? []
          return rest === undefined ? [piece] : rest.split(',').map((each) => prefix + each)
        })
        .sort()
    expect(expand(compactNames(some))).toEqual([...some].sort())
    expect(compactNames([...some].reverse())).toBe(compactNames(some))
  })
})

describe('find_tools', () => {
  const weather = tool('get_weather', { description: 'Tells the weather of a city.' })
  const mail = tool('sendMail', {
    description: 'Sends an e-mail.',
    inputSchema: { type: 'object', properties: { recipient: { type: 'string' } } },
  })
  const others = Array.from({ length: 12 }, (_, index) =>
    tool(`note_${index}`, { description: 'Keeps a note.' }),
  )
  const dispatcher = createDispatcher({ tools: [weather, mail, ...others] })
  const find = async (args: JsonObject) => {
    const { results } = await dispatcher.run().dispatch([callOf('a', 'find_tools', args)])
    return results[0] as ToolResult
  }
  type Value = { tools: { name: string; inputSchema?: object }[]; total: number }

  it('finds by description, by a part of the name and by parameter names; value in rank order [d.find] [d.value]', async () => {
    const first = async (query: string) =>
      ((await find({ query })).value as unknown as Value).tools[0]?.name
    expect(await first('weather in my town')).toBe('get_weather')
    expect(await first('mail')).toBe('sendMail')
    expect(await first('recipient')).toBe('sendMail')
  })

  it('shows at most three schemas, the rest as name and one line [d.find] [d.value]', async () => {
    const value = (await find({ query: 'note', limit: 5 })).value as unknown as Value
    expect(value.tools.map((each) => each.inputSchema !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(value.total).toBe(12)
    expect(Object.keys(value).sort()).toEqual(['tools', 'total'])
  })

  it('select fetches exactly these, and answers a miss with the nearest names [d.select]', async () => {
    const value = (await find({ query: 'select:sendMail, get_wether' }))
      ?.value as unknown as Value & {
      missing: { name: string; nearest: string[] }[]
    }
    expect(value.tools).toMatchObject([{ name: 'sendMail', inputSchema: mail.inputSchema }])
    expect(value.missing).toEqual([{ name: 'get_wether', nearest: ['get_weather'] }])
  })

  it('list pages through all names, without schemas [d.list]', async () => {
    const page1 = (await find({ mode: 'list', limit: 10 })).value as unknown as Value & {
      nextOffset: number
    }
    const page2 = (await find({ mode: 'list', limit: 10, offset: page1.nextOffset }))
      ?.value as unknown as Value
    expect(page1.total).toBe(14)
    expect([...page1.tools, ...page2.tools].map((each) => each.name)).toEqual(
      [...['get_weather', 'sendMail'], ...names(others)].sort(),
    )
    expect(page1.tools.every((each) => each.inputSchema === undefined)).toBe(true)
  })

  it('an empty query lists, nothing found is an empty list, and a second look-up gives the schema again', async () => {
    expect(((await find({ query: ' ' })).value as unknown as Value).total).toBe(14)
    expect(((await find({ query: 'zzzzqqq' })).value as unknown as Value).tools).toEqual([])
    const run = dispatcher.run()
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const { results } = await run.dispatch([
        callOf(id, 'find_tools', { query: 'select:sendMail' }),
      ])
      expect(results[0]).toMatchObject({
        outcome: 'completed',
        content: expect.stringContaining('recipient'),
      })
    }
  })
})

describe('the loaded set', () => {
  it('is carried over rounds and restarts; a schema that changed since is shown again instead of running [d.loaded] [d.changed]', async () => {
    const store = memoryRunStore()
    const before = createDispatcher({ tools: [tool('x')], store })
    await before.run({ runId: 'r' }).dispatch([callOf('a', 'find_tools', { query: 'select:x' })])
    const same = createDispatcher({ tools: [tool('x')], store }).run({ runId: 'r' })
    expect((await same.dispatch([runTool('b', 'x', { q: '1' })])).results[0]?.outcome).toBe(
      'completed',
    )
    const changed = tool('x', {
      inputSchema: { type: 'object', properties: { z: { type: 'string' } } },
    })
    const after = createDispatcher({ tools: [changed], store }).run({ runId: 'r' })
    const { results } = await after.dispatch([runTool('c', 'x', { z: '2' })])
    expect(results[0]).toMatchObject({ outcome: 'schema', code: 'schema-changed' })
    expect((await after.dispatch([runTool('d', 'x', { z: '2' })])).results[0]?.outcome).toBe(
      'completed',
    )
  })

  it('find_tools and a blind call in one round: the call was written before the schema was read', async () => {
    const run = createDispatcher({ tools: [tool('x')] }).run()
    const { results } = await run.dispatch([
      callOf('a', 'find_tools', { query: 'select:x' }),
      runTool('b', 'x', { q: '1' }),
    ])
    expect(results.map((result) => result.outcome)).toEqual(['completed', 'schema'])
  })
})
