import { describe, expect, it } from 'vitest'
import { readResultTool } from '../../../src/builtin/read-result.ts'
import { boundText, byteLength, shareBytes } from '../../../src/execute/text.ts'
import {
  type AnyTool,
  createDispatcher,
  type DispatcherOptions,
  type ToolResult,
} from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { callOf } from '../../support/gated-tool.ts'

async function resultOf(
  returned: () => unknown,
  options: Partial<DispatcherOptions> = {},
): Promise<ToolResult> {
  const tool: AnyTool = { name: 't', description: 't', readOnly: true, execute: returned }
  const run = createDispatcher({ tools: [tool], mode: 'full', ...options }).run()
  const { results } = await run.dispatch([callOf('a', 't')])
  return results[0] as ToolResult
}

describe('odd values', () => {
  const cycle: Record<string, unknown> = { a: 1 }
  cycle.self = cycle
  const cases: [string, () => unknown, string | RegExp][] = [
    ['nothing', () => undefined, 't returned no output.'],
    ['null', () => null, 'null'],
    ['an empty text', () => '', 't returned no output.'],
    ['a cycle', () => cycle, '{"a":1,"self":"[cycle]"}'],
    ['a shared object that is no cycle', () => [cycle.a, { x: [1] }], '[1,{"x":[1]}]'],
    ['a BigInt', () => ({ n: 5n }), '{"n":"5"}'],
    ['NaN', () => ({ x: Number.NaN }), '{"x":"NaN"}'],
    ['a Map', () => new Map([[1, 2]]), '[[1,2]]'],
    ['a Map with text keys', () => new Map([['a', 2]]), '{"a":2}'],
    ['a Set', () => new Set([1, 2]), '[1,2]'],
    ['an Error', () => ({ e: new Error('e') }), '{"e":{"error":"Error","message":"e"}}'],
    ['a Date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a broken Date', () => ({ d: new Date(Number.NaN) }), '{"d":null}'],
    ['bytes', () => new Uint8Array(3), '[3 bytes of binary data]'],
    ['bytes inside', () => ({ b: new Uint8Array(3) }), '{"b":"[3 bytes]"}'],
    ['a function', () => () => 1, '[function]'],
    [
      'a throwing getter',
      () => ({
        ok: 1,
        get bad() {
          throw new Error('boom')
        },
      }),
      '{"ok":1,"bad":"[threw: boom]"}',
    ],
    [
      'a throwing toJSON',
      () => ({
        toJSON() {
          throw new Error('boom')
        },
      }),
      '[unreadable: boom]',
    ],
    [
      'a hostile proxy',
      () =>
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error('boom')
            },
          },
        ),
      '[unreadable: boom]',
    ],
    [
      'a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a tool may return such a thing
        get then() {
          throw new Error('boom')
        },
      }),
      /threw: boom/,
    ],
    ['a Response', () => new Response('x', { status: 503 }), '[HTTP 503]'],
    ['a lone surrogate', () => '\ud800 x', '\ufffd x'],
    [
      'MCP text',
      () => ({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      'a\nb',
    ],
  ]
  it.each(cases)(
    '%s is text for the model [p2.odd-values] [p2.siblings]',
    async (_, returned, expected) => {
      const { outcome, content } = await resultOf(returned)
      expect(outcome).toBe('completed')
      if (typeof expected === 'string') expect(content).toBe(expected)
      else expect(content).toMatch(expected)
    },
  )

  it('an image is media beside its text', async () => {
    const { media, content } = await resultOf(() => ({
      content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
    }))
    expect(content).toBe('[image: image/png]')
    expect(media).toEqual([{ type: 'image', mimeType: 'image/png', data: 'AAAA' }])
  })

  it('a stream is read to its end, as text or as bytes [p2.odd-values]', async () => {
    const bytes = new TextEncoder().encode('naïve')
    const stream = () =>
      new ReadableStream({
        start(controller) {
          // Split inside a character.
          controller.enqueue(bytes.slice(0, 3))
          controller.enqueue(bytes.slice(3))
          controller.close()
        },
      })
    expect((await resultOf(stream)).content).toBe('naïve')
    async function* words() {
      yield 'a '
      yield 'b'
    }
    expect((await resultOf(words)).content).toBe('a b')
  })

  it('an endless stream ends at its bound', async () => {
    async function* endless() {
      for (;;) yield 'x'.repeat(1_000)
    }
    const { content } = await resultOf(endless, { maxStreamBytes: 10_000, maxResultBytes: 2_000 })
    expect(content.length).toBeLessThanOrEqual(2_000)
  })
})

describe('odd throws', () => {
  const cases: [string, unknown, string][] = [
    ['a text', 'plain', 'plain'],
    ['an object', { code: 42 }, '{"code":42}'],
    ['undefined', undefined, 'unknown error'],
    ['null', null, 'unknown error'],
    ['zero', 0, 'unknown error'],
    ['an AggregateError', new AggregateError([new Error('a'), 'b'], 'two'), 'two: a; b'],
    ['an Error with a cause', new Error('outer', { cause: new Error('inner') }), 'outer: inner'],
    ['an AbortError of somebody else', new DOMException('stopped', 'AbortError'), 'stopped'],
    ['a Response', new Response('', { status: 500 }), '[HTTP 500]'],
    ['several lines', new Error('a\n  b'), 'a b'],
  ]
  it.each(cases)('%s is one useful line [p2.siblings]', async (_, thrown, expected) => {
    const { outcome, content } = await resultOf(() => {
      throw thrown
    })
    expect({ outcome, content }).toEqual({ outcome: 'failed', content: `t failed: ${expected}` })
  })
})

describe('long results', () => {
  it('keep head and tail, say how much was left out, and keep the whole for reading on [p2.odd-values]', async () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => ({ row }))
    const { content, truncated, value } = await resultOf(() => JSON.stringify(rows), {
      maxResultBytes: 20_000,
    })
    expect(byteLength(content)).toBeLessThanOrEqual(20_000)
    expect(content).toMatch(/^\[\{"row":0\}/)
    expect(content).toMatch(/\{"row":199999\}\]$/)
    expect(content).toContain(
      `${truncated?.omittedBytes} of ${truncated?.totalBytes} bytes left out`,
    )
    expect(value).toHaveLength(truncated?.totalBytes ?? 0)
  })

  it('50 MB does no harm [p2.odd-values]', async () => {
    const { outcome, content, value } = await resultOf(() => 'x'.repeat(50_000_000))
    expect(outcome).toBe('completed')
    expect(content.length).toBeLessThanOrEqual(65_536)
    expect(value).toBeUndefined()
  })

  it('a round shares its bytes: small results stay whole', async () => {
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      execute: (args: { size: number }) => 'x'.repeat(args.size),
    }
    const run = createDispatcher({ tools: [tool], mode: 'full', maxRoundBytes: 10_000 }).run()
    const { results } = await run.dispatch([
      callOf('a', 't', { size: 100 }),
      callOf('b', 't', { size: 20_000 }),
      callOf('c', 't', { size: 30_000 }),
    ])
    expect(results[0]?.content).toHaveLength(100)
    const total = results.reduce((sum, { content }) => sum + byteLength(content), 0)
    expect(total).toBeLessThanOrEqual(10_000)
    expect(total).toBeGreaterThan(9_500)
  })

  it('read_result pages through the rest of it', async () => {
    const store = memoryRunStore()
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n')
    const tool: AnyTool = { name: 't', description: 't', readOnly: true, execute: () => text }
    const tools = [tool, readResultTool({ store })]
    const run = createDispatcher({ tools, mode: 'full', store, maxResultBytes: 1_000 }).run()
    const { results } = await run.dispatch([callOf('a', 't')])
    expect(results[0]?.content).toContain('read_result({"call_id":"a"')
    let read = ''
    for (let offset = 0; offset < text.length; offset += 16_000) {
      const page = await run.dispatch([
        callOf(`p${offset}`, 'read_result', { call_id: 'a', offset }),
      ])
      read += page.results[0]?.content.replace(/\n\[\d+ characters follow: offset \d+\]$/, '')
    }
    expect(read).toBe(text)
    const missing = await run.dispatch([callOf('z', 'read_result', { call_id: 'nope' })])
    expect(missing.results[0]?.outcome).toBe('failed')
  })

  it('a cut never splits a character', () => {
    for (const bound of [200, 201, 202, 203, 204]) {
      const { text } = boundText(`${'a'.repeat(bound - 150)}${'🎉'.repeat(100)}`, bound)
      expect(text).not.toContain('\ufffd')
      expect(byteLength(text)).toBeLessThanOrEqual(bound)
      expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text)
    }
  })

  it('bytes are shared fairly', () => {
    expect(shareBytes([10, 1_000, 500], 600)).toEqual([10, 295, 295])
    expect(shareBytes([10, 20], 600)).toEqual([10, 20])
  })
})
