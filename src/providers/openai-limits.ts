/**
 * OpenAI's limits on the size of a strict schema.
 *
 * https://platform.openai.com/docs/guides/structured-outputs: 100 object properties, 5 levels of nesting, 500 enum
 * members, 15,000 characters of names and members, and 7,500 in one enum of over 250 members. Newer models take
 * more; the older figures hold for all.
 * @module
 */
import { isObject } from '../schema/pointer.ts'

export const limits = {
  properties: 100,
  levels: 5,
  members: 500,
  characters: 15_000,
  manyMembers: 250,
  charactersOfMany: 7_500,
} as const

/** True when a strict schema (as written by `openAIStrictSchema`) may be sent. */
export function withinLimits(schema: unknown): boolean {
  const total = { properties: 0, members: 0, characters: 0, fits: true }
  const visit = (node: unknown, level: number): void => {
    if (!isObject(node)) return
    const inside = level + (isObject(node.properties) ? 1 : 0)
    if (inside > limits.levels) total.fits = false
    if (Array.isArray(node.enum)) countEnum(node.enum, total)
    for (const map of [node.properties, node.$defs]) {
      for (const [name, member] of Object.entries(isObject(map) ? map : {})) {
        total.characters += name.length
        if (map === node.properties) total.properties += 1
        visit(member, map === node.properties ? inside : 0)
      }
    }
    for (const part of Array.isArray(node.anyOf) ? node.anyOf : []) visit(part, inside)
    visit(node.items, inside)
  }
  visit(schema, 0)
  return (
    total.fits &&
    total.properties <= limits.properties &&
    total.members <= limits.members &&
    total.characters <= limits.characters
  )
}

function countEnum(
  members: readonly unknown[],
  total: { members: number; characters: number; fits: boolean },
): void {
  const characters = members.reduce<number>((sum, each) => sum + String(each).length, 0)
  total.members += members.length
  total.characters += characters
  if (members.length > limits.manyMembers && characters > limits.charactersOfMany)
    total.fits = false
}
