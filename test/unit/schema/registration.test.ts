import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/round.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { costOf, unicodePattern } from '../../../src/schema/screen.ts'
import type { JsonSchema } from '../../../src/tools/tool.ts'

const validator = cfworkerValidator()

function compile(schema: unknown, trust: 'author' | 'external' = 'author') {
  return validator.compile(schema as JsonSchema, trust)
}

function refusal(schema: unknown, trust: 'author' | 'external' = 'author'): string {
  try {
    compile(schema, trust)
    return 'accepted'
  } catch (error) {
    expect(error).toMatchObject({ code: 'THREEPASS_BAD_SCHEMA' })
    return (error as Error).message
  }
}

function property(
  schema: unknown,
  value: Json | undefined,
  trust: 'author' | 'external' = 'author',
) {
  const compiled = compile({ type: 'object', properties: { v: schema } }, trust)
  return {
    ok: compiled.check({ v: value } as JsonObject, { coerce: false }).ok,
    warnings: compiled.warnings,
  }
}

describe('the root', () => {
  it.each([
    [undefined],
    [{}],
    [{ type: ['object', 'null'] }],
    [{ anyOf: [{ type: 'string' }, { type: 'object' }] }],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }],
  ])('accepts %j', (schema) => {
    expect(compile(schema).check({ a: 1 }).ok).toBe(true)
  })

  it.each([
    [true],
    [[]],
    ['x'],
    [{ type: 'string' }],
    [{ type: ['array', 'null'] }],
    [{ anyOf: [{ type: 'string' }] }],
    [{ allOf: [{ type: 'array' }] }],
    [{ $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }],
  ])('refuses %j', (schema) => {
    expect(refusal(schema)).toMatch(/object/)
  })

  it('adds the type it means', () => {
    expect(compile({ properties: {} }).schema).toEqual({ type: 'object', properties: {} })
  })

  it('is a private copy', () => {
    const schema = { type: 'object', properties: { a: { type: 'dict' } } }
    const before = structuredClone(schema)
    const compiled = compile(schema)
    expect(schema).toEqual(before)
    schema.properties.a.type = 'string'
    expect(compiled.check({ a: {} }).ok).toBe(true)
  })
})

describe('what is refused', () => {
  const cycle: Record<string, unknown> = { type: 'object' }
  cycle.properties = { cycle }
  let deep: object = {}
  for (let level = 0; level < 5000; level += 1) deep = { not: deep }
  it.each([
    ['a function', { type: 'object', properties: { f: () => 1 } }, '/properties/f'],
    ['a BigInt', { type: 'object', properties: { f: { minimum: 1n } } }, '/properties/f/minimum'],
    ['a cycle', cycle, 'contains itself'],
    ['depth', deep, 'nests too deeply'],
    [
      'an unknown type',
      { type: 'object', properties: { a: { type: 'date' } } },
      '/properties/a/type" is "date"',
    ],
    [
      'a number as type',
      { type: 'object', properties: { 'a/b': { type: 3 } } },
      '/properties/a~1b/type',
    ],
  ])('%s', (_, schema, message) => {
    expect(refusal(schema)).toContain(message)
  })

  it('bombs from outside', () => {
    const wide = {
      type: 'object',
      properties: { a: { anyOf: Array.from({ length: 600 }, () => ({})) } },
    }
    expect(refusal(wide, 'external')).toMatch(/alternatives/)
    expect(refusal(wide)).toBe('accepted')
    expect(refusal({ type: 'object', description: 'x'.repeat(200_000) }, 'external')).toMatch(
      /larger than/,
    )
    let nested: object = {}
    for (let level = 0; level < 70; level += 1) nested = { not: nested }
    expect(refusal({ type: 'object', properties: { a: nested } }, 'external')).toMatch(/too deeply/)
  })
})

describe('what is repaired', () => {
  it.each([
    ['dict', {}, []],
    ['float', 1.5, 'x'],
    ['int', 1, 1.5],
    ['tuple', [], {}],
    ['list', [], {}],
    ['str', 'x', 1],
    ['bool', true, 'true'],
    ['OBJECT', {}, []],
  ])('type %s', (type, good, bad) => {
    expect(property({ type }, good as Json)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('/properties/v/type')],
    })
    expect(property({ type }, bad as Json).ok).toBe(false)
  })

  it('type any', () => {
    expect(property({ type: 'any' }, 1).ok).toBe(true)
    expect(property({ type: ['any', 'string'] }, 1).ok).toBe(true)
  })

  it.each([
    [{ type: 'string', nullable: true }],
    [{ type: 'string', enum: ['a'], nullable: true }],
    [{ const: 'a', nullable: true }],
    [{ anyOf: [{ type: 'string' }], nullable: true }],
    [{ allOf: [{ type: 'string' }], nullable: true, description: 'd' }],
  ])('nullable: %j', (schema) => {
    expect(property(schema, null).ok).toBe(true)
    expect(property(schema, 'a').ok).toBe(true)
    expect(property(schema, 5).ok).toBe(false)
    expect(property({ ...schema, nullable: false }, null).ok).toBe(false)
  })

  it('nullable beside $ref', () => {
    const compiled = compile({
      type: 'object',
      properties: { v: { $ref: '#/$defs/s', nullable: true } },
      $defs: { s: { type: 'string' } },
    })
    expect([null, 'x', 5].map((v) => compiled.check({ v }, { coerce: false }).ok)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('a metaschema reference takes any schema', () => {
    for (const $ref of [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      expect(property({ $ref }, { type: 'string' })).toMatchObject({
        ok: true,
        warnings: [expect.stringContaining('metaschema')],
      })
      expect(property({ $ref }, 5).ok).toBe(false)
    }
  })

  it.each([
    [{ required: true }],
    [{ required: 'a' }],
    [{ properties: null }],
    [{ properties: { a: null } }],
    [{ items: null }],
    [{ enum: 'x' }],
    [{ enum: [] }],
    [{ anyOf: [] }],
    [{ anyOf: {} }],
    [{ minimum: '1' }],
    [{ pattern: 5 }],
    [{ pattern: '(' }],
    [{ pattern: '(?i)a' }],
    [{ dependentRequired: { a: 'b' } }],
  ])('malformed, left out with a warning: %j', (schema) => {
    const { ok, warnings } = property(schema, { a: 1 })
    expect(ok).toBe(true)
    expect(warnings).toHaveLength(1)
  })

  it('formats named like inherited properties assert nothing', () => {
    for (const format of ['toString', '__proto__', 'hasOwnProperty', 5]) {
      expect(property({ type: 'string', format }, 'x').ok).toBe(true)
    }
  })

  it('the slow format url', () => {
    const started = performance.now()
    expect(property({ type: 'string', format: 'url' }, `http://${'a'.repeat(40)}`).ok).toBe(true)
    expect(property({ type: 'string', format: 'url' }, 'no url').ok).toBe(false)
    expect(performance.now() - started).toBeLessThan(100)
  })

  it.each([
    ['^[\\w\\-\\.]+\\-x$', 'a-b.c-x', 'a b'],
    ['^a\\_b$', 'a_b', 'ab'],
    ['^[\\w-.]+$', 'a-.', 'a b'],
    ['^\\@\\"$', '@"', '@'],
    ['\\Aab\\Z', 'ab', 'abc'],
    ['^(?P<y>\\d{4})$', '2026', '26'],
    ['^{a}]$', '{a}]', 'a'],
    ['^[]{a]\\-$', ']-', 'b-'],
  ])('pattern %s', (pattern, good, bad) => {
    const { ok, warnings } = property({ pattern }, good)
    expect(ok).toBe(true)
    expect(warnings).toEqual([expect.stringContaining('was rewritten')])
    expect(property({ pattern }, bad).ok).toBe(false)
  })

  it('picks the draft', () => {
    const tuple = { items: [{ type: 'string' }], additionalItems: false }
    expect(property(tuple, ['a']).ok).toBe(true)
    expect(property(tuple, ['a', 1]).ok).toBe(false)
    const beside = (more: object) =>
      compile({
        type: 'object',
        properties: { v: { $ref: '#/$defs/s', minLength: 3 } },
        $defs: { s: { type: 'string' } },
        ...more,
      }).check({ v: 'a' }).ok
    expect(beside({})).toBe(false)
    expect(beside({ $schema: 'http://json-schema.org/draft-07/schema#' })).toBe(true)
    expect(beside({ definitions: {} })).toBe(true)
  })

  it('follows $id, $anchor and $recursiveRef', () => {
    const compiled = compile({
      $id: 'https://example.com/root.json',
      type: 'object',
      properties: {
        a: { $ref: '#here' },
        b: { $ref: 'other.json' },
        c: { $ref: 'other.json#/$defs/deep' },
        d: { $ref: '#/$defs/o' },
      },
      $defs: {
        h: { $anchor: 'here', type: 'string' },
        o: { $id: 'other.json', type: 'integer', $defs: { deep: { type: 'boolean' } } },
      },
    })
    expect(compiled.check({ a: 's', b: 1, c: true, d: 2 }).ok).toBe(true)
    const checked = compiled.check({ a: [], b: 's', c: 's', d: 's' })
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.path)).toEqual([
      '/a',
      '/b',
      '/c',
      '/d',
    ])
    const recursive = compile({
      type: 'object',
      properties: { kid: { $recursiveRef: '#' } },
      additionalProperties: false,
    })
    expect(recursive.check({ kid: { kid: {} } }).ok).toBe(true)
    expect(recursive.check({ kid: { x: 1 } }).ok).toBe(false)
  })
})

describe('what could stall a validation', () => {
  it.each([
    '^(a+)+$',
    '(a*)*',
    '^(\\w+\\s?)*$',
    '(a|a)*b',
    '^(\\d|\\w)+$',
    '(.*a){12}x(.*)*',
    '^(([a-z])+.)+[A-Z]$',
    '(a|ab)+$',
    '((a{1,100}){1,100})!',
  ])('finds %s', (pattern) => {
    expect(costOf(pattern).exponential).toBe(true)
  })

  it.each([
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^(\\w+\\.)*x$',
    '^I?\\d+[:|-]\\d+(?:;\\d+[:|-]\\d+)*$',
    '^(?:\\d{4}|[A-Z]{2})+$',
    '^(png|svg|gif)+$',
    '^[(+*]+$',
    '^\\(a+\\)+$',
    '^(a+){2}$',
  ])('lets %s be', (pattern) => {
    expect(costOf(pattern).exponential).toBe(false)
  })

  it('bounds what an author’s pattern is tried on', () => {
    const schema = { type: 'string', pattern: '^\\d*\\w*\\d*$' }
    expect(property(schema, '1'.repeat(4000)).ok).toBe(true)
    const started = performance.now()
    expect(property(schema, `${'1'.repeat(100_000)}!`).ok).toBe(false)
    expect(property(schema, `${'1'.repeat(100_000)}!`, 'external').ok).toBe(true)
    expect(property({ pattern: '^a+$' }, 'a'.repeat(100_000)).ok).toBe(true)
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('leaves out long patterns from outside, and slow property patterns', () => {
    expect(property({ pattern: `^${'a'.repeat(1001)}$` }, 'b', 'external').ok).toBe(true)
    expect(property({ pattern: `^${'a'.repeat(1001)}$` }, 'b').ok).toBe(false)
    expect(
      property(
        { patternProperties: { '^(a+)+$': false } },
        { [`${'a'.repeat(40)}!`]: 1 },
        'external',
      ).warnings,
    ).toHaveLength(1)
    expect(property({ patternProperties: { 'x\\_': false } }, { x_: 1 }).ok).toBe(false)
  })

  it('compares the items of long arrays in linear time', () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ id, name: `n${id}` }))
    const schema = { type: 'array', uniqueItems: true }
    const started = performance.now()
    for (const count of [10, 201, 20_000]) {
      expect(property(schema, items(count)).ok).toBe(true)
      expect(property(schema, [...items(count), { name: 'n3', id: 3 }]).ok).toBe(false)
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('stops a schema that doubles its work at every level', () => {
    const twice = { properties: { x: { $ref: '#' } } }
    const compiled = compile({ type: 'object', allOf: [twice, twice] }, 'external')
    let args: JsonObject = {}
    for (let level = 0; level < 60; level += 1) args = { x: args }
    const started = performance.now()
    expect(compiled.check(args)).toMatchObject({
      ok: false,
      issues: [{ path: '', message: expect.stringContaining('too many steps') }],
    })
    expect(performance.now() - started).toBeLessThan(500)
    expect(compiled.check({ x: { x: {} } }).ok).toBe(true)
  })

  it('keeps a pattern that is fine as it is', () => {
    expect(unicodePattern('^[\\w.-]+$')).toBe('^[\\w.-]+$')
  })
})

describe('withDefaults', () => {
  it('fills in properties, through references and into what is there', () => {
    const compiled = compile({
      type: 'object',
      properties: {
        a: { type: 'integer', default: 1 },
        b: { type: 'object', properties: { c: { default: [1] } } },
        d: { type: 'object', properties: { e: { default: 2 } } },
        f: { $ref: '#/$defs/f' },
        g: { type: 'array', items: { properties: { h: { default: 3 } } } },
        u: { anyOf: [{ properties: { x: { default: 1 } } }] },
        n: { default: null },
      },
      allOf: [{ properties: { z: { default: 'z' } } }],
      $defs: { f: { type: 'string', default: 'f' } },
    })
    const args = { b: {}, g: [{}, { h: 4 }], u: {} }
    const before = structuredClone(args)
    expect(compiled.withDefaults(args)).toEqual({
      a: 1,
      b: { c: [1] },
      f: 'f',
      g: [{ h: 3 }, { h: 4 }],
      u: {},
      n: null,
      z: 'z',
    })
    expect(args).toEqual(before)
    const whole = { a: 2, b: { c: [] }, d: { e: 1 }, f: 'g', g: [], n: 1, z: '' }
    expect(compiled.withDefaults(whole)).toBe(whole)
  })
})
