/** Scripts in Workers of their own, under the real loader. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { workerLoaderSandbox } from '../../src/script/index.ts'
import type { ScriptRun } from '../../src/script/sandbox.ts'

const sandbox = (bounds = {}) =>
  workerLoaderSandbox({ loader: env.LOADER, compatibilityDate: '2026-04-26', ...bounds })
const run = (code: string, input: ScriptRun['input'] = {}, given: Partial<ScriptRun> = {}) =>
  sandbox().run({ code, input, ...given })

describe('the worker loader', () => {
  it('runs a script with its input, and gives result and logs', async () => {
    const code =
      'export default async ({ text }) => { console.log("got", { n: 1 }); return { words: text.split(" ").length } }'
    expect(await run(code, { text: 'a b c' })).toEqual({
      output: { words: 3 },
      logs: ['got {"n":1}'],
      steps: 0,
    })
    expect((await run('export default () => {}')).output).toBeNull()
  })

  it.each([
    [
      'export default () => {\n  throw new RangeError("too much")\n}',
      /^RangeError: too much at script\.js:2:9$/,
    ],
    ['export default () => { throw { a: 1 } }', /^it threw {"a":1}$/],
    ['export default () => { throw 5n }', /^it threw 5$/],
    ['export default 5', /no default export that is a function/],
    ['export default () => 5n', /BigInt/],
    ['const = 1', /Unexpected token/],
    ['import "https://x.example/x.js"; export default () => 1', /x\.example/],
    ['export default () => "x".repeat(3e6)', /its result has 3000002 characters/],
  ])('%s fails', async (code, message) => {
    const { error, output } = await run(code)
    expect(output).toBeUndefined()
    expect(error).toMatch(message)
  })

  it.each([
    'Array.prototype.toJSON = () => 5; export default () => 1',
    'Object.prototype.toJSON = () => 5; export default () => 1',
    'Array.prototype.join = () => 5; export default () => { console.log("a"); return 1 }',
    'Array.prototype.push = () => { throw 1 }; export default () => { console.log("a"); return 1 }',
    'String.prototype.toJSON = () => ({}); export default () => "x"',
  ])('resolves whatever the script does to its globals: %s', async (code) => {
    const { logs, output, error } = await run(code)
    expect(logs.every((line) => typeof line === 'string')).toBe(true)
    expect([output, error].filter((part) => part !== undefined)).toHaveLength(1)
  })

  it('has no network, no bindings, and nothing of another run', async () => {
    const probe = `export default async () => {
      const { env } = await import('cloudflare:workers').catch(() => ({}))
      let connected = ''
      try {
        const { connect } = await import('cloudflare:sockets')
        await connect('127.0.0.1:80').opened
      } catch (error) { connected = error.name }
      const before = globalThis.left
      globalThis.left = 1
      return [typeof fetch, Object.keys(env ?? {}), connected, before ?? 'nothing']
    }`
    const expected = ['undefined', [], 'Error', 'nothing']
    expect((await run(probe)).output).toEqual(expected)
    expect((await run(probe)).output).toEqual(expected)
  })

  it('has the network that it is granted, and no other', async () => {
    const asked: string[] = []
    const fetch = (async (url: string, init?: RequestInit) => {
      asked.push(`${init?.method} ${url} ${init?.body}`)
      return new Response('{"a":1}', { status: 201, headers: { 'x-a': 'b' } })
    }) as typeof globalThis.fetch
    const code = `export default async () => {
      const r = await fetch('https://api.example/x', { method: 'POST', body: 'hi' })
      return [r.status, r.ok, r.headers.get('X-A'), await r.json()]
    }`
    expect((await run(code, {}, { fetch })).output).toEqual([201, true, 'b', { a: 1 }])
    expect(asked).toEqual(['POST https://api.example/x hi'])
  })

  it('keeps logs within bounds, and ends by its clock and by the signal', async () => {
    const flood = await sandbox({ maxOutput: 100 }).run({
      code: 'export default () => { for (let i = 0; i < 1e4; i++) console.log("0123456789"); return 1 }',
      input: {},
    })
    expect(flood.output).toBe(1)
    expect(flood.logs).toHaveLength(10)
    expect(flood.logs.at(-1)).toBe('[More is not kept.]')
    const waits = 'export default () => new Promise((resolve) => setTimeout(resolve, 60_000))'
    const late = await sandbox({ timeoutMs: 50 }).run({ code: waits, input: {} })
    expect(late.error).toBe('it ran too long: more than 50 ms')
    const stop = new AbortController()
    const running = run(waits, {}, { signal: stop.signal })
    stop.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    await expect(run(waits, {}, { signal: stop.signal })).rejects.toThrow('gone')
  })
})
