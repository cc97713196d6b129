import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireNames } from '../../../src/providers/index.ts'
import { dataTools } from '../../support/data.ts'

const legal = /^[A-Za-z0-9_-]{1,64}$/

describe('wireNames', () => {
  it('keeps three names apart that clean up alike, in any order (P22)', () => {
    const names = ['srv.read-file', 'srv.read_file', 'srv/read_file']
    const table = wireNames(names)
    const wires = names.map(table.toWire)
    expect(new Set(wires).size).toBe(3)
    for (const wire of wires) expect(wire).toMatch(/^srv_read[-_]file_[a-z0-9]{7}$/)
    expect(wires.map(table.fromWire)).toEqual(names)
    const reversed = wireNames([...names].reverse())
    expect(names.map(reversed.toWire)).toEqual(wires)
    expect(names.map((name) => wireNames([name]).toWire(name))).toEqual(wires)
  })

  it('never takes a name that is registered as it stands (P22)', () => {
    const taken = wireNames(['a.b']).toWire('a.b')
    for (const names of [
      ['a.b', taken],
      [taken, 'a.b'],
    ]) {
      const table = wireNames(names)
      expect(table.toWire(taken)).toBe(taken)
      expect(table.fromWire(taken)).toBe(taken)
      expect(table.fromWire(table.toWire('a.b'))).toBe('a.b')
    }
  })

  it('settles equal hashes the same way in any order (P22)', () => {
    const names = ['////.////.///.///...', '...///./.../...///..']
    const table = wireNames(names)
    expect(new Set(names.map((name) => wireNames([name]).toWire(name))).size).toBe(1)
    expect(new Set(names.map(table.toWire)).size).toBe(2)
    expect(names.map(wireNames([...names].reverse()).toWire)).toEqual(names.map(table.toWire))
  })

  it('cuts long names, and knows only what is in the table (P22)', () => {
    const long = ['x'.repeat(65), `${'x'.repeat(65)}y`]
    const table = wireNames(long)
    expect(new Set(long.map(table.toWire)).size).toBe(2)
    for (const name of long) expect(table.toWire(name)).toMatch(legal)
    expect(table.toWire('plain')).toBe('plain')
    expect(table.toWire('a b')).toMatch(legal)
    expect(table.fromWire('plain')).toBeUndefined()
    expect(table.fromWire('__proto__')).toBeUndefined()
  })

  it('gives legal, unique, reversible names for whatever comes (P22)', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 80 })), (names) => {
        const table = wireNames(names)
        const wires = names.map(table.toWire)
        expect(wires.every((wire) => legal.test(wire))).toBe(true)
        expect(wires.map(table.fromWire)).toEqual(names)
      }),
    )
  })

  it('gives every catalogue tool a name of its own (P22)', () => {
    const names = dataTools().map(({ name }) => name)
    const table = wireNames(names)
    const wires = names.map(table.toWire)
    expect(wires.filter((wire) => !legal.test(wire))).toEqual([])
    expect(new Set(wires).size).toBe(names.length)
    expect(wires.map(table.fromWire)).toEqual(names)
  })
})
