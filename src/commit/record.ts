/**
 * Lands calls as results: pure, what pass 1 and pass 2 said in, one bounded `ToolResult` a call out.
 * @module
 */

import type { Ran } from '../execute/run-tool-call.ts'
import { boundText, byteLength, shareBytes, wellFormed } from '../execute/text.ts'
import type { Answer, Call } from '../preflight/gate.ts'
import type { Checked } from '../preflight/preflight.ts'
import type { ToolResult } from '../round.ts'

/** Structured values whose JSON is longer than this are not kept on the result. */
const mostValueBytes = 4_194_304

export interface Bounds {
  /** UTF-8 bytes of one result's text, unless its tool says another. */
  readonly maxResultBytes: number
  /** UTF-8 bytes of all texts of a round together. */
  readonly maxRoundBytes: number
  /** How the model gets the rest of a cut text; `''` when it cannot. */
  readonly readOn: (callId: string) => string
}

/** A result before its text is bounded. */
interface Landed {
  readonly result: ToolResult
  readonly maxBytes: number
}

/** One result a call, in call order. */
export function land(
  checked: readonly Checked[],
  ranById: ReadonlyMap<string, Ran>,
  bounds: Bounds,
): ToolResult[] {
  const byId = new Map<string, ToolResult>()
  const landed = checked.map((each): Landed => {
    const result = landOne(each, ranById, byId)
    byId.set(result.callId, result)
    const own = each.call.registered?.tool.maxResultBytes
    return { result, maxBytes: own ?? bounds.maxResultBytes }
  })
  return bound(landed, bounds)
}

function landOne(
  each: Checked,
  ranById: ReadonlyMap<string, Ran>,
  byId: ReadonlyMap<string, ToolResult>,
): ToolResult {
  if (each.kind === 'answered') return fromAnswer(each.call, each.answer)
  if (each.kind === 'seat') return fromSeat(each.call, byId.get(each.behind))
  const ran = ranById.get(each.call.id)
  return ran ? fromRan(ran) : lost(each.call)
}

function head(call: Call): Pick<ToolResult, 'callId' | 'name'> & Partial<ToolResult> {
  const { checked } = call
  return {
    callId: call.id,
    ...(call.wireId !== undefined && call.wireId !== call.id && { originalId: call.wireId }),
    name: call.name,
    ...(call.repaired.length > 0 && { repaired: call.repaired }),
    ...(checked?.ok && checked.coerced.length > 0 && { coerced: checked.coerced }),
    ...(call.edited && checked?.ok && { editedArguments: checked.args }),
  }
}

function fromAnswer(call: Call, { outcome, code, content, earlier }: Answer): ToolResult {
  return {
    ...head(call),
    outcome,
    code,
    content,
    ...(earlier && {
      duplicateOf: earlier.callId,
      ...(earlier.value !== undefined && { value: earlier.value }),
      ...(earlier.media && { media: earlier.media }),
    }),
  }
}

/** An equal call of the round: an answer is a `duplicate`, anything else is the same for both. */
function fromSeat(call: Call, first: ToolResult | undefined): ToolResult {
  if (!first) return lost(call)
  const answered = first.outcome === 'completed' || first.outcome === 'cached'
  return {
    ...head(call),
    outcome: answered ? 'duplicate' : first.outcome,
    code: answered ? 'duplicate' : first.code,
    content: first.content,
    duplicateOf: first.callId,
    ...(first.value !== undefined && { value: first.value }),
    ...(first.media && { media: first.media }),
  }
}

/** A run call as a result, its text whole. */
export function fromRan(ran: Ran): ToolResult {
  const { call, outcome, code, text, value, media, startedAt, endedAt, ageMs } = ran
  const edited = call.edited
    ? `[A person changed the arguments before approving; these ran: ${JSON.stringify(call.checked.args)}]\n`
    : ''
  return {
    ...head(call),
    outcome,
    code,
    content: edited + text,
    ...(value !== undefined && text.length <= mostValueBytes && { value }),
    ...(media && { media }),
    ...(ageMs !== undefined && { ageMs }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
  }
}

/** Cannot happen; if it did, the provider must still not see a dangling call. */
function lost(call: Call): ToolResult {
  const content = `${call.name} has no result: please report this. It may have run.`
  return { ...head(call), outcome: 'interrupted', code: 'lost', content }
}

function bound(landed: readonly Landed[], bounds: Bounds): ToolResult[] {
  const units = landed.reduce((sum, { result }) => sum + result.content.length, 0)
  const shares =
    units * 3 <= bounds.maxRoundBytes
      ? undefined
      : shareBytes(
          landed.map(({ result, maxBytes }) => Math.min(byteLength(result.content), maxBytes)),
          bounds.maxRoundBytes,
        )
  return landed.map(({ result, maxBytes }, index) =>
    cut(result, Math.min(maxBytes, shares?.[index] ?? maxBytes), bounds),
  )
}

function cut(result: ToolResult, maxBytes: number, bounds: Bounds): ToolResult {
  const { content } = result
  const { text, truncated } = boundText(content, maxBytes, bounds.readOn(result.callId))
  if (!truncated) return result.value === undefined ? result : { ...result, content: text }
  // The whole text stays for the UI, for other tools and for reading on.
  const whole = result.value === undefined && content.length <= mostValueBytes
  return {
    ...result,
    content: text,
    truncated,
    ...(whole && { value: wellFormed(content) }),
  }
}
