import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/round.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { formatIssues } from '../../../src/schema/issues.ts'
import type { CheckOptions } from '../../../src/schema/validator.ts'
import type { JsonSchema } from '../../../src/tools/tool.ts'

const validator = cfworkerValidator()

function check(schema: JsonSchema, args: unknown, options?: CheckOptions) {
  return validator.compile(schema, 'author').check(args as JsonObject, options)
}

/** The issues as lines, or the arguments that passed. */
function told(schema: JsonSchema, args: unknown, options?: CheckOptions): unknown {
  const checked = check(schema, args, options)
  return checked.ok ? checked.args : checked.issues.map(({ path, message }) => `${path} ${message}`)
}

function object(properties: object, more: object = {}): JsonSchema {
  return { type: 'object', properties, ...more }
}

function refused(schema: unknown, trust: 'author' | 'external' = 'author'): string {
  try {
    validator.compile(schema as JsonSchema, trust)
    return 'accepted'
  } catch (error) {
    expect(error).toMatchObject({ code: 'THREEPASS_BAD_SCHEMA' })
    return (error as Error).message
  }
}

describe('cases from issue trackers', () => {
  it('P04 reads JSON text only where the schema wants an array', () => {
    const schema = object(
      { todos: { type: 'array', items: { type: 'object' } }, note: { type: 'string' } },
      { required: ['todos'] },
    )
    const checked = check(schema, { todos: '[{"t":1}]', note: '[1,2]' })
    expect(checked).toEqual({
      ok: true,
      args: { todos: [{ t: 1 }], note: '[1,2]' },
      coerced: [{ path: '/todos', from: JSON.stringify('[{"t":1}]'), to: '[{"t":1}]' }],
    })
  })

  it('P10 passes digits as text where a string will do, and asks for one where not', () => {
    const inexact = new Set(['/id'])
    const args = { id: '2512292042121000001' }
    expect(told(object({ id: { type: ['string', 'integer'] } }), args, { inexact })).toEqual(args)
    for (const type of ['integer', 'number']) {
      expect(told(object({ id: { type } }), args, { inexact })).toEqual([
        `/id must be ${type}, but 2512292042121000001 has more digits than a number can hold: send it as a string, in quotes, where the tool takes one`,
      ])
    }
  })

  it('P10 rounds a fraction, never a whole number', () => {
    const inexact = new Set(['/f'])
    const f = { type: 'number' }
    expect(told(object({ f }), { f: '0.1000000000000000055' }, { inexact })).toEqual({ f: 0.1 })
    expect(told(object({ f }), { f: '0.1000000000000000055' })).toHaveLength(1)
    expect(
      told(object({ f: { type: 'integer' } }), { f: '0.1000000000000000055' }, { inexact }),
    ).toHaveLength(1)
  })

  it('P35 keeps to the whole schema', () => {
    const schema = object(
      {
        limit: { type: 'integer', exclusiveMinimum: 0 },
        tags: { type: 'array', uniqueItems: true, items: { const: 'a' } },
      },
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        additionalProperties: false,
        patternProperties: { '^x': { type: 'string' } },
      },
    )
    expect(told(schema, { limit: 0 })).toEqual(['/limit must be greater than 0, got 0'])
    expect(told(schema, { limit: 1, tags: ['a'], xa: 's' })).toEqual({
      limit: 1,
      tags: ['a'],
      xa: 's',
    })
    expect(told(schema, { tags: ['a', 'a'], xa: [] })).toEqual(
      expect.arrayContaining([
        '/xa must be string, got []',
        expect.stringMatching(/^\/tags must not repeat an item/),
      ]),
    )
  })

  it('P37 drops null for an optional property only', () => {
    const schema = object({ q: { type: 'string' }, lang: { type: 'string' } }, { required: ['q'] })
    expect(check(schema, { q: 'x', lang: null })).toEqual({
      ok: true,
      args: { q: 'x' },
      coerced: [{ path: '/lang', from: 'null', to: 'absent' }],
    })
    expect(told(schema, { q: null })).toEqual(['/q must be string, got null'])
    expect(
      told(object({ l: { type: 'array', items: { type: 'string' } } }), { l: [null] }),
    ).toEqual(['/l/0 must be string, got null'])
    expect(told(object({ n: { type: ['string', 'null'] } }), { n: null })).toEqual({ n: null })
  })

  it('P40 refuses a dangling reference at registration, and says where', () => {
    expect(refused(object({ s: { $ref: '#/$defs/Missing' } }))).toMatch(
      /"\/properties\/s\/\$ref".*"#\/\$defs\/Missing".*leads nowhere.*put the schema under \$defs/,
    )
    expect(refused(object({ s: { $ref: 'https://example.com/x.json' } }))).toMatch(
      /nothing is fetched/,
    )
    expect(refused(object({ s: { $ref: '#nowhere' } }))).toMatch(/leads nowhere/)
    expect(refused(object({ s: { $ref: 7 } }))).toMatch(/must be a text/)
  })

  it('P41 names the one unknown property of a recursive schema', () => {
    const tree = object(
      { v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#' } } },
      { additionalProperties: false },
    )
    expect(told(tree, { v: 'a', kids: [{ v: 'b', kids: [{ x: 1 }] }] })).toEqual([
      '/kids/0/kids/0/x is not a known property; allowed: v, kids',
    ])
    let deep: object = {}
    for (let level = 0; level < 10_000; level += 1) deep = { kids: [deep] }
    expect(told(tree, deep)).toEqual([expect.stringMatching(/nested deeper than 128/)])
  })

  it.each([
    ['itself', { $ref: '#' }],
    [
      'a pair',
      object(
        { a: { $ref: '#/$defs/a' } },
        { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      ),
    ],
    [
      'a union',
      object(
        { a: { $ref: '#/$defs/a' } },
        { $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] } } },
      ),
    ],
  ])('P41 refuses an endless loop: %s', (_, schema) => {
    expect(refused(schema)).toMatch(/endlessly/)
  })

  it('P43 screens what comes from outside', () => {
    const schema = object({ s: { type: 'string', pattern: '^(a+)+$' } })
    const compiled = validator.compile(schema, 'external')
    expect(compiled.warnings).toEqual([
      expect.stringMatching(/^\/properties\/s\/pattern: .*exponential/),
    ])
    const started = performance.now()
    expect(compiled.check({ s: `${'a'.repeat(40)}!` }).ok).toBe(true)
    expect(performance.now() - started).toBeLessThan(50)
  })

  it('P44 reads boolean exclusive bounds', () => {
    const compiled = validator.compile(
      object(
        {
          ttl: { type: 'integer', minimum: 0, exclusiveMinimum: true },
          w: { type: 'integer', minimum: 1, exclusiveMinimum: false },
        },
        { $schema: 'https://json-schema.org/draft/2020-12/schema' },
      ),
      'author',
    )
    expect(compiled.schema.properties).toEqual({
      ttl: { type: 'integer', exclusiveMinimum: 0 },
      w: { type: 'integer', minimum: 1 },
    })
    expect(compiled.warnings).toHaveLength(2)
    expect(compiled.check({ ttl: 1, w: 1 }).ok).toBe(true)
    expect(compiled.check({ ttl: 0 })).toEqual({
      ok: false,
      issues: [{ path: '/ttl', message: 'must be greater than 0, got 0' }],
    })
  })

  it('P46 names the cause in the branch that was meant', () => {
    const branch = (k: string, more: object, required: string[]) => ({
      type: 'object',
      properties: { k: { const: k }, ...more },
      required,
    })
    const anyOf = [branch('a', {}, ['k']), branch('b', { n: { type: 'integer' } }, ['k', 'n'])]
    for (const union of [{ anyOf }, { oneOf: anyOf }, { anyOf: [...anyOf].reverse() }]) {
      const schema = object({ op: union }, { required: ['op'] })
      expect(told(schema, { op: { k: 'b', n: 'five' } })).toEqual([
        '/op/n must be integer, got "five"',
      ])
      expect(told(schema, { op: { k: 'b', n: '5' } })).toEqual({ op: { k: 'b', n: 5 } })
      expect(told(schema, { op: { k: 'z' } })).toEqual([
        expect.stringMatching(/^\/op\/k must be one of "(a|b)", "(a|b)", got "z"$/),
      ])
      expect(told(schema, { op: 5 })).toEqual(['/op must be object, got 5'])
    }
  })

  it.each(['http://json-schema.org/draft-07/schema#', undefined])(
    'P47 follows odd references (%s)',
    ($schema) => {
      const schema = {
        ...($schema && { $schema }),
        type: 'object',
        definitions: {
          'child[one]': { type: 'string' },
          'a/b~c': { type: 'integer' },
          'List<Foo>': { type: 'array' },
          'p%41': { type: 'null' },
        },
        properties: {
          x: { $ref: '#/definitions/child[one]' },
          y: { $ref: '#/definitions/a~1b~0c' },
          z: { $ref: '#/definitions/List%3CFoo%3E' },
          w: { $ref: '#/definitions/p%41' },
        },
      }
      expect(told(schema, { x: 's', y: 1, z: [], w: null })).toEqual({
        x: 's',
        y: 1,
        z: [],
        w: null,
      })
      expect(told(schema, { x: 5 })).toEqual(['/x must be string, got 5'])
      expect(told(schema, { y: [], z: {} })).toHaveLength(2)
    },
  )

  it('P49 shows what a date-time looks like', () => {
    const schema = object({
      at: { type: 'string', format: 'date-time' },
      id: { type: 'integer', format: 'int64' },
    })
    expect(told(schema, { at: '2026-01-01T00:00:00Z', id: 1 })).toEqual({
      at: '2026-01-01T00:00:00Z',
      id: 1,
    })
    expect(told(schema, { at: '2026-01-01' })).toEqual([
      '/at must be a valid date-time such as "2026-01-31T09:30:00Z", got "2026-01-01"',
    ])
    expect(told(schema, { at: '2026-13-40T99:00:00Z' })).toHaveLength(1)
  })

  it('P113 coerces to a numeric member, and lists the members', () => {
    const schema = object({
      level: { type: 'integer', enum: [1, 2, 4] },
      m: { enum: ['a', 1, null] },
    })
    expect(told(schema, { level: '4' })).toEqual({ level: 4 })
    expect(told(schema, { m: '1' })).toEqual({ m: 1 })
    expect(told(schema, { level: 3 })).toEqual(['/level must be one of 1, 2, 4, got 3'])
  })
})

describe('coercion', () => {
  const types = (type: unknown) => object({ v: { type } }, { required: ['v'] })
  it.each([
    ['integer', '5', 5],
    ['integer', '-12', -12],
    ['integer', '5.0', 5],
    ['number', '1.50', 1.5],
    ['number', '1e+21', 1e21],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    [['integer', 'null'], 'null', null],
    ['object', '{"a":[1],"__proto__":{"b":1}}', { a: [1] }],
    [['array', 'integer'], '[1]', [1]],
  ])('%s from %j', (type, from, to) => {
    expect(told(types(type), { v: from })).toEqual({ v: to })
    expect(told(types(type), { v: from }, { coerce: false })).toHaveLength(1)
  })

  it.each([
    ['integer', '5.5'],
    ['integer', ' 5'],
    ['integer', '05'],
    ['integer', '0x10'],
    ['integer', ''],
    ['integer', '-0'],
    ['integer', '9007199254740993'],
    ['number', '0.10000000000000001'],
    ['number', 'Infinity'],
    ['boolean', 'True'],
    ['boolean', 1],
    ['string', 5],
    ['string', true],
    ['array', 'a'],
    ['array', 1],
    ['array', '{"a":1}'],
    ['object', '[2512292042121000001]'],
    ['array', '[2512292042121000001]'],
    ['array', '[1'],
    ['integer', 'null'],
  ])('%s never from %j', (type, from) => {
    expect(told(types(type), { v: from })).toHaveLength(1)
  })

  it('goes into coerced texts, and stops', () => {
    const schema = object({
      o: object({ n: { type: 'integer' }, l: { type: 'array', items: { type: 'boolean' } } }),
    })
    expect(told(schema, { o: '{"n":"1","l":"[\\"true\\"]"}' })).toEqual({ o: { n: 1, l: [true] } })
  })

  it('keeps a string where the schema takes one', () => {
    expect(told(types(['string', 'integer']), { v: '5' })).toEqual({ v: '5' })
    expect(
      told(object({ v: { anyOf: [{ type: 'integer' }, { type: 'string' }] } }), { v: '5' }),
    ).toEqual({ v: '5' })
  })

  it('matches an enum member without case when only one fits', () => {
    expect(told(object({ e: { enum: ['Red', 'green'] } }), { e: 'RED' })).toEqual({ e: 'Red' })
    expect(told(object({ e: { enum: ['Red', 'rEd'] } }), { e: 'red' })).toHaveLength(1)
    expect(told(object({ e: { enum: ['Red'] } }), { e: ' red' })).toHaveLength(1)
    expect(
      told(object({ e: { anyOf: [{ const: 'Red' }, { const: 'Blue' }] } }), { e: 'red' }),
    ).toEqual({ e: 'Red' })
  })

  it('never changes its input', () => {
    const args = { v: '5', w: { x: null } }
    const before = structuredClone(args)
    Object.freeze(args)
    Object.freeze(args.w)
    told(object({ v: { type: 'integer' }, w: object({ x: { type: 'string' } }) }), args)
    expect(args).toEqual(before)
  })

  it('tells what is still wrong after what could be helped', () => {
    expect(
      told(object({ a: { type: 'integer', minimum: 10 }, b: { type: 'boolean' } }), {
        a: '5',
        b: 'true',
      }),
    ).toEqual(['/a must be at least 10, got 5'])
  })
})

describe('issues', () => {
  it('name a missing property, with its type and description', () => {
    const size = object({ height: { $ref: '#/$defs/h' } }, { required: ['height', 'a/b'] })
    const schema = object(
      { size },
      {
        required: ['size'],
        $defs: { h: { type: 'integer', description: `Height in\n  pixels ${'x'.repeat(90)}` } },
      },
    )
    expect(told(schema, { size: {} })).toEqual([
      expect.stringMatching(/^\/size\/height is required: integer \(Height in pixels x{62}…\)$/),
      '/size/a~1b is required',
    ])
  })

  it('list a type union once', () => {
    expect(told(object({ v: { type: ['string', 'null'] } }), { v: 5 })).toEqual([
      '/v must be string or null, got 5',
    ])
    expect(
      told(object({ v: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), { v: 5 }),
    ).toEqual(['/v must be string or null, got 5'])
    expect(
      told(object({ v: { anyOf: [{ enum: ['a', 'b'] }, { type: 'array' }] } }), { v: 5 }),
    ).toEqual(['/v must be array or one of "a", "b", got 5'])
  })

  it('prefer the branch of the right kind', () => {
    const schema = object({
      v: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
    })
    expect(told(schema, { v: [1, 'x', true] })).toEqual([
      '/v/1 must be integer, got "x"',
      '/v/2 must be integer, got true',
    ])
    expect(told(object({ v: { oneOf: [{ minimum: 1 }, { minimum: 2 }] } }), { v: 3 })).toEqual([
      expect.stringMatching(/^\/v fits more than one/),
    ])
  })

  it.each([
    [{ minLength: 3 }, 'ab', 'must have at least 3 characters'],
    [{ maxLength: 1 }, 'ab', 'must have at most 1 characters'],
    [{ pattern: '^a$' }, 'b', 'must match the pattern ^a$'],
    [{ multipleOf: 2 }, 3, 'must be a multiple of 2'],
    [{ maximum: 2 }, 3, 'must be at most 2'],
    [{ exclusiveMaximum: 3 }, 3, 'must be less than 3'],
    [{ minItems: 2 }, [1], 'must have at least 2 items'],
    [{ maxItems: 0 }, [1], 'must have at most 0 items'],
    [{ contains: { type: 'string' } }, [1], 'must contain an item that fits the schema'],
    [{ not: { type: 'integer' } }, 1, 'has a form that is not allowed'],
    [{ minProperties: 1 }, {}, 'must have at least 1 properties'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'has a property name that is not allowed'],
    [{ prefixItems: [{}], items: false }, [1, 2], 'is one item too many'],
    [{ properties: { a: false } }, { a: 1 }, 'is not allowed'],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { type: 'string' }, then: { const: 'x' } }, 'y', 'must be "x"'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'is required'],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, 'is required'],
    [{ dependencies: { a: { required: ['c'] } } }, { a: 1 }, 'is required'],
    [{ allOf: [{ type: 'string' }, { type: 'string' }] }, 1, 'must be string'],
    [{ enum: ['aa'], minLength: 2 }, 'x', 'must be "aa"'],
    [{ $ref: '#/$defs/d', description: 'beside' }, 1, 'must be string'],
  ])('%j', (schema, value, message) => {
    const lines = told(object({ v: schema }, { $defs: { d: { type: 'string' } } }), {
      v: value,
    }) as string[]
    expect(lines).toEqual([expect.stringContaining(message)])
    expect(lines[0]).toMatch(/^\/v/)
  })

  it('count a wrong property once under unevaluatedProperties', () => {
    const schema = {
      type: 'object',
      allOf: [{ properties: { a: { type: 'string' } } }],
      unevaluatedProperties: false,
    }
    expect(told(schema, { a: 1 })).toEqual(['/a must be string, got 1'])
    const long = { ...schema, allOf: [{ properties: { a: { minLength: 3 } } }] }
    expect(told(long, { a: 'x' })).toEqual(['/a must have at least 3 characters, got "x"'])
    expect(told(schema, { b: 1 })).toEqual([expect.stringMatching(/^\/b is not a known property/)])
  })

  it('are bounded', () => {
    const huge = object({
      e: { enum: Array.from({ length: 5000 }, (_, index) => `value-${index}`) },
    })
    const [line = ''] = told(huge, { e: 'x'.repeat(100_000) }) as string[]
    expect(line).toContain('(5000 in all)')
    expect(line.length).toBeLessThan(350)
  })
})

describe('formatIssues', () => {
  it('is one line a problem', () => {
    expect(
      formatIssues('m', [
        { path: '/op/n', message: 'must be integer, got "five"' },
        { path: '', message: 'is odd' },
      ]),
    ).toBe(
      'm: the arguments do not fit its schema; correct them and call again.\n/op/n must be integer, got "five"\n(all) is odd',
    )
  })

  it('stays under 600 characters and counts what it left out', () => {
    const issues = Array.from({ length: 200 }, (_, index) => ({
      path: `/${'p'.repeat(400)}/${index}`,
      message: 'm'.repeat(400),
    }))
    const text = formatIssues('n'.repeat(256), issues)
    expect(text.length).toBeLessThanOrEqual(600)
    const shown = text.split('\n').length - 2
    expect(text).toContain(`and ${200 - shown} more problems`)
    const few = formatIssues('tool', issues.slice(0, 4))
    expect(few).not.toContain('more problem')
  })
})
