/**
 * Which result of a history belongs to which call.
 * @module
 */
import type { JsonObject } from '../round.ts'

export interface Called {
  readonly id: string | undefined
  readonly name: string
}
export interface Answered {
  readonly id: string | undefined
  readonly name?: string | undefined
}
/** Calls and results of one message, each in its order. */
export interface Group {
  readonly calls: readonly Called[]
  readonly answers: readonly (Answered & { readonly block: JsonObject })[]
}

/** A call with the id it goes out under, and its result when there is one. */
export interface Slot {
  readonly id: string | undefined
  readonly name: string
  readonly block?: JsonObject
}
type OpenSlot = { -readonly [Key in keyof Slot]: Slot[Key] }

/** Where ids may not repeat; `none`: the provider matches by name and order too, and may send no ids. */
export type Unique = 'message' | 'history' | 'none'

/** What the model reads for a call whose result was lost. */
export const interruptedText =
  'Interrupted: this call has no result. It is not known whether it took effect.'

/**
 * The calls of each group. A result goes to the last message that called under its id, there to the first call that
 * has none yet: ids may come back in every round, and twice in one. Results that find no call are left out.
 */
export function slotsOf(groups: readonly Group[], unique: Unique): (readonly Slot[])[] {
  const open = new Map<string, OpenSlot[]>()
  const rename = renamer(groups, unique)
  return groups.map(({ calls, answers }) => {
    for (const { id, name, block } of answers) {
      const slot = id === undefined ? undefined : freeIn(open, `sent ${id}`, `id ${id}`)
      const found = slot ?? byName(open, id, name)
      if (found) found.block = block
    }
    const fresh = rename(calls)
    const slots: OpenSlot[] = calls.map(({ name }, at) => ({ id: fresh[at], name }))
    // What was called before under the same key is over, answered or not.
    calls.forEach(({ id, name }) => {
      open.delete(`sent ${id}`)
      open.delete(`name ${name}`)
    })
    slots.forEach((slot, at) => {
      const sent = calls[at]?.id
      if (sent !== undefined) add(open, `sent ${sent}`, slot)
      if (slot.id !== undefined) open.set(`id ${slot.id}`, [slot])
      if (unique === 'none') add(open, `name ${slot.name}`, slot)
    })
    return slots
  })
}

function add(open: Map<string, OpenSlot[]>, key: string, slot: OpenSlot): void {
  const list = open.get(key)
  if (list) list.push(slot)
  else open.set(key, [slot])
}

function freeIn(open: Map<string, OpenSlot[]>, ...keys: string[]): OpenSlot | undefined {
  for (const key of keys) {
    const free = open.get(key)?.find(({ block }) => block === undefined)
    if (free) return free
  }
  return undefined
}

/** By name and order, unless both have an id: then the ids said no. */
function byName(
  open: Map<string, OpenSlot[]>,
  id: string | undefined,
  name: string | undefined,
): OpenSlot | undefined {
  return open
    .get(`name ${name}`)
    ?.find((slot) => slot.block === undefined && (id === undefined || slot.id === undefined))
}

type Rename = (calls: readonly Called[]) => (string | undefined)[]

/** Ids that repeat get a number behind, missing ones the dispatcher's form: the same as results were written with. */
function renamer(groups: readonly Group[], unique: Unique): Rename {
  const sent = new Set(groups.flatMap(({ calls }) => calls.map(({ id }) => id)))
  const used = new Set<string>()
  let rounds = 0
  return (calls) => {
    if (unique === 'none') return calls.map(({ id }) => id)
    if (unique === 'message') used.clear()
    if (calls.length > 0) rounds += 1
    return calls.map(({ id }, at) => {
      const wanted = id ?? `call_${rounds}_${at + 1}`
      let given = wanted
      for (let copy = 2; used.has(given) || (given !== id && sent.has(given)); copy += 1) {
        given = `${wanted}_${copy}`
      }
      used.add(given)
      return given
    })
  }
}
