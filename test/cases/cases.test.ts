/**
 * Inputs that broke other dispatchers, each with the right answer. The id names the handed case;
 * cases about schemas stand in unit/schema, about fetching in unit/net, about stores with the stores.
 */
import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import {
  type AnyTool,
  createDispatcher,
  type DispatcherOptions,
  type JsonObject,
  type RunEvent,
  type ToolCall,
  type ToolResult,
} from '../../src/index.ts'
import { memoryCacheStore } from '../../src/result-cache/memory.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { callOf } from '../support/gated-tool.ts'

const echo = (name: string, more: Partial<AnyTool> = {}): AnyTool => ({
  name,
  description: name,
  readOnly: true,
  reads: () => [],
  inputSchema: { type: 'object' },
  execute: (args: unknown) => args,
  ...more,
})

/** A tool that counts its runs. */
function counter(name: string, more: Partial<AnyTool> = {}): { tool: AnyTool; runs: () => number } {
  let runs = 0
  return {
    tool: {
      ...echo(name),
      ...more,
      execute: () => {
        runs += 1
        return `run ${runs}`
      },
    },
    runs: () => runs,
  }
}

async function play(
  tools: AnyTool[],
  rounds: ToolCall[][],
  options: Partial<DispatcherOptions> = {},
): Promise<ToolResult[][]> {
  const run = createDispatcher({ tools, mode: 'full', unattended: 'allow', ...options }).run()
  const all: ToolResult[][] = []
  for (const calls of rounds) all.push([...(await run.dispatch(calls)).results])
  return all
}

const outcomes = (results: readonly ToolResult[] | undefined) =>
  results?.map((result) => result.outcome)
const text = (id: string, name: string, args: string): ToolCall => ({ id, name, arguments: args })

describe('arguments', () => {
  it('P01 blank means {}; a tool with required fields names them', async () => {
    const strict = echo('strict', {
      inputSchema: { type: 'object', required: ['q'], properties: { q: {} } },
    })
    const [results] = await play(
      [echo('list'), strict],
      [[text('c1', 'list', ''), text('c2', 'list', '  \n'), text('c3', 'strict', '')]],
    )
    expect(outcomes(results)).toEqual(['completed', 'duplicate', 'invalid'])
    expect(results?.[2]?.content).toContain('/q')
  })

  it('P02 null, absent and "null" run with {}, and no undefined reaches an event', async () => {
    const events: RunEvent[] = []
    const calls = [
      callOf('c1', 'ping', null),
      { id: 'c2', name: 'ping' },
      text('c3', 'ping', 'null'),
    ]
    const [results] = await play([echo('ping', { dedupe: false })], [calls], {
      onEvent: (event) => events.push(event),
    })
    expect(results?.map((result) => result.value)).toEqual([{}, {}, {}])
    expect(events.flatMap((event) => Object.values(event))).not.toContain(undefined)
  })

  it('P04 a double-encoded value is unwrapped only where the schema refuses a text', async () => {
    const inputSchema = {
      type: 'object',
      properties: { todos: { type: 'array', items: { type: 'object' } }, note: { type: 'string' } },
      required: ['todos'],
    }
    const [results] = await play(
      [echo('todo', { inputSchema })],
      [[text('c1', 'todo', '{"todos":"[{\\"t\\":1}]","note":"[1,2]"}')]],
    )
    expect(results?.[0]).toMatchObject({
      value: { todos: [{ t: 1 }], note: '[1,2]' },
      coerced: [{ path: '/todos' }],
    })
  })

  it('P05 what is repaired is flagged on the result and in the event', async () => {
    const events: RunEvent[] = []
    const [results] = await play([echo('add')], [[text('c1', 'add', '{"a":1,"s":"x, }",}')]], {
      onEvent: (event) => events.push(event),
    })
    expect(results?.[0]).toMatchObject({
      value: { a: 1, s: 'x, }' },
      repaired: [expect.any(String)],
    })
    expect(events.find((event) => event.type === 'tool_call')).toMatchObject({
      repaired: [expect.any(String)],
    })
  })

  it('P13 texts are never unescaped twice', async () => {
    const [results] = await play([echo('w')], [[text('c1', 'w', '{"p":"C:\\\\new\\\\table"}')]])
    expect(results?.[0]?.value).toEqual({ p: 'C:\\new\\table' })
  })
})

describe('names and ids', () => {
  it('P14 a hallucinated tool gets near names and the run goes on; bounded with 500 tools', async () => {
    const many = Array.from({ length: 500 }, (_, n) => echo(`other_tool_${n}`))
    const [results] = await play(
      [echo('search_web'), ...many],
      [[text('c1', 'websearch', '{}'), text('c2', 'search_web', '{}')]],
    )
    expect(outcomes(results)).toEqual(['unknown', 'completed'])
    expect(results?.[0]?.content).toContain('search_web')
    expect(results?.[0]?.content.length).toBeLessThan(300)
  })

  it('P16 an id used again in a later round is another call; the wire id goes back unchanged', async () => {
    const [, second] = await play(
      [echo('bash')],
      [[text('bash:0', 'bash', '{"c":"a"}')], [text('bash:0', 'bash', '{"c":"b"}')]],
    )
    expect(second?.[0]).toMatchObject({ callId: 'bash:0', outcome: 'completed', value: { c: 'b' } })
  })

  it('P17 two calls with one id get results of their own, also in the history', async () => {
    const store = memoryRunStore()
    const run = createDispatcher({ tools: [echo('read')], mode: 'full', store }).run({ runId: 'r' })
    const { results } = await run.dispatch([
      text('x', 'read', '{"p":"A"}'),
      text('x', 'read', '{"p":"B"}'),
    ])
    expect(results.map(({ callId, value }) => [callId, value])).toEqual([
      ['x', { p: 'A' }],
      ['x_2', { p: 'B' }],
    ])
    const [round] = await store.listRounds('r', 0, 1)
    expect(round?.history.map((entry) => entry.callId)).toEqual(['x', 'x_2'])
  })

  it('P19 one tool twice: both run, each with its own result', async () => {
    const [results] = await play(
      [echo('s')],
      [[text('c1', 's', '{"q":"X"}'), text('c2', 's', '{"q":"Y"}')]],
    )
    expect(results?.map((result) => result.value)).toEqual([{ q: 'X' }, { q: 'Y' }])
  })

  it('P20 names and ids that are inherited properties are plain names and ids', async () => {
    const calls = [
      text('constructor', 'constructor', '{}'),
      text('__proto__', 'toString', '{}'),
      text('c3', '__proto__', '{}'),
    ]
    const [results] = await play([echo('t')], [calls])
    expect(results?.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['constructor', 'unknown'],
      ['__proto__', 'unknown'],
      ['c3', 'unknown'],
    ])
  })

  it('P23 a bare name that two servers have is an error that lists both', async () => {
    const tools = [echo('mcp__a__send_email'), echo('mcp__b__send_email')]
    const [results] = await play(tools, [[text('c1', 'send_email', '{}')]])
    expect(results?.[0]?.outcome).toBe('unknown')
    expect(results?.[0]?.content).toContain('mcp__a__send_email, mcp__b__send_email')
  })
})

describe('concurrency, order, failure', () => {
  it("P52 a synchronous throw and a throwing hook lose nobody's result", async () => {
    const claim = echo('claim', {
      concurrent: true,
      execute: () => new Promise((resolve) => setImmediate(resolve, 'sig1')),
    })
    const boom = echo('boom', {
      execute: () => {
        throw new Error('boom')
      },
    })
    const onEvent = (event: RunEvent) => {
      if (event.type === 'tool_call_end') throw new Error('hook')
    }
    const [results] = await play([claim, boom], [[callOf('a', 'boom'), callOf('b', 'claim')]], {
      onEvent,
    })
    expect(results?.map(({ outcome, content }) => [outcome, content])).toEqual([
      ['failed', 'boom failed: boom'],
      ['completed', 'sig1'],
    ])
  })

  it('P53 a failure does not cancel its siblings', async () => {
    const sh = echo('sh', {
      execute: (args: JsonObject) => {
        if (args.c === 'grep') return { isError: true, content: [{ type: 'text', text: 'exit 1' }] }
        return 'ok'
      },
    })
    const [results] = await play(
      [sh],
      [['grep', 'pwd', 'ls'].map((c, n) => callOf(`c${n}`, 'sh', { c }))],
    )
    expect(outcomes(results)).toEqual(['failed', 'completed', 'completed'])
    expect(results?.[0]?.content).toBe('sh failed: exit 1')
  })

  it('P55 parallel writes to one file: all of them, in call order', async () => {
    const files = new Map<string, string>()
    const edit = echo('edit', {
      readOnly: false,
      concurrent: true,
      writes: (args) => [`file:${args.path}`],
      async execute(args: JsonObject) {
        const key = String(args.path).replace('./', '')
        const before = files.get(key) ?? ''
        await new Promise((resolve) => setImmediate(resolve))
        files.set(key, before + args.s)
      },
    })
    await play(
      [edit],
      [
        [
          callOf('a', 'edit', { path: 'f', s: '1' }),
          callOf('b', 'edit', { path: './f', s: '2' }),
          callOf('c', 'edit', { path: 'g', s: '3' }),
        ],
      ],
    )
    expect(Object.fromEntries(files)).toEqual({ f: '12', g: '3' })
  })

  it('P56 reads before and after a write see old and new; a pattern read waits too', async () => {
    let stored = 'old'
    const read = echo('read', {
      concurrent: true,
      reads: (args) => [`file:${args.path}`],
      execute: () => stored,
    })
    const grep = echo('grep', { concurrent: true, reads: () => ['file:*'], execute: () => stored })
    const write = echo('write', {
      readOnly: false,
      writes: (args) => [`file:${args.path}`],
      async execute(args: JsonObject) {
        await new Promise((resolve) => setImmediate(resolve))
        stored = String(args.s)
      },
    })
    const calls = [
      callOf('a', 'read', { path: 'f' }),
      callOf('b', 'write', { path: 'f', s: 'new' }),
      callOf('c', 'read', { path: 'f' }),
      callOf('d', 'grep'),
    ]
    const [results] = await play([read, grep, write], [calls])
    expect(results?.map((result) => result.content)).toEqual([
      'old',
      'write returned no output.',
      'new',
      'new',
    ])
    expect(outcomes(results)).toEqual(Array(4).fill('completed'))
  })

  it('P61 denied, cancelled before and while running, timed out: different codes, none stored as success', async () => {
    const hang = echo('hang', { timeout: 5, execute: () => new Promise(() => {}) })
    const slow = echo('slow', { concurrent: true, execute: () => new Promise(() => {}) })
    const ask = echo('ask', { readOnly: false })
    const deny: Partial<DispatcherOptions> = { approver: () => [{ callId: 'a', decision: 'deny' }] }
    const denied = await play([ask], [[callOf('a', 'ask')]], deny)
    const timedOut = await play([hang], [[callOf('a', 'hang')]])
    const controller = new AbortController()
    const done = createDispatcher({ tools: [slow], mode: 'full', maxConcurrent: 1 })
      .run({ onEvent: (event) => event.type === 'tool_call_start' && controller.abort() })
      .dispatch([callOf('a', 'slow', { n: 1 }), callOf('b', 'slow', { n: 2 })], {
        signal: controller.signal,
      })
    const cancelled = (await done).results
    const codes = [denied[0]?.[0], timedOut[0]?.[0], ...cancelled].map((result) => result?.code)
    expect(codes).toEqual([
      'denied',
      'timed-out',
      'cancelled-while-running',
      'cancelled-before-start',
    ])
    const contents = [timedOut[0]?.[0], ...cancelled].map((result) => result?.content ?? '')
    expect(contents.some((content) => content.includes('declined'))).toBe(false)
    expect(denied[0]?.[0]?.content).toContain('declined')
  })

  it('P62 the same failing approach again and again: earlier result, note, advice; key order and coercion do not defeat it', async () => {
    const inputSchema = {
      type: 'object',
      properties: { n: { type: 'integer' }, p: { type: 'string' } },
    }
    const { tool, runs } = counter('write', {
      inputSchema,
      readOnly: false,
      writes: () => ['file:a'],
    })
    const forms = [
      '{"p":"a","n":1}',
      '{"n":1,"p":"a"}',
      '{"p":"a","n":"1"}',
      '{"p":"a","n":1.0}',
      '{"p":"a","n":1}',
    ]
    const rounds = forms.map((form, index) => [text(`c${index}`, 'write', form)])
    const codes = (await play([tool], rounds)).map(([result]) => result?.code)
    expect(codes).toEqual(['completed', 'duplicate', 'duplicate', 'repeat-limit', 'repeat-limit'])
    expect(runs()).toBe(1)
  })
})

describe('results', () => {
  it('P67 one rule for every source: head, tail, count, and the round has a bound too', async () => {
    const rows = () =>
      JSON.stringify(Array.from({ length: 20_000 }, (_, row) => ({ row, note: 'x'.repeat(150) })))
    const dump = echo('dump', { execute: rows })
    const mcp = echo('mcp', {
      trust: 'external',
      execute: () => ({ content: [{ type: 'text', text: rows() }] }),
    })
    const calls = ['a', 'b', 'c'].flatMap((n) => [
      callOf(`d${n}`, 'dump', { n }),
      callOf(`m${n}`, 'mcp', { n }),
    ])
    const [results] = await play([dump, mcp], [calls], {
      maxResultBytes: 20_000,
      maxRoundBytes: 50_000,
    })
    const sizes = results?.map((result) => result.content.length) ?? []
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(50_000)
    for (const result of results ?? []) {
      expect(result.content).toMatch(/^\[\{"row":0,[\s\S]*bytes left out[\s\S]*\}\]$/)
      expect(String(result.value).length).toBeGreaterThan(3_000_000)
    }
  })

  it('P70 an error without content says its message', async () => {
    const open = echo('open', {
      execute: () => ({
        isError: true,
        content: [],
        error: { message: 'net::ERR_EMPTY_RESPONSE' },
      }),
    })
    const [first, second] = await play([open], [[callOf('a', 'open')], [callOf('b', 'open')]])
    expect(first?.[0]).toMatchObject({
      outcome: 'failed',
      content: 'open failed: net::ERR_EMPTY_RESPONSE',
    })
    expect(second?.[0]?.outcome).toBe('failed')
  })
})

describe('cache and dedupe', () => {
  it('P71 errors and partial answers are not kept; the first whole answer is', async () => {
    let runs = 0
    const answers = [
      () => ({ isError: true }),
      () => {
        throw new Error('x')
      },
      () => ({ partial: true }),
      () => [1],
    ]
    const search = echo('search', {
      cache: { ttl: 1_800 },
      execute: () => answers[Math.min(runs++, 3)]?.(),
    })
    const cache = memoryCacheStore()
    const dispatcher = createDispatcher({ tools: [search], mode: 'full', cache })
    const seen: (string | undefined)[] = []
    for (let run = 0; run < 5; run += 1) {
      const { results } = await dispatcher.run({ sessionId: 's' }).dispatch([callOf('a', 'search')])
      seen.push(results[0]?.outcome)
    }
    expect(seen).toEqual(['failed', 'failed', 'completed', 'completed', 'cached'])
    expect(runs).toBe(4)
  })

  it('P73 the key is taken after repair, coercion and defaults', async () => {
    const inputSchema = {
      type: 'object',
      properties: { a: { type: 'integer' }, b: {}, u: { type: 'string', default: 'c' } },
    }
    const { tool, runs } = counter('w', { inputSchema, cache: { ttl: 60 } })
    const forms = [
      '{"a":1,"b":2}',
      '{"b":2,"a":1}',
      '{"a":1,"b":2,"u":"c"}',
      '{"a":"1","b":2.0}',
      '{"a":1,"b":[2]}',
    ]
    const dispatcher = createDispatcher({ tools: [tool], mode: 'full', cache: memoryCacheStore() })
    const seen: (string | undefined)[] = []
    for (const form of forms) {
      // A run each: the cache's key, not the ledger's.
      seen.push(
        (await dispatcher.run({ sessionId: 's' }).dispatch([text('a', 'w', form)])).results[0]
          ?.outcome,
      )
    }
    expect(seen).toEqual(['completed', 'cached', 'cached', 'cached', 'completed'])
    expect(runs()).toBe(2)
  })

  it('P74 after a write its file and folder are read again, a like-named file is not', async () => {
    const read = counter('read', { reads: (args) => [`file:${args.path}`] })
    const list = counter('list', { reads: (args) => [`dir:${args.dir}`] })
    const write = counter('write', {
      readOnly: false,
      writes: (args) => [`file:${args.path}`, 'dir:.'],
    })
    const rounds = [
      callOf('1', 'read', { path: 'a.ts' }),
      callOf('2', 'read', { path: 'data.ts' }),
      callOf('3', 'list', { dir: '.' }),
      callOf('4', 'write', { path: 'a.ts' }),
      callOf('5', 'read', { path: 'a.ts' }),
      callOf('6', 'read', { path: 'data.ts' }),
      callOf('7', 'list', { dir: '.' }),
    ].map((call) => [call])
    const seen = (await play([read.tool, list.tool, write.tool], rounds)).map(
      ([result]) => result?.outcome,
    )
    expect(seen.slice(4)).toEqual(['completed', 'duplicate', 'completed'])
  })
})

describe('no eval', () => {
  it('P50 the whole path works where code from strings is refused, as in workerd', async () => {
    const source = `
      import { createDispatcher } from './src/index.ts'
      const tool = { name: 't', description: 't', readOnly: true, execute: () => ({}),
        inputSchema: { type: 'object', properties: { q: { type: 'string', pattern: '^x' } }, required: ['q'] } }
      const { results } = await createDispatcher({ tools: [tool] }).run().dispatch([
        { id: 'f', name: 'find_tools', arguments: '{"query": "t",}' },
        { id: 'g', name: 'nope', arguments: '{"q": 2512292042121000001}' }])
      console.log(results.map((result) => result.outcome).join(' '))`
    const root = new URL('../../', import.meta.url).pathname
    const { outputFiles } = await build({
      stdin: { contents: source, loader: 'ts', resolveDir: root },
      bundle: true,
      format: 'esm',
      platform: 'node',
      write: false,
    })
    const said = execFileSync(
      process.execPath,
      ['--disallow-code-generation-from-strings', '--input-type=module', '-'],
      { input: outputFiles[0]?.text ?? '', encoding: 'utf8' },
    )
    expect(said.trim()).toBe('completed unknown')
  })
})
