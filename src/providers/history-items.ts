/**
 * Histories whose results are messages or items of their own: OpenAI's.
 * @module
 */
import type { JsonObject } from '../round.ts'
import { type Answered, type Called, type Slot, slotsOf } from './history-match.ts'

export interface ItemFormat {
  readonly callsOf: (item: JsonObject) => Called[]
  readonly answerOf: (item: JsonObject) => Answered | undefined
  /** True when the calls before and behind these items are answered together, behind the last. */
  readonly together: (between: readonly JsonObject[]) => boolean
  /** The item with its calls under the slots' ids; the item itself when nothing has to change. */
  readonly withCalls: (item: JsonObject, slots: readonly Slot[]) => JsonObject
  /** The result's item, one that says "interrupted" when the slot has none. */
  readonly withAnswer: (slot: Slot) => JsonObject
}

export function repairItems(items: readonly JsonObject[], format: ItemFormat): JsonObject[] {
  const units = unitsOf(items, format)
  const slots = slotsOf(
    units.map((unit) => ({
      calls: unit.flatMap(format.callsOf),
      answers: unit.flatMap((block) => {
        const answer = format.answerOf(block)
        return answer ? [{ ...answer, block }] : []
      }),
    })),
    'message',
  )
  return units.flatMap((unit, index) => {
    const own = slots[index] ?? []
    let at = 0
    const rest = unit.flatMap((item) => {
      if (format.answerOf(item)) return []
      const from = at
      at += format.callsOf(item).length
      return [at === from ? item : format.withCalls(item, own.slice(from, at))]
    })
    return [...rest, ...own.map(format.withAnswer)]
  })
}

/** Runs of items whose calls are answered together; any other item stands alone. */
function unitsOf(items: readonly JsonObject[], { callsOf, together }: ItemFormat): JsonObject[][] {
  const units: JsonObject[][] = []
  let since: JsonObject[] = []
  for (const item of items) {
    if (callsOf(item).length === 0) {
      since.push(item)
      continue
    }
    const unit = units.at(-1)
    if (unit && together(since)) unit.push(...since, item)
    else units.push(...since.map((each) => [each]), [item])
    since = []
  }
  return [...units, ...since.map((each) => [each])]
}
