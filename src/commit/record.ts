/**
 * Lands calls as results: pure, what pass 1 and pass 2 said in, one bounded `ToolResult` a call out.
 * @module
 */

import type { Ran } from '../execute/run-tool-call.ts'
import { boundText, byteLength, shareBytes, wellFormed } from '../execute/text.ts'
import type { Answer, Call } from '../preflight/gate.ts'
import type { Checked } from '../preflight/preflight.ts'
import type { Outcome, ToolResult } from '../round.ts'

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

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Built field by field: this runs for every call, and conditional spreads cost more than the rest of it. */
function resultFor(
  call: Readonly<Call>,
  outcome: Outcome,
  code: string,
  content: string,
): Writable<ToolResult> {
  const { id, wireId, name, repaired, checked } = call
  const result: Writable<ToolResult> = { callId: id, name, outcome, code, content }
  if (wireId !== id) result.originalId = wireId ?? null
  if (repaired.length > 0) result.repaired = repaired
  if (checked?.ok) {
    if (checked.coerced.length > 0) result.coerced = checked.coerced
    if (call.edited) result.editedArguments = checked.args
  }
  return result
}

function fromAnswer(
  call: Readonly<Call>,
  { outcome, code, content, earlier, recorded }: Answer,
): ToolResult {
  if (recorded) return recorded
  const result = resultFor(call, outcome, code, content)
  return earlier ? sharing(result, earlier) : result
}

/** An equal call of the round: an answer is a `duplicate`, anything else is the same for both. */
function fromSeat(call: Readonly<Call>, first: ToolResult | undefined): ToolResult {
  if (!first) return lost(call)
  const answered = first.outcome === 'completed' || first.outcome === 'cached'
  const outcome = answered ? 'duplicate' : first.outcome
  return sharing(
    resultFor(call, outcome, answered ? 'duplicate' : first.code, first.content),
    first,
  )
}

function sharing(result: Writable<ToolResult>, earlier: ToolResult): ToolResult {
  result.duplicateOf = earlier.callId
  if (earlier.value !== undefined) result.value = earlier.value
  if (earlier.media) result.media = earlier.media
  return result
}

/** A run call as a result, its text whole. */
export function fromRan(ran: Ran): ToolResult {
  const { call, text, value, media, startedAt, endedAt, ageMs } = ran
  const edited = call.edited
    ? `[A person changed the arguments before approving; these ran: ${JSON.stringify(call.checked.args)}]\n`
    : ''
  const result = resultFor(call, ran.outcome, ran.code, edited + text)
  if (value !== undefined && text.length <= mostValueBytes) result.value = value
  if (media) result.media = media
  if (ageMs !== undefined) result.ageMs = ageMs
  if (startedAt !== undefined) result.startedAt = startedAt
  if (endedAt !== undefined) result.endedAt = endedAt
  return result
}

/** Cannot happen; if it did, the provider must still not see a dangling call. */
function lost(call: Readonly<Call>): ToolResult {
  const content = `${call.name} has no result: please report this. It may have run.`
  return resultFor(call, 'interrupted', 'lost', content)
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
  const { content, value, callId } = result
  // The whole text stays for the UI, for other tools and for reading on, unless it is monstrous.
  const kept = value !== undefined || content.length <= mostValueBytes
  const { text, truncated } = boundText(content, maxBytes, kept ? bounds.readOn(callId) : '')
  if (!truncated) return result
  const cut = { ...result, content: text, truncated }
  return kept && value === undefined ? { ...cut, value: wellFormed(content) } : cut
}
