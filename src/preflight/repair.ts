/**
 * What rare argument texts need, loaded when one comes: repairs, as far as no value has to be
 * guessed, and numbers that a double cannot hold.
 * @module
 */
import { wellFormed } from '../execute/text.ts'
import { isInexact } from './json.ts'
import { scanText } from './truncation.ts'

export type Repaired =
  | { readonly kind: 'repaired'; readonly text: string; readonly slips: readonly string[] }
  | { readonly kind: 'cut' }
  | { readonly kind: 'not-finite' }
  | { readonly kind: 'broken'; readonly problem: string }

/** Judges first, so that the library is only given text whose values are certain. */
export async function repairText(text: string): Promise<Repaired> {
  const scan = scanText(text)
  if (scan.kind !== 'slips') return scan
  const { jsonrepair } = await import('jsonrepair')
  try {
    return { kind: 'repaired', text: jsonrepair(scan.text), slips: scan.slips }
  } catch (error) {
    return { kind: 'broken', problem: String(error).slice(0, 100) }
  }
}

class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Reads valid JSON text, keeping numbers that a double cannot hold as texts, and says where they are.
 * The text must not nest deeper than the stack: check that first.
 */
export async function parseExact(
  text: string,
): Promise<{ value: unknown; inexact: ReadonlySet<string> }> {
  const { parse } = await import('lossless-json')
  const inexact = new Set<string>()
  const parsed = parse(text, null, {
    parseNumber: (digits) => (isInexact(digits) ? new Digits(digits) : Number(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  })
  const settle = (value: unknown, path: string): unknown => {
    if (value instanceof Digits) {
      inexact.add(path)
      return value.text
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item, index) => settle(item, `${path}/${index}`))
    const object: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) {
      // Assigning to it would set the prototype.
      if (key === '__proto__') continue
      const name = wellFormed(key)
      object[name] = settle(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
    return object
  }
  return { value: settle(parsed, ''), inexact }
}
