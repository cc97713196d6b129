/** script_*: scripts of a workspace as tools, and their network. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editFileTool } from '../../src/builtin/index.ts'
import { type ApprovalBatch, createDispatcher, type RunEvent } from '../../src/index.ts'
import { guardedFetch } from '../../src/net/guarded-fetch.ts'
import {
  quickJSSandbox,
  type ScriptSourceOptions,
  scriptSource,
  workspaceScripts,
} from '../../src/script/index.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { callOf } from '../support/gated-tool.ts'
import { quickJSWasm } from '../support/quickjs-wasm.ts'

const wasm = quickJSWasm()
const sandbox = quickJSSandbox({ wasm: () => wasm })

interface Written {
  readonly [name: string]: readonly [about: object, code: string]
}

async function setup(scripts: Written, options: Partial<ScriptSourceOptions> = {}) {
  const workspace = memoryWorkspace()
  const write = (all: Written) =>
    workspace.apply(
      Object.entries(all).flatMap(([name, [about, code]]) => [
        {
          path: `/tools/${name}/tool.json`,
          content: JSON.stringify({ name, description: `Does ${name}.`, ...about }),
        },
        { path: `/tools/${name}/script.js`, content: code },
      ]),
    )
  await write(scripts)
  const source = scriptSource({ sandbox, scripts: workspaceScripts(workspace), ...options })
  const asked: ApprovalBatch[] = []
  const events: RunEvent[] = []
  const dispatcher = createDispatcher({
    tools: [],
    sources: [source],
    mode: 'full',
    onEvent: (event) => events.push(event),
    approver: (batch) => {
      asked.push(batch)
      return batch.requests.map(({ callId }) => ({ callId, decision: 'approve' }))
    },
  })
  const run = dispatcher.run()
  let calls = 0
  const call = async (name: string, args: object = {}) => {
    calls += 1
    const { results } = await run.dispatch([callOf(`c${calls}`, name, args)])
    return results[0] as (typeof results)[0]
  }
  return { workspace, write, source, dispatcher, call, asked, events }
}

describe('scripts as tools', () => {
  it('are found when they are called, validated, run, and ask nobody', async () => {
    const parameters = {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    }
    const { call, asked, events, dispatcher } = await setup({
      count: [
        { parameters, concurrent: true, timeout: 5 },
        'export default ({ text }) => { console.log("counting"); return { words: text.split(" ").length } }',
      ],
    })
    expect((await call('script_count', { text: 'a b c' })).value).toEqual({ words: 3 })
    const invalid = await call('script_count', { text: 5, more: 1 })
    expect(invalid.content).toContain('/text')
    expect(invalid.outcome).toBe('invalid')
    expect(asked).toEqual([])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_call_text', text: 'counting\n' }),
    )
    expect(dispatcher.catalogue.find(({ name }) => name === 'script_count')).toMatchObject({
      source: 'script',
      concurrent: true,
      readOnly: true,
      confirm: 'never',
    })
  })

  it('fail with their error, its line, and what they said last', async () => {
    const { call } = await setup({
      bad: [{}, 'export default () => {\n  console.log("so far")\n  throw new Error("no")\n}'],
    })
    const { outcome, content } = await call('script_bad')
    expect(outcome).toBe('failed')
    expect(content).toBe('script_bad failed: Error: no at script.js:3:13\n\nIt logged:\nso far')
  })

  it.each([
    { content: [{ type: 'text', text: 'only this' }], total: 5 },
    { isError: true, count: 3 },
    { error: 'none' },
    { structuredContent: 1 },
  ])('give what they return as it is: %j', async (value) => {
    const { call } = await setup({
      v: [{}, `export default () => (${JSON.stringify(value)})`],
    })
    const { outcome, value: given, content } = await call('script_v')
    expect([outcome, given, JSON.parse(content)]).toEqual(['completed', value, value])
  })

  it('bad ones are one problem each and take no other down; what is new is found, what is gone is gone', async () => {
    const { call, source, write, workspace, dispatcher } = await setup({
      good: [{}, 'export default () => 1'],
      bad: [{ parametres: {} }, 'export default () => 1'],
      net: [{ network: true }, 'export default () => 1'],
    })
    await source.load()
    expect(source.health()).toMatchObject({
      status: 'ready',
      problems: [
        { definition: 'bad', message: expect.stringContaining('no field "parametres"') },
        { definition: 'net', message: expect.stringContaining('not granted') },
      ],
    })
    const before = source.tools()
    await source.load()
    expect(source.tools()).toBe(before)
    expect((await call('script_late')).outcome).toBe('unknown')
    await write({ late: [{}, 'export default () => "late"'] })
    expect((await call('script_late')).content).toBe('late')
    expect(source.tools()[0]).toBe(before[0])
    await workspace.apply([
      { path: '/tools/good/tool.json', content: null },
      { path: '/tools/good/script.js', content: null },
    ])
    expect((await call('script_good')).content).toContain('is gone, so it did not run')
    expect((await call('script_good', { again: 1 })).outcome).toBe('unknown')
    expect(dispatcher.catalogue.map(({ name }) => name)).toEqual(['find_tools', 'script_late'])
  })

  it('other code runs at once and gives its own answer; another definition does not run before it is looked at', async () => {
    const { call, write, source, dispatcher } = await setup({ a: [{}, 'export default () => 1'] })
    expect((await call('script_a')).content).toBe('1')
    expect((await call('script_a')).outcome).toBe('duplicate')
    await write({ a: [{}, 'export default () => 2'] })
    await source.load()
    expect((await call('script_a')).content).toBe('2')
    await write({ a: [{}, 'export default () => 3'] })
    expect((await call('script_a', { n: 1 })).content).toBe('3')
    await write({ a: [{ concurrent: true }, 'export default () => 4'] })
    expect((await call('script_a', { n: 2 })).content).toContain('has changed, so it did not run')
    expect((await call('script_a', { n: 3 })).content).toBe('4')
    const access = dispatcher.catalogue.find(({ name }) => name === 'script_a')
    expect(access?.concurrent).toBe(true)
  })

  it('a write of its files voids what is remembered of it', async () => {
    const { workspace, source } = await setup({ a: [{}, 'export default () => 1'] })
    const tools = [editFileTool({ workspace })]
    const run = createDispatcher({
      tools,
      sources: [source],
      mode: 'full',
      unattended: 'allow',
    }).run()
    const edit = (content: string) => ({ mode: 'write', path: '/tools/a/script.js', content })
    const contents = async (id: string, ...calls: ReturnType<typeof callOf>[]) =>
      (await run.dispatch(calls, { roundId: id })).results.map(({ content }) => content)
    expect(await contents('1', callOf('a', 'script_a'))).toEqual(['1'])
    await contents('2', callOf('e', 'edit_file', edit('export default () => 2')))
    expect(await contents('3', callOf('b', 'script_a'))).toEqual(['2'])
  })

  it('a store that fails leaves the tools as they were, and says so', async () => {
    const { source, workspace, call } = await setup({ a: [{}, 'export default () => "one"'] })
    await source.load()
    workspace.list = () => Promise.reject(new Error('disk on fire'))
    await source.load()
    expect(source.health()).toMatchObject({ status: 'failed', message: 'disk on fire' })
    expect((await call('script_a')).content).toBe('one')
  })
})

describe('the network of a script', () => {
  const hangUps: (() => void)[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/hang') return response.on('close', () => hangUps.shift()?.())
    if (request.url === '/big') return response.end('x'.repeat(2_000_000))
    response.setHeader('x-from', 'server')
    response.statusCode = request.url === '/404' ? 404 : 200
    response.end(JSON.stringify({ url: request.url, said: body }))
  })
  let host = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const withNetwork = (
    code: string,
    about: object = {},
    options: Partial<ScriptSourceOptions> = {},
  ) =>
    setup(
      { n: [{ network: true, ...about }, code] },
      { fetch: guardedFetch({ allowHosts: [host] }), ...options },
    )

  it('is a small fetch through the guard; a person is asked', async () => {
    const { call, asked } = await withNetwork(`export default async ({ host }) => {
      const one = fetch('http://' + host + '/a')
      const two = await fetch('http://' + host + '/b', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hi' })
      const gone = await fetch('http://' + host + '/404')
      return [(await (await one).json()).url, (await two.json()).said, two.headers.get('X-From'), gone.ok, gone.status]
    }`)
    expect((await call('script_n', { host })).value).toEqual(['/a', 'hi', 'server', false, 404])
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['an address that is not allowed', 'fetch("http://169.254.169.254/")', 'TypeError: fetch:'],
    ['an answer that is too long', 'fetch("http://" + host + "/big")', 'is cut (size)'],
    [
      'a body that is no text',
      'fetch("http://" + host + "/", { method: "POST", body: {} })',
      'must be a text',
    ],
    [
      'too many requests',
      'Promise.all(Array.from({ length: 21 }, () => fetch("http://" + host + "/")))',
      'more than 20 requests',
    ],
  ])('%s is an error of the script', async (_, expression, message) => {
    const { call } = await withNetwork(`export default async ({ host }) => { await ${expression} }`)
    const { outcome, content } = await call('script_n', { host })
    expect(outcome).toBe('failed')
    expect(content).toContain(message)
  })

  it('thousands of requests end the script, and not the thread', async () => {
    let sent = 0
    const fetch = (async () => {
      sent += 1
      return new Response('x')
    }) as typeof globalThis.fetch
    const code =
      'export default async () => { for (;;) { const all = []; for (let i = 0; i < 4000; i++) all.push(fetch("https://e.example/").catch(() => 0)); await Promise.all(all) } }'
    const { error } = await quickJSSandbox({ wasm: () => wasm, maxTimeMs: 60_000 }).run({
      code,
      input: {},
      fetch,
    })
    expect(error).toBe('it ran too long: more than 5000 steps')
    expect(sent).toBeLessThanOrEqual(20)
  })

  it('ends with the call, and what is still under way when a script returns is dropped', async () => {
    const { call } = await withNetwork(
      'export default async ({ host, wait }) => { const hanging = fetch("http://" + host + "/hang"); await (wait ? hanging : fetch("http://" + host + "/")); return 1 }',
      { timeout: 1 },
    )
    const dropped = new Promise<void>((resolve) => hangUps.push(resolve))
    expect((await call('script_n', { host, wait: false })).value).toBe(1)
    await dropped
    expect((await call('script_n', { host, wait: true })).outcome).toBe('timed_out')
  })

  it('runs no code that came after a person was asked', async () => {
    const { call, write } = await withNetwork('export default () => "one"')
    expect((await call('script_n')).content).toBe('one')
    await write({ n: [{ network: true }, 'export default () => "two"'] })
    expect((await call('script_n', { n: 1 })).content).toContain('has changed, so it did not run')
    expect((await call('script_n', { n: 2 })).content).toBe('two')
  })

  it('asks nobody when the host vouches for a definition that only reads', async () => {
    const code = 'export default async ({ host }) => (await fetch("http://" + host + "/v")).status'
    const untrusted = await withNetwork(code, { readOnly: true })
    await untrusted.call('script_n', { host })
    expect(untrusted.asked).toHaveLength(1)
    const trusted = await withNetwork(code, { readOnly: true }, { trusted: true })
    expect((await trusted.call('script_n', { host })).value).toBe(200)
    expect(trusted.asked).toEqual([])
  })

  it('time that it waits is not the script’s', async () => {
    const quick = quickJSSandbox({ wasm: () => wasm, maxTimeMs: 500 })
    let answer = (_: Response) => {}
    const fetch = (() =>
      new Promise<Response>((resolve) => {
        answer = resolve
      })) as typeof globalThis.fetch
    const ended = quick.run({
      code: 'export default async () => { const r = await fetch("https://x.example/"); for (let i = 0; i < 1e5; i++); return r.status }',
      input: {},
      fetch,
    })
    await new Promise((resolve) => setTimeout(resolve, 600))
    answer(new Response('late'))
    expect(await ended).toMatchObject({ output: 200 })
  })
})
