import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callKey, canonicalJson } from '../../../src/dedupe/call-key.ts'
import { readArguments } from '../../../src/preflight/arguments.ts'
import type { JsonObject } from '../../../src/round.ts'

const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '10', '9', '1e3', 'é', '\u20ac', '😀'))
const simple = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean())
const flat = fc.dictionary(name, fc.option(simple), { maxKeys: 8 }).map((each) => ({ ...each }))
const representable = (value: JsonObject) =>
  !Object.values(value).some(
    (each) => Object.is(each, -0) || (typeof each === 'number' && !Number.isFinite(each)),
  )

describe('the canonical text of flat arguments, which takes a shorter way', () => {
  it("is the library's, to the byte [p1.canonical]", () => {
    fc.assert(
      fc.property(flat.filter(representable), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
    )
  })

  it('does not depend on the order of keys, and keeps minus zero apart [p1.canonical]', () => {
    const key = (args: JsonObject) => callKey('t', args)
    expect(key({ b: 1, a: 'x', 10: true, 9: null })).toBe(key({ 9: null, a: 'x', 10: true, b: 1 }))
    expect(key({ a: -0 })).not.toBe(key({ a: 0 }))
    const hidden = JSON.parse('{"__proto__":1,"a":2}') as JsonObject
    expect(key(hidden)).not.toBe(key({ a: 2 }))
  })
})

it('arguments that are taken as they were parsed still lose lone surrogates, in names too', async () => {
  const read = (text: string) => readArguments(text, { cut: false, maxBytes: 1_000, maxDepth: 8 })
  expect(await read('{"a":"x\\ud800y","b":"\\ud83d\\ude00"}')).toMatchObject({
    args: { a: 'x\ufffdy', b: '😀' },
  })
  expect(await read('{"a":{"\\udc00b":1}}')).toMatchObject({ args: { a: { '\ufffdb': 1 } } })
})
