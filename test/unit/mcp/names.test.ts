import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prefixOf, toolNames } from '../../../src/mcp/names.ts'

const legal = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

describe('the prefix of a server', () => {
  it.each([
    ['github', 'mcp__github__'],
    ['my-server_2', 'mcp__my-server_2__'],
  ])('%s stays as it is', (server, prefix) => {
    expect(prefixOf(server)).toBe(prefix)
  })

  it.each(['my.server', 'my server', 'a__b', '_a', 'a_', 'é', '…', 'x'.repeat(25)])(
    'of %s is clean and carries a hash',
    (server) => {
      expect(prefixOf(server)).toMatch(/^mcp__(?:[A-Za-z0-9_-]{1,24}-)?[a-z0-9]{7}__$/)
    },
  )

  it('is no other one, nor the beginning of another', () => {
    const servers = [
      'a',
      'a_',
      '_a',
      'a__b',
      'a_b',
      'a.b',
      'a b',
      'A',
      'x'.repeat(24),
      'x'.repeat(25),
    ]
    const prefixes = servers.map(prefixOf)
    for (const [at, one] of prefixes.entries()) {
      for (const other of prefixes.slice(at + 1)) {
        expect(one.startsWith(other) || other.startsWith(one), `${one} ${other}`).toBe(false)
      }
    }
  })
})

describe('the names of tools', () => {
  const named = (...tools: string[]) => Object.fromEntries(toolNames('mcp__s__', tools))

  it('stay as they are where they are legal, and are cleaned where that leaves them apart', () => {
    expect(named('read_file', 'a.b', 'Größe')).toEqual({
      read_file: 'mcp__s__read_file',
      'a.b': 'mcp__s__a_b',
      Größe: 'mcp__s__Gr__e',
    })
  })

  it('get a hash where they would fall together, and the legal one keeps its name', () => {
    const all = named('a.b', 'a_b', 'a b')
    expect(all.a_b).toBe('mcp__s__a_b')
    expect(all['a.b']).toMatch(/^mcp__s__a_b_[a-z0-9]{7}$/)
    expect(all['a b']).toMatch(/^mcp__s__a_b_[a-z0-9]{7}$/)
    expect(new Set(Object.values(all)).size).toBe(3)
  })

  it('get a hash where they are too long', () => {
    const long = 'x'.repeat(70)
    const all = named(`${long}1`, `${long}2`)
    for (const name of Object.values(all)) expect(name).toHaveLength(64)
    expect(new Set(Object.values(all)).size).toBe(2)
  })

  it('are legal, apart from one another, and the same in any order', () => {
    const tool = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '.', '_', ' ', 'é'), maxLength: 4 }),
      fc.string({ maxLength: 80 }),
    )
    const servers = fc.string({ minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(servers, fc.uniqueArray(tool), (server, tools) => {
        const names = toolNames(prefixOf(server), tools)
        expect(names.size).toBe(tools.length)
        expect(new Set(names.values()).size).toBe(tools.length)
        for (const name of names.values()) expect(name).toMatch(legal)
        const again = toolNames(prefixOf(server), [...tools].reverse())
        expect([...again].sort()).toEqual([...names].sort())
      }),
    )
  })
})
