/**
 * Histories whose calls and results are blocks inside messages: Anthropic, Gemini, Bedrock.
 * @module
 */
import type { JsonObject } from '../round.ts'
import { type Answered, type Called, type Slot, slotsOf, type Unique } from './history-match.ts'
import { objects } from './provider.ts'

export interface BlockFormat {
  /** The member that holds the blocks. */
  readonly content: 'content' | 'parts'
  readonly assistant: 'assistant' | 'model'
  /** Whose message the results are. */
  readonly results: 'user' | 'tool'
  /** What the user says after results goes into the same message, behind them. */
  readonly merges: boolean
  readonly unique: Unique
  readonly textBlock: (text: string) => JsonObject
  readonly callOf: (block: JsonObject) => Called | undefined
  readonly answerOf: (block: JsonObject) => Answered | undefined
  /** The call's block under the slot's id; the block itself when nothing has to change. */
  readonly withCall: (block: JsonObject, slot: Slot) => JsonObject
  /** The result's block, one that says "interrupted" when the slot has none. */
  readonly withAnswer: (slot: Slot) => JsonObject
}

interface Turn {
  readonly message: JsonObject
  readonly blocks: readonly JsonObject[]
  /** The blocks are no longer the message's own. */
  readonly changed: boolean
}

export function repairBlocks(messages: readonly JsonObject[], format: BlockFormat): JsonObject[] {
  const turns: Turn[] = []
  const isModel = ({ message }: Turn) => message.role === format.assistant
  // The calls of one answer may lie in several messages; their results follow the last.
  for (const message of messages) append(turns, turnOf(message, format), isModel)
  const slots = slotsOf(
    turns.map((turn) => groupOf(turn, isModel(turn), format)),
    format.unique,
  )
  const joins = (turn: Turn) => isModel(turn) || (format.merges && turn.message.role === 'user')
  const repaired: Turn[] = []
  turns.forEach((turn, index) => {
    const own = slots[index] ?? []
    const rest = isModel(turn) ? callsIn(turn, own, format) : withoutAnswers(turn, format)
    if (rest) append(repaired, rest, joins)
    if (own.length === 0) return
    append(
      repaired,
      { message: { role: format.results }, blocks: own.map(format.withAnswer), changed: true },
      joins,
    )
  })
  return repaired.map(({ message, blocks, changed }) =>
    changed ? { ...message, [format.content]: [...blocks] } : message,
  )
}

function turnOf(message: JsonObject, { content, textBlock }: BlockFormat): Turn {
  const held = message[content]
  const text = typeof held === 'string' && held !== '' ? [textBlock(held)] : []
  return { message, blocks: Array.isArray(held) ? objects(held) : text, changed: false }
}

/** Puts a turn behind the others, into the last one where both may be one. */
function append(turns: Turn[], turn: Turn, joins: (turn: Turn) => boolean): void {
  const last = turns.at(-1)
  if (!last || last.message.role !== turn.message.role || !joins(turn)) {
    turns.push(turn)
    return
  }
  const blocks = [...last.blocks, ...turn.blocks]
  turns[turns.length - 1] = { message: { ...turn.message, ...last.message }, blocks, changed: true }
}

function groupOf(
  { blocks }: Turn,
  isModel: boolean,
  { callOf, answerOf }: BlockFormat,
): Parameters<typeof slotsOf>[0][number] {
  if (isModel) return { calls: blocks.flatMap((block) => callOf(block) ?? []), answers: [] }
  const answers = blocks.flatMap((block) => {
    const answer = answerOf(block)
    return answer ? [{ ...answer, block }] : []
  })
  return { calls: [], answers }
}

function callsIn(turn: Turn, slots: readonly Slot[], { callOf, withCall }: BlockFormat): Turn {
  let at = 0
  const blocks = turn.blocks.map((block) => {
    if (!callOf(block)) return block
    const slot = slots[at]
    at += 1
    return slot ? withCall(block, slot) : block
  })
  const same = blocks.every((block, index) => block === turn.blocks[index])
  return same ? turn : { ...turn, blocks, changed: true }
}

/** What else the user said; nothing when the message only carried results. */
function withoutAnswers(turn: Turn, { answerOf }: BlockFormat): Turn | undefined {
  const blocks = turn.blocks.filter((block) => !answerOf(block))
  if (blocks.length === turn.blocks.length) return turn
  return blocks.length === 0 ? undefined : { ...turn, blocks, changed: true }
}
