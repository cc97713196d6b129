import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type AnyTool,
  createDispatcher,
  type RunEvent,
  type SchemaValidator,
} from '../../../src/index.ts'
import { nearestNames } from '../../../src/preflight/exists.ts'
import { gates } from '../../../src/preflight/preflight.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { callOf } from '../../support/gated-tool.ts'

const echo: AnyTool = {
  name: 'echo',
  description: 'e',
  readOnly: true,
  execute: (args: unknown) => args,
}
const run = (tools: AnyTool[], options = {}) =>
  createDispatcher({ tools, mode: 'full', ...options }).run()

describe('the gates', () => {
  it("stand in one list, in the specification's order [spec.gate-order] [p1.order-readable]", () => {
    const source = readFileSync(
      join(import.meta.dirname, '../../../src/preflight/preflight.ts'),
      'utf8',
    )
    const listed = /export const gates[^=]*= \[([^\]]*)\]/.exec(source)?.[1]?.match(/\w+/g)
    expect(listed).toEqual([
      'normalise',
      'unwrap',
      'loaded',
      'duplicate',
      'schemaFirst',
      'exists',
      'confirm',
      'validate',
    ])
    expect(gates).toHaveLength(8)
  })

  it('the first that decides ends the pass [p1.first-decides]', async () => {
    const asked: string[] = []
    const confirmed: AnyTool = {
      ...echo,
      name: 'confirmed',
      readOnly: false,
      confirm: () => void asked.push('confirm'),
    }
    const dispatcher = createDispatcher({
      tools: [confirmed],
      approver: ({ requests }) => {
        asked.push(...requests.map((request) => request.callId))
        return []
      },
    })
    // Not loaded: neither its schema nor its confirm rule is looked at, and nobody is asked.
    const { results } = await dispatcher.run().dispatch([callOf('a', 'confirmed', '{"x":')])
    const direct = await dispatcher.run().dispatch([callOf('b', 'confirmed', {})])
    expect([results[0]?.outcome, direct.results[0]?.outcome]).toEqual(['invalid', 'refused'])
    expect(asked).toEqual([])
  })

  it('a validator is built once per tool [p1.once-per-tool]', async () => {
    const inner = cfworkerValidator()
    const compiled: unknown[] = []
    const validator: SchemaValidator = {
      compile(schema, trust) {
        compiled.push(schema)
        return inner.compile(schema, trust)
      },
    }
    const opened = run([echo], { validator })
    const before = compiled.length
    for (const id of ['a', 'b', 'c']) await opened.dispatch([callOf(id, 'echo', { id })])
    expect(compiled).toHaveLength(before)
  })
})

describe('normalise', () => {
  it('drops __proto__ at every depth and refuses what is not finite [p1.proto]', async () => {
    const calls = [
      callOf('a', 'echo', '{"__proto__":{"x":1},"b":{"__proto__":2,"c":3}}'),
      callOf('b', 'echo', '{"\\u005f_proto__":{"x":1},"d":1}'),
      callOf('c', 'echo', '{"n": NaN}'),
      callOf('d', 'echo', { n: Number.POSITIVE_INFINITY }),
      callOf('e', 'echo', JSON.parse('{"__proto__":{"x":1},"k":1}')),
    ]
    const { results } = await run([echo]).dispatch(calls)
    expect(
      results.map(({ outcome, code, value }) => (outcome === 'completed' ? value : code)),
    ).toEqual([{ b: { c: 3 } }, { d: 1 }, 'arguments-not-finite', 'arguments-not-finite', { k: 1 }])
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('keeps a name with a known prefix when a tool is called so', async () => {
    const named = { ...echo, name: 'functions.echo' }
    const { results } = await run([echo, named]).dispatch([callOf('a', ' functions.echo ')])
    expect(results[0]?.name).toBe('functions.echo')
  })

  it('looks at no more calls than it may, and answers the rest', async () => {
    const { results } = await run([echo], { maxCalls: 2 }).dispatch(
      ['a', 'b', 'c'].map((id) => callOf(id, 'echo', { id })),
    )
    expect(results.map((result) => result.code)).toEqual([
      'completed',
      'completed',
      'too-many-calls',
    ])
  })

  it('reports the id it replaced', async () => {
    const { results } = await run([echo]).dispatch([
      callOf('x', 'echo', { n: 1 }),
      callOf('x', 'echo', { n: 2 }),
      { name: 'echo' },
    ])
    expect(results.map(({ callId, originalId }) => [callId, originalId])).toEqual([
      ['x', undefined],
      ['x_2', 'x'],
      ['call_1_3', null],
    ])
  })

  it('arguments nested 10,000 deep are invalid, not a crash', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const { results } = await run([echo]).dispatch([
      callOf('a', 'echo', deep),
      callOf('b', 'echo', { args: deep }),
    ])
    expect(results[0]).toMatchObject({ outcome: 'invalid', code: 'arguments-too-deep' })
  })
})

describe('unwrap', () => {
  const wrapped = (args: unknown) => callOf('a', 'run_tool', args)
  it.each([
    ['no name', {}, 'run-tool-name'],
    ['a blank name', { name: ' ' }, 'run-tool-name'],
    ['itself', { name: 'run_tool', args: {} }, 'run-tool-nested'],
    ['args that are a list', { name: 'echo', args: [1] }, 'arguments-not-object'],
    ['args cut inside a text', { name: 'echo', args: '{"x":"y' }, 'arguments-cut'],
  ])('%s is invalid, with what to do', async (_, args, code) => {
    const { results } = await run([echo]).dispatch([wrapped(args)])
    expect(results[0]).toMatchObject({
      outcome: 'invalid',
      code,
      content: expect.stringMatching(/^run_tool: /),
    })
  })

  it('digits that a double cannot hold stay digits inside args', async () => {
    const { results } = await run([echo]).dispatch([
      wrapped('{"name":"echo","args":{"id":2512292042121000001}}'),
    ])
    expect(results[0]?.value).toEqual({ id: '2512292042121000001' })
  })

  it('the result and its events speak of the inner tool', async () => {
    const events: RunEvent[] = []
    const opened = createDispatcher({
      tools: [echo],
      mode: 'full',
      onEvent: (event) => events.push(event),
    }).run()
    await opened.dispatch([wrapped({ name: 'echo', args: { x: 1 } })])
    expect(events.find((event) => event.type === 'tool_call')).toMatchObject({
      name: 'echo',
      arguments: { x: 1 },
    })
  })
})

describe('exists', () => {
  it('hints at names that are really near, at most three, none when nothing is close [p1.nearest]', () => {
    const names = [
      'search_web',
      'read_files',
      'mcp__a__send_email',
      'mcp__b__send_email',
      ...Array.from({ length: 500 }, (_, n) => `tool_${n}`),
    ]
    expect(nearestNames('websearch', names)[0]).toBe('search_web')
    expect(nearestNames('send_email', names)).toEqual(['mcp__a__send_email', 'mcp__b__send_email'])
    expect(nearestNames('readFile', names)).toEqual(['read_files'])
    expect(nearestNames('tool', names).length).toBeLessThanOrEqual(3)
    expect(nearestNames('quaternion', names)).toEqual([])
    expect(nearestNames('', names)).toEqual([])
  })

  it('inherited names are unknown, without a crash', async () => {
    const calls = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) =>
      callOf(name, name),
    )
    const { results } = await run([echo]).dispatch(calls)
    expect(results.every((result) => result.outcome === 'unknown')).toBe(true)
  })
})

describe('Standard Schema', () => {
  const tool: AnyTool = {
    name: 'book',
    description: 'b',
    readOnly: true,
    inputSchema: z.object({
      nights: z.number().int().min(1),
      email: z.string().refine((text) => text.endsWith('@example.com'), 'must be of example.com'),
      tag: z.string().optional().default('none'),
    }),
    execute: (args: unknown) => args,
  }

  it('gives its JSON Schema to the model, its own checks and its output to the tool', async () => {
    const opened = run([tool])
    expect(opened.tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { nights: { type: 'integer' } },
    })
    const { results } = await opened.dispatch([
      callOf('a', 'book', { nights: 2, email: 'x@example.com' }),
      callOf('b', 'book', { nights: 0, email: 'x@example.com' }),
      callOf('c', 'book', { nights: 2, email: 'x@other.com' }),
    ])
    expect(results[0]?.value).toEqual({ nights: 2, email: 'x@example.com', tag: 'none' })
    expect(results[1]).toMatchObject({
      outcome: 'invalid',
      content: expect.stringContaining('/nights'),
    })
    expect(results[2]).toMatchObject({
      outcome: 'invalid',
      content: expect.stringContaining('/email must be of example.com'),
    })
  })
})

describe('coercion', () => {
  it('can be switched off [p1.coerce]', async () => {
    const tool = {
      ...echo,
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
    }
    const outcome = async (coerce: boolean) =>
      (await run([tool], { coerce }).dispatch([callOf('a', 'echo', { n: '1' })])).results[0]
        ?.outcome
    expect([await outcome(true), await outcome(false)]).toEqual(['completed', 'invalid'])
  })
})
