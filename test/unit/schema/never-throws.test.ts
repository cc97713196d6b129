import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDispatchError } from '../../../src/errors.ts'
import type { JsonObject } from '../../../src/round.ts'
import { cfworkerValidator } from '../../../src/schema/cfworker.ts'
import { formatIssues } from '../../../src/schema/issues.ts'
import type { JsonSchema } from '../../../src/tools/tool.ts'

const validator = cfworkerValidator()
const keys = fc.constantFrom('a', 'b', 'a/b', 'c%d~', 'é', 'toString', '$ref')
const scalars = fc.constantFrom(
  null,
  true,
  0,
  1,
  -1.5,
  '1',
  'true',
  'null',
  '[1]',
  '{"a":1}',
  'A',
  '',
)

/** Right, odd and wrong schemas alike. */
const { schema } = fc.letrec<{ schema: unknown; node: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(true, false, {}, null, 5),
    tie('node'),
  ),
  node: fc.record(
    {
      type: fc.constantFrom<unknown>(
        'object',
        'array',
        'string',
        'integer',
        ['null', 'number'],
        'dict',
        'what',
        5,
        [],
      ),
      properties: fc.oneof(fc.dictionary(keys, tie('schema')), fc.constant(3)),
      required: fc.oneof(fc.array(keys), fc.constant(true)),
      additionalProperties: tie('schema'),
      items: fc.oneof(tie('schema'), fc.array(tie('schema'))),
      anyOf: fc.array(tie('schema'), { maxLength: 3 }),
      oneOf: fc.array(tie('schema'), { maxLength: 3 }),
      allOf: fc.array(tie('schema'), { maxLength: 3 }),
      not: tie('schema'),
      if: tie('schema'),
      else: tie('schema'),
      enum: fc.array(scalars),
      const: scalars,
      $ref: fc.constantFrom<unknown>('#', '#/properties/a', '#/$defs/x', '#x', '%', 4),
      pattern: fc.oneof(fc.string(), fc.constantFrom('^(a+)+$', '\\_', '[', '(?i)x')),
      format: fc.constantFrom('date', 'uuid', 'toString', 'int32'),
      minimum: fc.oneof(fc.integer(), fc.constant('1')),
      exclusiveMinimum: fc.oneof(fc.boolean(), fc.integer()),
      uniqueItems: fc.boolean(),
      nullable: fc.boolean(),
      default: scalars,
      propertyNames: tie('schema'),
      unevaluatedProperties: tie('schema'),
      dependencies: fc.dictionary(keys, fc.oneof(tie('schema'), fc.array(keys))),
    },
    { requiredKeys: [] },
  ),
}))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value')),
  ),
}))

describe('whatever the schema and the arguments are', () => {
  it('compile throws only its own error, check and withDefaults never throw nor change anything', () => {
    let compiledSome = 0
    fc.assert(
      fc.property(schema, fc.dictionary(keys, value), fc.boolean(), (given, args, external) => {
        const before = structuredClone(args)
        let compiled: ReturnType<typeof validator.compile>
        try {
          compiled = validator.compile(given as JsonSchema, external ? 'external' : 'author')
        } catch (error) {
          expect(isDispatchError(error)).toBe(true)
          return
        }
        compiledSome += 1
        const checked = compiled.check(args as JsonObject)
        compiled.withDefaults(args as JsonObject)
        expect(args).toEqual(before)
        if (checked.ok) {
          expect(compiled.check(checked.args, { coerce: false })).toMatchObject({ ok: true })
        } else {
          expect(checked.issues.length).toBeGreaterThan(0)
          expect(formatIssues('t', checked.issues).length).toBeLessThanOrEqual(600)
          expect(checked.issues.map(({ message }) => message).join()).not.toContain(
            'could not be checked',
          )
        }
      }),
      { numRuns: Number(process.env.THREEPASS_FUZZ_RUNS ?? 300) },
    )
    expect(compiledSome).toBeGreaterThan(50)
  })

  it('arguments that are no JSON give an issue', () => {
    const compiled = validator.compile(
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
      'author',
    )
    const cycle: Record<string, unknown> = {}
    cycle.a = cycle
    cycle.b = cycle
    for (const args of [
      cycle,
      { a: undefined },
      { a: 1n },
      { '\ud800': 1 },
      null,
      undefined,
      5,
      [],
    ]) {
      expect(compiled.check(args as unknown as JsonObject).ok).toBe(false)
    }
  })
})
