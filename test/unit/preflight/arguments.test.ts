import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadOptions, readArguments } from '../../../src/preflight/arguments.ts'

const options: ReadOptions = { cut: false, maxBytes: 100_000, maxDepth: 128 }
const cutOptions: ReadOptions = { ...options, cut: true }

async function args(raw: unknown, given = options): Promise<unknown> {
  const read = await readArguments(raw, given)
  return read.kind === 'read' ? read.args : read.code
}

async function repaired(raw: unknown): Promise<unknown> {
  const read = await readArguments(raw, options)
  return read.kind === 'read' ? read.repaired : read.code
}

describe('what counts as no arguments', () => {
  it.each([
    ['P01 empty', ''],
    ['P01 blank', '  \n'],
    ['P02 null', null],
    ['P02 absent', undefined],
    ['P02 "null"', 'null'],
    ['a byte order mark', '\ufeff'],
  ])('%s is {}', async (_, raw) => {
    expect(await readArguments(raw, options)).toEqual({
      kind: 'read',
      args: {},
      repaired: [],
      inexact: new Set(),
    })
  })
})

describe('ordinary text', () => {
  it('is read without a promise and unchanged', () => {
    const read = readArguments('{"q":"what\'s True","p":"C:\\\\new\\\\table"}', options)
    expect(read).not.toBeInstanceOf(Promise)
    expect(read).toMatchObject({ args: { q: "what's True", p: 'C:\\new\\table' }, repaired: [] })
  })

  it('drops __proto__ at every depth, in any spelling', async () => {
    const raw = '{"__proto__":{"x":1},"\\u005f_proto__":2,"a":[{"__proto__":{"y":1},"k":1}]}'
    const read = (await args(raw)) as { a: object[] }
    expect(JSON.stringify(read)).toBe('{"a":[{"k":1}]}')
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(read.a[0])).toBe(Object.prototype)
  })

  it('makes lone surrogates well formed, in values and names', async () => {
    expect(await args('{"a":"\\ud800x","\\udc00":"😀"}')).toEqual({ a: '\ufffdx', '\ufffd': '😀' })
  })

  it('keeps the last of two equal names, and negative zero', async () => {
    expect(await args('{"a":1,"a":2}')).toEqual({ a: 2 })
    expect(await args('{"a":-0}')).toEqual({ a: -0 })
  })
})

describe('what is repaired', () => {
  it.each([
    ['P05 trailing comma', '{"a":1,"s":"x, }",}', { a: 1, s: 'x, }' }, ['trailing commas']],
    ['P05 code fence', '```json\n{"a":2}\n```', { a: 2 }, ['code fence']],
    ['fence without an end', '```\n{"a":2}', { a: 2 }, ['code fence']],
    ['fence and comma', '```json\n{"a":[1,],}\n```', { a: [1] }, ['code fence', 'trailing commas']],
    ['comments', '{"a":1, // one\n/* two */"b":"http://x"}', { a: 1, b: 'http://x' }, ['comments']],
    [
      'P08 Python',
      `{'a': True, 'b': None, 'q': "what's up"}`,
      { a: true, b: null, q: "what's up" },
      ['single quotes', 'Python literals'],
    ],
    [
      'apostrophes in single quotes',
      `{'q': 'what's "up"', 'r': 'it\\'s', 's': 'a, b: c'}`,
      { q: `what's "up"`, r: "it's", s: 'a, b: c' },
      ['single quotes'],
    ],
    ['raw newline', '{"a":"l1\nl2\tx"}', { a: 'l1\nl2\tx' }, ['raw newlines']],
    ['names without quotes', '{a:1,b_2:[true]}', { a: 1, b_2: [true] }, ['unquoted names']],
    ['double encoding', '"{\\"a\\":\\"x\\\\\\"y\\"}"', { a: 'x"y' }, ['double encoding']],
    ['single quotes inside', `"{'a': 1}"`, { a: 1 }, ['double encoding', 'single quotes']],
  ])('%s', async (_, raw, value, words) => {
    expect(await args(raw)).toEqual(value)
    expect(await repaired(raw)).toEqual(words)
  })
})

describe('what is cut off is never closed', () => {
  it.each([
    ['a text alone', '"abc'],
    ['a text alone, last quote escaped', "'abc\\'"],
    ['P07 string', '{"path":"a","content":"abc'],
    ['object', '{"a":1'],
    ['array', '{"a":[1,2'],
    ['name', '{"a":1,"b'],
    ['after a colon', '{"a":'],
    ['literal', '{"a":tru'],
    ['escape', '{"a":"\\'],
    ['single quotes', "{'a': 'it's"],
    ['comment', '{"a":1} /* x'],
    ['in a fence', '```json\n{"a":"x\n```'],
    ['double encoded', '"{\\"a\\":\\"x"'],
    ['double encoded, outer whole', '"{\\"a\\":[1"'],
  ])('%s', async (_, raw) => {
    expect(await args(raw)).toBe('arguments-cut')
  })

  it('reads only whole JSON when the output ended by length, and at once', () => {
    const code = (raw: unknown) => {
      const read = readArguments(raw, cutOptions)
      if (read instanceof Promise) return 'promise'
      return read.kind === 'read' ? read.args : read.code
    }
    expect(code('{"a":1}')).toEqual({ a: 1 })
    for (const raw of [
      '',
      ' ',
      undefined,
      null,
      {},
      { a: 1 },
      '{"a":1,}',
      '```\n{"a":1}\n```',
      '{',
    ]) {
      expect(code(raw)).toBe('arguments-cut')
    }
  })

  it('says so, and what to do', async () => {
    const read = await readArguments('{"a":"x', options)
    expect(read).toMatchObject({ raw: '{"a":"x' })
    expect(read.kind === 'unreadable' && read.message).toMatch(/cut off.*Send less at a time/)
  })
})

describe('what is refused', () => {
  it.each([
    ['a missing value', '{"a":}', 'arguments-not-json'],
    ['an ellipsis', '{"a":1, ...}', 'arguments-not-json'],
    ['wrong closers', '{"a":[1,2}', 'arguments-not-json'],
    ['a missing comma', '{"a":1 "b":2}', 'arguments-not-json'],
    ['a value without quotes', '{"a": hello}', 'arguments-not-json'],
    ['quotes inside quotes', '{"a": "he said "hi" to me"}', 'arguments-not-json'],
    ['an apostrophe outside', `{"a": it's, "b": 1}`, 'arguments-not-json'],
    ['a wrong escape', '{"a":"C:\\Users"}', 'arguments-not-json'],
    ['two objects', '{"a":1}{"b":2}', 'arguments-not-json'],
    ['prose', "I can't do that", 'arguments-not-json'],
    ['P11 a string', '"paris"', 'arguments-not-object'],
    ['P11 an array', '[1]', 'arguments-not-object'],
    ['P11 a number', '7', 'arguments-not-object'],
    ['true', 'true', 'arguments-not-object'],
    ['an array value', [1], 'arguments-not-object'],
    ['NaN', '{"a":NaN}', 'arguments-not-finite'],
    ['Infinity', '{"a":[-Infinity]}', 'arguments-not-finite'],
    ['a number beyond all doubles', '{"a":1e999}', 'arguments-not-finite'],
    ['a NaN value', { a: { b: Number.NaN } }, 'arguments-not-finite'],
    ['a large text', `{"a":"${'é'.repeat(50_000)}"}`, 'arguments-too-large'],
    ['a large value', { a: 'é'.repeat(50_000) }, 'arguments-too-large'],
    ['P41 deep text', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, 'arguments-too-deep'],
  ])('%s', async (_, raw, code) => {
    expect(await args(raw)).toBe(code)
  })

  it('names what came instead of an object', async () => {
    const read = await readArguments('[1]', options)
    expect(read.kind === 'unreadable' && read.message).toContain('an array came')
  })
})

describe('values that are no text', () => {
  it('copies plain JSON as JSON.stringify would', async () => {
    const inner = { n: 1, u: undefined }
    const raw = { d: new Date(0), inner, list: [undefined, 'x'] }
    const read = (await args(raw)) as typeof raw
    expect(read).toStrictEqual({
      d: '1970-01-01T00:00:00.000Z',
      inner: { n: 1 },
      list: [null, 'x'],
    })
    expect(read.inner).not.toBe(inner)
  })

  it('refuses what JSON cannot hold', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.a = cycle
    cycle.b = [cycle]
    const thrower = {
      get a(): never {
        throw new Error('no')
      },
    }
    for (const raw of [cycle, { a: 1n }, { f() {} }, { s: Symbol('s') }, () => 1, 1n, thrower]) {
      expect(await args(raw)).toBe('arguments-not-json')
    }
    let deep: object = {}
    for (let level = 0; level < 10_000; level += 1) deep = { a: deep }
    expect(await args(deep)).toBe('arguments-too-deep')
  })

  it('counts depth as told', async () => {
    expect(await args('{"a":[{}]}', { ...options, maxDepth: 3 })).toEqual({ a: [{}] })
    expect(await args('{"a":[{}]}', { ...options, maxDepth: 2 })).toBe('arguments-too-deep')
  })
})

describe('P10 digits that a double cannot hold', () => {
  it('stay as text, with their pointer', async () => {
    const raw =
      '{"id":2512292042121000001,"a/b":[-9007199254740993,9007199254740991],"f":0.1000000000000000055,"s":"12345678901234567890"}'
    const read = await readArguments(raw, options)
    expect(read).toEqual({
      kind: 'read',
      args: {
        id: '2512292042121000001',
        'a/b': ['-9007199254740993', 9007199254740991],
        f: '0.1000000000000000055',
        s: '12345678901234567890',
      },
      repaired: [],
      inexact: new Set(['/id', '/a~1b/0', '/f']),
    })
  })

  it('are found in repaired text too, beside equal names and __proto__', async () => {
    const raw = '{"__proto__":{"x":12345678901234567890},"a":1,"a":12345678901234567890,}'
    const read = await readArguments(raw, options)
    expect(read).toMatchObject({ args: { a: '12345678901234567890' } })
    expect(read.kind === 'read' && [...read.inexact]).toEqual(['/a'])
  })

  it('are not suspected in long but exact numbers, or in strings', () => {
    const raw = '{"a":1000000000000.5000,"b":1e21,"c":"2512292042121000001"}'
    expect(readArguments(raw, options)).toMatchObject({ args: { a: 1000000000000.5, b: 1e21 } })
  })
})

describe('properties', () => {
  const slip = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.slice(0, -1),
    (text: string) => text.replaceAll('"', "'"),
    (text: string) => text.replaceAll(':', ': /* c */'),
    (text: string) => text.replace(/[}\]]$/, ',$&'),
    (text: string) => `\`\`\`json\n${text}\n\`\`\``,
    (text: string) => JSON.stringify(text),
    (text: string) => text.replaceAll(',', ''),
  )

  it('never throws, whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
          fc.string(),
        ),
        fc.boolean(),
        async (raw, cut) => {
          const read = await readArguments(raw, { ...options, cut })
          expect(['read', 'unreadable']).toContain(read.kind)
        },
      ),
    )
  })

  it('never reads another value out of text with slips than what was written', async () => {
    const plain = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => !/__proto__/.test(JSON.stringify(value)))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), plain),
        fc.array(slip, { maxLength: 2 }),
        async (value, slips) => {
          const text = slips.reduce((sofar, make) => make(sofar), JSON.stringify(value))
          if (
            /['/\\:,`]|\.\.\./.test(
              JSON.stringify(Object.entries(value).flat(9)).replace(/","|",|,"/g, ''),
            )
          )
            return
          const read = await readArguments(text, options)
          if (read.kind === 'read' && read.inexact.size === 0) {
            expect(read.args).toEqual(JSON.parse(JSON.stringify(value)))
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('never reads the beginning of a text as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), async (value, at) => {
        const text = JSON.stringify(value)
        const end = 1 + (at % Math.max(1, text.length - 1))
        if (end >= text.length) return
        expect(await args(text.slice(0, end))).toBe('arguments-cut')
      }),
    )
  })
})
