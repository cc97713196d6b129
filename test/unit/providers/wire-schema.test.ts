import { describe, expect, it } from 'vitest'
import { createDispatcher, type JsonSchema, type ToolResult } from '../../../src/index.ts'
import {
  geminiSchema,
  openAIStrictSchema,
  toolsFor,
  wireNames,
} from '../../../src/providers/index.ts'

const text = { type: 'string' }
const tree = {
  type: 'object',
  properties: { v: text, kids: { type: 'array', items: { $ref: '#' } } },
  additionalProperties: false,
}

function object(properties: object, more: object = {}): JsonSchema {
  return { type: 'object', properties, ...more }
}

/** The form of one property. */
function gemini(property: object): unknown {
  return (geminiSchema(object({ p: property })).properties as { p: unknown }).p
}

function strict(property: object): unknown {
  const written = openAIStrictSchema(object({ p: property }, { required: ['p'] }))
  return written.strict ? (written.schema.properties as { p: unknown }).p : false
}

async function call(inputSchema: JsonSchema, ...args: unknown[]): Promise<readonly ToolResult[]> {
  const echo = { name: 'f', description: '', inputSchema, execute: (given: unknown) => given }
  const run = createDispatcher({ tools: [echo], mode: 'full', unattended: 'allow' }).run()
  const calls = args.map((each, index) => ({ id: `c${index}`, name: 'f', arguments: each }))
  return (await run.dispatch(calls)).results
}

describe('geminiSchema', () => {
  const read = object(
    {
      limit: { type: 'integer', exclusiveMinimum: 0 },
      tags: { type: 'array', uniqueItems: true, items: { const: 'a' } },
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      additionalProperties: false,
      patternProperties: { '^x': text },
    },
  )

  it('drops or widens what Gemini refuses (P35)', () => {
    expect(geminiSchema(read)).toEqual(
      object({
        limit: { type: 'integer', minimum: 0 },
        tags: { type: 'array', items: { type: 'string', enum: ['a'] } },
      }),
    )
  })

  it('leaves judging to the whole schema (P35)', async () => {
    const [refused] = await call(read, '{"limit":0}')
    expect(refused).toMatchObject({
      outcome: 'invalid',
      content: expect.stringContaining('/limit'),
    })
  })

  it.each<[string, object, unknown]>([
    ['null in a type list', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['a null alternative', { anyOf: [text, { type: 'null' }] }, { type: 'string', nullable: true }],
    [
      'oneOf, with the words on the first alternative',
      { description: 'D', oneOf: [text, { type: 'array', items: text }] },
      {
        anyOf: [
          { type: 'string', description: 'D' },
          { type: 'array', items: text },
        ],
      },
    ],
    [
      'allOf',
      { allOf: [object({ a: text }), object({ b: text }, { required: ['b'] })], title: 'T' },
      { type: 'object', title: 'T', properties: { a: text, b: text }, required: ['b'] },
    ],
    [
      'alternatives that only restrict',
      { ...object({ a: text }), anyOf: [{ required: ['a'] }, { maxProperties: 0 }] },
      object({ a: text }),
    ],
    ['a format', { type: 'string', format: 'uri' }, text],
    ['a tuple', { type: 'array', prefixItems: [text, text] }, { type: 'array', items: text }],
    ['a look-ahead', { type: 'string', pattern: '^(?!x)' }, text],
    [
      'a required name that is not there',
      { ...object({ a: text }), required: ['z'] },
      object({ a: text }),
    ],
    ['a type of OpenAPI', { type: 'STRING' }, text],
    ['no properties', object({}), { type: 'object' }],
    [
      'members that are objects',
      { enum: [{ a: 1 }] },
      { type: 'object', description: 'One of: {"a":1}.' },
    ],
  ])('writes %s (P35)', (_, given, written) => {
    expect(gemini(given)).toEqual(written)
  })

  it('carries numbers of an enum as texts, and null as nullable (P113)', () => {
    expect(gemini({ type: 'integer', enum: [1, 2, 4] })).toEqual({
      type: 'string',
      enum: ['1', '2', '4'],
    })
    expect(gemini({ enum: ['a', 1, null] })).toEqual({
      type: 'string',
      enum: ['a', '1'],
      nullable: true,
    })
    expect(gemini({ const: true })).toEqual({ type: 'string', enum: ['true'] })
  })

  it('gets the number back, and refuses naming the members (P113)', async () => {
    const schema = object({
      level: { type: 'integer', enum: [1, 2, 4] },
      m: { enum: ['a', 1, null] },
    })
    const [right, wrong, mixed] = await call(schema, '{"level":"4"}', '{"level":3}', '{"m":"1"}')
    expect(right).toMatchObject({ outcome: 'completed', value: { level: 4 } })
    expect(wrong?.outcome).toBe('invalid')
    expect(wrong?.content).toMatch(/\/level.*1, 2(,| or|, or) 4/)
    expect(mixed).toMatchObject({ outcome: 'completed', value: { m: 1 } })
  })

  it('unrolls recursion and leaves the rest open; a loop and a bomb end (P41)', () => {
    const written = JSON.stringify(geminiSchema(tree))
    expect(written).not.toContain('$ref')
    expect(written.match(/kids/g)).toHaveLength(3)
    expect(written).toContain('"items":{"type":"object"}')
    expect(geminiSchema({ $ref: '#' })).toEqual({ type: 'object' })
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`)
    const $defs = Object.fromEntries(
      names.map((name, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` }
        return [name, index === 39 ? text : object({ a: next, b: next })]
      }),
    )
    const bomb = object({ x: { $ref: '#/$defs/d0' } }, { $defs })
    expect(JSON.stringify(geminiSchema(bomb)).length).toBeLessThan(500_000)
    expect(openAIStrictSchema(bomb)).toEqual({ schema: bomb, strict: false })
  })

  it('survives 10,000 levels (P41)', () => {
    let deep: object = text
    for (let level = 0; level < 10_000; level += 1) deep = { type: 'array', items: deep }
    expect(geminiSchema(object({ deep })).type).toBe('object')
    expect(openAIStrictSchema(object({ deep })).strict).toBe(false)
    let composed: object = text
    for (let level = 0; level < 10_000; level += 1) composed = { allOf: [composed] }
    expect(geminiSchema(object({ composed })).type).toBe('object')
  })

  it('makes one object of alternatives at the root (P35)', () => {
    const one = object({ a: text, k: { const: 'x' } }, { required: ['k', 'a'] })
    const other = object({ k: { const: 'y' } }, { required: ['k'] })
    expect(geminiSchema({ oneOf: [one, other] })).toEqual(
      object(
        {
          a: text,
          k: {
            anyOf: [
              { type: 'string', enum: ['x'] },
              { type: 'string', enum: ['y'] },
            ],
          },
        },
        { required: ['k'] },
      ),
    )
  })
})

describe('openAIStrictSchema', () => {
  const given = object(
    {
      q: text,
      url: { type: 'string', format: 'uri' },
      filters: { type: 'array', items: object({ k: { type: 'string', default: 'a' } }) },
    },
    { required: ['q'] },
  )

  it('requires every property and lets optional ones be null (P38)', () => {
    const maybe = { type: ['string', 'null'] }
    const closed = { additionalProperties: false }
    const item = object({ k: maybe }, { required: ['k'], ...closed })
    expect(openAIStrictSchema(given)).toEqual({
      strict: true,
      schema: object(
        { q: text, url: maybe, filters: { type: ['array', 'null'], items: item } },
        { required: ['q', 'url', 'filters'], ...closed },
      ),
    })
  })

  it('drops the nulls that come back, not one that is required (P38) (P37)', async () => {
    const sent = { q: 'x', url: null, filters: [{ k: null }] }
    const [right, wrong] = await call(given, sent, { q: null, url: null, filters: null })
    expect(right).toMatchObject({ outcome: 'completed', value: { q: 'x', filters: [{}] } })
    expect(right?.value).not.toHaveProperty('url')
    expect(wrong?.outcome).toBe('invalid')
    expect(wrong?.content).toContain('/q')
  })

  it('drops the nulls inside alternatives too (P38)', async () => {
    const closed = { additionalProperties: false }
    const schema = object({
      by: {
        oneOf: [
          object(
            { kind: { const: 'id' }, n: { type: 'integer' } },
            { required: ['kind'], ...closed },
          ),
          object({ kind: { const: 'all' } }, { required: ['kind'], ...closed }),
        ],
      },
    })
    expect(openAIStrictSchema(schema).strict).toBe(true)
    const [result] = await call(schema, { by: { kind: 'id', n: null } })
    expect(result).toMatchObject({ outcome: 'completed', value: { by: { kind: 'id' } } })
  })

  it.each<[string, object]>([
    ['an open map', { type: 'object', additionalProperties: text }],
    ['an open object', object({ a: text }, { additionalProperties: true })],
    ['an object of anything', { type: 'object' }],
    ['text or anything', { anyOf: [text, { type: 'any' }] }],
    ['recursion inside allOf', { allOf: [{ $ref: '#' }, object({ x: text })] }],
    ['patterns of names', { ...object({ a: text }), patternProperties: { '^x': text } }],
    ['any value', {}],
    ['a list of anything', { type: 'array' }],
    ['a tuple', { type: 'array', prefixItems: [text], items: text }],
    ['a required name without a schema', object({ a: text }, { required: ['z'] })],
    ['a dangling reference', { $ref: '#/$defs/none' }],
  ])('sends %s as it is (P38)', (_, property) => {
    const schema = object({ p: property })
    expect(openAIStrictSchema(schema)).toEqual({ strict: false, schema })
  })

  it('keeps to the documented limits (P38)', () => {
    const wide = (count: number) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, text])))
    expect(openAIStrictSchema(wide(100)).strict).toBe(true)
    expect(openAIStrictSchema(wide(101)).strict).toBe(false)
    const deep = (levels: number): JsonSchema => object({ p: levels > 1 ? deep(levels - 1) : text })
    expect(openAIStrictSchema(deep(5)).strict).toBe(true)
    expect(openAIStrictSchema(deep(6)).strict).toBe(false)
    const members = (count: number) =>
      object({ e: { enum: Array.from({ length: count }, (_, at) => at) } }, { required: ['e'] })
    expect(openAIStrictSchema(members(500)).strict).toBe(true)
    expect(openAIStrictSchema(members(501)).strict).toBe(false)
    const long = (count: number, length: number) =>
      object({
        e: { enum: Array.from({ length: count }, (_, at) => String(at).padStart(length, '0')) },
      })
    expect(openAIStrictSchema(long(240, 60)).strict).toBe(true)
    expect(openAIStrictSchema(long(260, 60)).strict).toBe(false)
    expect(openAIStrictSchema(long(260, 30)).strict).toBe(false)
    expect(openAIStrictSchema(long(240, 30)).strict).toBe(true)
    expect(openAIStrictSchema(long(240, 70)).strict).toBe(false)
  })

  it('writes alternatives, enums and formats (P38)', () => {
    expect(strict({ oneOf: [text, { type: 'null' }] })).toEqual({ type: ['string', 'null'] })
    expect(strict({ type: ['string', 'integer'], description: 'D' })).toEqual({
      description: 'D',
      anyOf: [text, { type: 'integer' }],
    })
    expect(strict({ enum: ['a', 1, null] })).toEqual({
      type: ['string', 'number', 'null'],
      enum: ['a', 1, null],
    })
    expect(strict({ type: 'string', pattern: '(?=a)' })).toEqual(text)
    expect(strict({ type: 'string', pattern: '^a' })).toEqual({ type: 'string', pattern: '^a' })
    expect(strict({ type: 'string', format: 'uuid', minLength: 3 })).toEqual({
      type: 'string',
      format: 'uuid',
    })
  })

  it('keeps recursion as a reference (P41)', () => {
    const { schema, strict: kept } = openAIStrictSchema(tree)
    expect(kept).toBe(true)
    expect(schema.properties).toMatchObject({ kids: { items: { $ref: '#' } } })
    const node = object({ next: { $ref: '#/definitions/node' } })
    const inner = openAIStrictSchema(
      object({ n: { $ref: '#/definitions/node' } }, { definitions: { node } }),
    )
    const next = { anyOf: [{ $ref: '#/$defs/recursive_1' }, { type: 'null' }] }
    expect(inner).toMatchObject({
      strict: true,
      schema: { $defs: { recursive_1: { type: 'object', properties: { next } } } },
    })
    expect(openAIStrictSchema({ $ref: '#' })).toMatchObject({ strict: false })
    expect(openAIStrictSchema({ $ref: '#/$defs/a', $defs: { a: object({ q: text }) } })).toEqual({
      strict: true,
      schema: object(
        { q: { type: ['string', 'null'] } },
        { required: ['q'], additionalProperties: false },
      ),
    })
  })
})

describe('toolsFor', () => {
  const tools = [
    { name: 'b.c', description: 'B', inputSchema: object({ q: text }, { required: ['q'] }) },
    { name: 'a', description: 'A', inputSchema: object({}) },
  ]
  const names = wireNames(tools.map(({ name }) => name))
  const wire = names.toWire('b.c')
  const parameters = object({ q: text }, { required: ['q'] })
  const closed = { ...parameters, additionalProperties: false }

  it("writes each vendor's shape, sorted (P22) (P35) (P38)", () => {
    const a = { name: 'a', description: 'A', parameters: object({}), strict: false }
    const b = { name: wire, description: 'B', parameters: closed, strict: true }
    expect(toolsFor('openai-chat', tools, names)).toEqual([
      { type: 'function', function: a },
      { type: 'function', function: b },
    ])
    expect(toolsFor('openai-responses', tools, names)).toEqual([
      { type: 'function', ...a },
      { type: 'function', ...b },
    ])
    expect(toolsFor('anthropic', tools, names)).toEqual([
      { name: 'a', description: 'A', input_schema: object({}) },
      { name: wire, description: 'B', input_schema: parameters },
    ])
    expect(toolsFor('gemini', tools, names)).toEqual([
      {
        functionDeclarations: [
          { name: 'a', description: 'A' },
          { name: wire, description: 'B', parameters },
        ],
      },
    ])
    expect(toolsFor('gemini', [], names)).toEqual([])
  })

  it('has no alternatives at the root for OpenAI and Anthropic (P38)', () => {
    const inputSchema = { type: 'object', anyOf: [object({ a: text }), object({ b: text })] }
    const [openai] = toolsFor('openai-chat', [{ name: 'x', description: '', inputSchema }], names)
    const [claude] = toolsFor('anthropic', [{ name: 'x', description: '', inputSchema }], names)
    expect(openai?.function).toMatchObject({
      strict: false,
      parameters: object({ a: text, b: text }),
    })
    expect(claude?.input_schema).toEqual(object({ a: text, b: text }))
  })
})
