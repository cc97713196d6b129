/**
 * Gate 6: a name without a handler never runs anything.
 * @module
 */
import { diceCoefficient } from 'dice-coefficient'
import { findToolsName } from '../tools/registry.ts'
import { answer, type Gate, pass } from './gate.ts'

/** How alike two names must be to be worth a hint (0 to 1). */
const nearEnough = 0.5
const mostHints = 3
const mostHinted = 50

export const exists: Gate = (call, context) => {
  if (call.registered) return pass
  // Hints for the first few only: a round of a thousand wrong names must not compare them all.
  const near = call.index < mostHinted ? nearestNames(call.name, context.registry.keys()) : []
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  const look = context.exposure === 'full' ? '' : ` Look tools up with ${findToolsName}.`
  return answer({
    outcome: 'unknown',
    code: 'unknown-tool',
    content: `There is no tool named "${printable(call.name)}", so nothing ran.${hint}${look}`,
  })
}

/** At most three registered names that are really alike, best first; none when nothing is close. */
export function nearestNames(name: string, names: Iterable<string>): string[] {
  const wanted = letters(name.slice(0, 256))
  if (wanted === '') return []
  const scored: { name: string; score: number }[] = []
  for (const each of names) {
    const score = likeness(wanted, letters(each))
    if (score >= nearEnough) scored.push({ name: each, score })
  }
  scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
  return scored.slice(0, mostHints).map((each) => each.name)
}

function likeness(wanted: string, candidate: string): number {
  // A bare name of a qualified tool (`send_email` of `mcp__crm__send_email`) is as near as can be.
  if (candidate.endsWith(wanted) && wanted.length >= 4) return 0.99
  return diceCoefficient(wanted, candidate)
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return name.slice(0, 100).replace(/[\u0000-\u001f\u007f]/g, ' ')
}
