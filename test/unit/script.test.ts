import { describe, expect, it } from 'vitest'
import {
  quickJSSandbox,
  readScript,
  testToolTool,
  workspaceScripts,
} from '../../src/script/index.ts'
import type { ScriptBounds } from '../../src/script/sandbox.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { quickJSWasm } from '../support/quickjs-wasm.ts'
import { call } from './builtin/call.ts'

const wasm = quickJSWasm()
const run = (code: string, input: never = {} as never, bounds: ScriptBounds = {}) =>
  quickJSSandbox({ wasm: () => wasm, ...bounds }).run({ code, input })

describe('the sandbox', () => {
  it.each([
    ['export default ({ a, b }) => a + b', { a: 1, b: 2 }, 3],
    [
      'export default async ({ s }) => ({ up: (await s).toUpperCase() })',
      { s: 'é🔑' },
      { up: 'É🔑' },
    ],
    ['export default function () { return [1, [2, { x: null }]] }', {}, [1, [2, { x: null }]]],
    ['export default () => {}', {}, null],
    ['export default () => () => 1', {}, null],
    ['export default () => Promise.all([1, Promise.resolve(2)])', {}, [1, 2]],
    [
      'const helper = (n) => n * 2\nexport const x = 1\nexport default ({ n }) => helper(n)',
      { n: 21 },
      42,
    ],
    ['export default (i) => Object.keys(i).length', JSON.parse('{"__proto__":1,"a":2}'), 2],
    ['await 1; export default () => "top"', {}, 'top'],
  ])('%s of %j is %j', async (code, input, output) => {
    expect(await run(code, input as never)).toMatchObject({ output, logs: [] })
  })

  it.each([
    ['export default () => {\n  null.x\n}', 'TypeError: cannot read property', 'script.js:2:'],
    [
      'export default () => {\n\n  throw new RangeError("too much")\n}',
      'RangeError: too much',
      'script.js:3:',
    ],
    [
      'export default async () => {\n  await 1\n  throw new Error("later")\n}',
      'Error: later',
      'script.js:3:',
    ],
    ['export default () => { throw { code: 5 } }', 'it threw {"code":5}', ''],
    ['export default () => { throw undefined }', 'it threw undefined', ''],
    ['export default () => { const e = {}; e.e = e; throw e }', 'it threw [object]', ''],
    ['export default () => { throw Symbol("x") }', 'it threw [symbol]', ''],
    ['export default (\n {', 'SyntaxError', 'script.js:'],
    ['let x = 1', 'no default export that is a function', ''],
    ['export default 5', 'no default export that is a function', ''],
    ['throw new Error("at once")', 'Error: at once', 'script.js:1:'],
    ['import "x"; export default () => 1', 'Error', ''],
    ['export default () => new Promise(() => {})', 'never settled', ''],
    [
      'export default () => { const a = {}; a.a = a; return a }',
      'TypeError: circular reference',
      '',
    ],
    ['export default () => 5n', 'TypeError', ''],
    [
      'export default function f() { return f() + 1 }',
      'Maximum call stack size exceeded',
      'script.js:1:',
    ],
    ['export default () => "x".repeat(3e6)', 'its result has 3000002 characters', ''],
  ])('%s fails', async (code, message, place) => {
    const { error, output } = await run(code)
    expect(output).toBeUndefined()
    expect(error).toContain(message)
    expect(error).toContain(place)
  })

  it('bounds time and memory, and the next script is well', async () => {
    const sandbox = quickJSSandbox({ wasm: () => wasm, maxSteps: 200, maxMemoryBytes: 8_000_000 })
    const loop = await sandbox.run({ code: 'export default () => { for (;;) {} }', input: {} })
    expect(loop.error).toBe('it ran too long: more than 200 steps')
    const caught = await sandbox.run({
      code: 'export default () => { for (;;) try { for (;;) {} } catch {} }',
      input: {},
    })
    expect(caught.error).toContain('ran too long')
    const clocked = quickJSSandbox({ wasm: () => wasm, maxSteps: 1e9, maxTimeMs: 50 })
    const slow = await clocked.run({
      code: 'export default () => { for (;;) try { null.x } catch {} }',
      input: {},
    })
    expect(slow.error).toBe('it ran too long: more than 50 ms')
    const jobs = await sandbox.run({
      code: 'const again = () => Promise.resolve().then(again); export default again',
      input: {},
    })
    expect(jobs.error).toBeDefined()
    const flood = await sandbox.run({
      code: 'export default () => { const a = []; for (;;) a.push("x".repeat(1e4) + a.length) }',
      input: {},
    })
    expect(flood.error).toContain('out of memory')
    expect(await sandbox.run({ code: 'export default () => 1', input: {} })).toMatchObject({
      output: 1,
    })
  })

  it('nothing of the host is in reach, and nothing of one run in the next', async () => {
    const names = ['fetch', 'process', 'require', 'setTimeout', 'WebAssembly', 'document', 'Deno']
    const { output } = await run(
      `export default () => ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== 'undefined')`,
    )
    expect(output).toEqual([])
    const sandbox = quickJSSandbox({ wasm: () => wasm })
    await sandbox.run({
      code: 'export default () => { globalThis.left = 1; Object.prototype.bad = 1; JSON.stringify = () => "hacked"; JSON.parse = null }',
      input: {},
    })
    const next = await sandbox.run({
      code: 'export default () => [typeof left, typeof {}.bad]',
      input: {},
    })
    expect(next.output).toEqual(['undefined', 'undefined'])
    const spoiled = await run(
      'JSON.stringify = () => "hacked"; Promise.prototype.then = null; export default async () => ({ fine: 1 })',
    )
    expect(spoiled.output ?? spoiled.error).not.toBe('hacked')
    expect(({} as { bad?: number }).bad).toBeUndefined()
  })

  it('keeps what is logged, in order, and not more than it may', async () => {
    const { logs } = await run(
      'export default () => { console.log("a", { b: 1 }, 2); console.error("c"); console.log() }',
    )
    expect(logs).toEqual(['a {"b":1} 2', 'c', ''])
    const odd = await run(
      'export default () => { const a = {}; a.a = a; console.log(a, 5n, () => 1, Symbol("s"), undefined, null); return 1 }',
    )
    expect(odd).toMatchObject({
      output: 1,
      logs: ['[object] 5 [function] [symbol] undefined null'],
    })
    const flood = await run(
      'export default () => { for (let i = 0; i < 1e4; i++) console.log("x".repeat(100)) }',
      {} as never,
      { maxOutput: 1_000 },
    )
    expect(flood.logs).toHaveLength(10)
    expect(flood.logs.at(-1)).toBe('[More is not kept.]')
  })

  it('a script that only logs ends by its steps, and keeps no more lines than it may', async () => {
    // Time is no bound here: a Worker's clock stands still.
    const bounds = { maxTimeMs: 60_000, maxSteps: 500 }
    const endless = await run(
      'export default () => { while (true) console.log() }',
      {} as never,
      bounds,
    )
    expect(endless.error).toBe('it ran too long: more than 500 steps')
    expect(endless.logs).toHaveLength(10_001)
    expect(endless.logs.at(-1)).toBe('[More is not kept.]')
    // Far fewer calls than their instructions alone would allow.
    const counted = await run(
      'export default () => { for (let i = 0; i < 128_000; i += 1) console.log() }',
    )
    expect(counted.steps).toBeGreaterThanOrEqual(500)
  })

  it.each([
    'const e = new Error(); Object.defineProperty(e, "name", { get() { while (true); } }); throw e',
    'throw new Proxy(new Error("x"), { get() { while (true); } })',
    'throw { toJSON() { while (true); } }',
    'throw { get a() { throw 1 } }',
    'throw 5n',
  ])('what it throws may be anything: %s', async (statement) => {
    const { error } = await run(`export default () => { ${statement} }`)
    expect(error).toMatch(/^it (ran too long: more than 5000 steps|threw )/)
  })

  it('a wasm that cannot be had rejects, and is asked for again', async () => {
    let asked = 0
    const sandbox = quickJSSandbox({
      wasm: () => {
        asked += 1
        return asked === 1 ? Promise.reject(new Error('offline')) : wasm
      },
    })
    const script = { code: 'export default () => 1', input: {} }
    await expect(sandbox.run(script)).rejects.toThrow('offline')
    expect((await sandbox.run(script)).output).toBe(1)
  })

  it('an abort before it begins rejects', async () => {
    const sandbox = quickJSSandbox({ wasm: () => wasm })
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(sandbox.run({ code: '', input: {}, signal })).rejects.toThrow('gone')
  })
})

describe('a definition', () => {
  const good = { name: 'count', description: 'Counts words.' }
  const problems = async (about: unknown, code = 'export default () => 1') => {
    const read = await readScript(typeof about === 'string' ? about : JSON.stringify(about), code)
    return read.ok ? [] : read.problems
  }

  it.each([
    ['{', 'tool.json is no JSON'],
    [null, 'name must be'],
    [{ ...good, name: 'Bad-Name' }, 'name must be lower case'],
    [{ name: 'x' }, 'description must say'],
    [{ ...good, concurrent: 'yes' }, 'concurrent must be true or false'],
    [{ ...good, timeout: 0 }, 'timeout must be seconds'],
    [{ ...good, parametres: {} }, 'there is no field "parametres"'],
    [{ ...good, parameters: { type: 'string' } }, 'a schema of type object'],
    [
      { ...good, parameters: { type: 'object', properties: { a: { type: 'nothing' } } } },
      'parameters:',
    ],
  ])('%j is refused', async (about, problem) => {
    expect((await problems(about)).join('; ')).toContain(problem)
  })

  it('names every problem at once, and takes what is right', async () => {
    expect(await problems({ name: 'X', extra: 1 }, ' ')).toHaveLength(4)
    expect(
      await problems({ ...good, parameters: { type: 'object' }, timeout: 5, readOnly: true }),
    ).toEqual([])
  })
})

describe('test_tool', () => {
  async function setup() {
    const workspace = memoryWorkspace()
    const parameters = {
      type: 'object',
      properties: { text: { type: 'string', description: 'What to count.' } },
      required: ['text'],
    }
    const about = { name: 'count', description: 'Counts words.', parameters }
    const code =
      'export default ({ text }) => {\n  console.log("got", text.length)\n  if (text === "bad") throw new Error("no")\n  return text.split(" ").length\n}'
    await workspace.apply([
      { path: '/tools/count/tool.json', content: JSON.stringify(about) },
      { path: '/tools/count/script.js', content: code },
      { path: '/tools/half/tool.json', content: JSON.stringify({ ...about, name: 'half' }) },
      { path: '/tools/other/tool.json', content: JSON.stringify(about) },
      { path: '/tools/other/script.js', content: code },
    ])
    const scripts = workspaceScripts(workspace)
    return testToolTool({ sandbox: quickJSSandbox({ wasm: () => wasm }), scripts })
  }

  it('shows output and logs', async () => {
    const result = await call(await setup(), { name: 'count', input: '{"text":"a b c"}' })
    expect(result.content).toBe('output:\n3\n\nlogs:\ngot 5')
    expect(result.value).toMatchObject({ output: 3, logs: ['got 5'], input: { text: 'a b c' } })
    const prefixed = await call(await setup(), { name: 'script_count', input: '{"text":"a"}' })
    expect(prefixed.content).toContain('output:\n1')
  })

  it.each([
    [{ name: 'count', input: '{"text":"bad"}' }, 'error: Error: no at script.js:3:'],
    [{ name: 'count' }, '/text'],
    [{ name: 'count', input: '{"text":5}' }, '/text must be string, got 5'],
    [{ name: 'count', input: '{"text"' }, 'the input is no JSON'],
    [{ name: 'count', input: '[]' }, 'must be a JSON object'],
    [{ name: 'none' }, 'there is no script tool none'],
    [{ name: '../../etc' }, 'there is no script tool'],
    [{ name: 'half' }, '/tools/half/script.js is missing'],
    [{ name: 'other' }, 'name must be "other"'],
  ])('%j says what is wrong', async (args, message) => {
    const { outcome, content } = await call(await setup(), args)
    expect(outcome).toBe('failed')
    expect(content).toContain(message)
  })
})
