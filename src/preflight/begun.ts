/**
 * A call that had begun before a crash: what its journal knows comes before anything that a gate could say
 * now. Its tool may be another one since, or gone.
 * @module
 */
import type { JournalEntry } from '../run-state/run-state.ts'
import type { Answer, Call } from './gate.ts'

/** By call id; the `ended` entry of a call does not repeat what its `started` entry says. */
export function begunCalls(journal: readonly JournalEntry[]): Map<string, JournalEntry> {
  const begun = new Map<string, JournalEntry>()
  for (const entry of journal) {
    const { edited } = begun.get(entry.callId) ?? {}
    begun.set(entry.callId, { ...(edited && { edited }), ...entry })
  }
  return begun
}

/** The recorded result, or that nobody can tell whether it happened. */
export function whatBegan({ name }: Readonly<Call>, { result }: JournalEntry): Answer {
  if (result) {
    const { outcome, code, content } = result
    return { outcome, code, content, recorded: result }
  }
  return { outcome: 'interrupted', code: 'interrupted', content: interruptedText(name) }
}

export function interruptedText(name: string): string {
  return `${name} was started, then the process ended before its answer was recorded. It may have happened: check before you repeat it.`
}
