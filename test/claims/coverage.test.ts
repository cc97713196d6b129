import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claims } from './claims.ts'

const root = join(import.meta.dirname, '..')

/** Claim ids that test titles and stories cite, with the files that cite them. */
function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>()
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  for (const file of files) {
    for (const id of citedBy(file)) cited.set(id, [...(cited.get(id) ?? []), file])
  }
  return cited
}

function citedBy(file: string): string[] {
  if (file.startsWith('rounds') && file.endsWith('.json')) {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).proves ?? []
  }
  if (!/\.test\.ts$/.test(file) && !file.startsWith('contracts')) return []
  if (!file.endsWith('.ts')) return []
  const text = readFileSync(join(root, file), 'utf8')
  // Titles only: a claim named in a comment or an unused string proves nothing.
  const titles = [
    ...text.matchAll(/\b(?:it|test)(?:\.each\([^`]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g),
  ]
  return titles.flatMap((title) =>
    [...(title[2] ?? '').matchAll(/\[([\w.-]+)\]/g)].map((id) => id[1] ?? ''),
  )
}

describe('every claim is proven', () => {
  const cited = citations()

  it('has unique ids', () => {
    expect(new Set(claims.map((claim) => claim.id)).size).toBe(claims.length)
  })

  for (const { id, says, pending } of claims) {
    if (pending) {
      it(`${id} is not cited while it is pending (${pending})`, () => {
        expect(cited.get(id) ?? []).toEqual([])
      })
    } else {
      it(`${id}: ${says}`, () => {
        expect(cited.get(id) ?? []).not.toEqual([])
      })
    }
  }

  it('cites no claim that does not exist', () => {
    const known = new Set(claims.map((claim) => claim.id))
    expect([...cited.keys()].filter((id) => !known.has(id))).toEqual([])
  })
})
