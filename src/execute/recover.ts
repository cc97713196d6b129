/**
 * A round that a crash broke off: what its journal knows is not run again.
 * @module
 */
import { interruptedText } from '../preflight/begun.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { ExecuteContext } from './execute.ts'
import { didNotRun, type Ran } from './run-tool-call.ts'

/**
 * An ended call gives its recorded result; a started one that may have had a side effect is
 * `interrupted`. Read-only and idempotent calls are simply run again (`undefined`).
 */
export function fromJournal(call: ReadyCall, context: ExecuteContext): Ran | undefined {
  const entry = context.journaled.get(call.id)
  if (!entry) return undefined
  const tick = context.tick()
  if (entry.result) {
    const { outcome, code, content, value, media, startedAt, endedAt } = entry.result
    return {
      ...didNotRun(call, outcome, code, content, tick),
      ran: true,
      ...(value !== undefined && { value }),
      ...(media && { media }),
      ...(startedAt !== undefined && { startedAt }),
      ...(endedAt !== undefined && { endedAt }),
    }
  }
  const { readOnly, remote, idempotent } = call.registered.tool
  // A local call that only reads leaves no entry: what began was a write, whatever the tool says now.
  if (readOnly && remote) return undefined
  // Edited arguments that no longer fit the tool cannot be the ones that run again.
  if (idempotent && call.edited === (entry.edited !== undefined)) return undefined
  const text = interruptedText(call.name)
  return { ...didNotRun(call, 'interrupted', 'interrupted', text, tick), ran: true }
}
