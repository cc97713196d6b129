/**
 * Calls put together from the deltas of a stream, whichever provider sent them.
 * @module
 */
import type { Json, ToolCall } from '../round.ts'
import type { ReadCalls } from './provider.ts'
import { readOf } from './provider.ts'

/** What one chunk says about one call. */
export interface Delta {
  /** The provider's place for the call: an index, or an item's id. */
  readonly at?: number | string | undefined
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** A further piece of the argument text. */
  readonly text?: string | undefined
}

interface OpenCall {
  at: number | string | undefined
  id: string | undefined
  name: string
  text: string
}

export interface StreamedCalls {
  readonly add: (delta: Delta) => void
  /** The whole argument text, said at the end: it takes the place of the pieces. */
  readonly settle: (delta: Delta) => void
  /** Whether any call was opened. */
  readonly any: () => boolean
  /** The calls so far, in the provider's order. */
  readonly read: (finishReason: Json | undefined) => ReadCalls
}

/**
 * Belongs to a delta: the call with its id at its index; else the call opened last at its index, unless that one has
 * another id or name; else, for a delta with neither id nor index, the call opened last. Otherwise it opens a call.
 */
export function streamedCalls(): StreamedCalls {
  const calls: OpenCall[] = []
  const byPlace = new Map<number | string, OpenCall>()
  const byId = new Map<string, OpenCall>()

  function open({ at, id, name }: Delta): OpenCall {
    const call: OpenCall = { at, id, name: name ?? '', text: '' }
    calls.push(call)
    return call
  }
  function seat(delta: Delta, fresh: boolean): OpenCall {
    const { at, id, name } = delta
    const known = fresh ? undefined : located(delta)
    const call = known ?? open(delta)
    call.at ??= at
    call.id ??= id
    if (call.name === '' && name !== undefined) call.name = name
    if (at !== undefined && (known === undefined || !byPlace.has(at))) byPlace.set(at, call)
    if (id !== undefined) {
      byId.set(key(undefined, id), call)
      byId.set(key(call.at, id), call)
    }
    return call
  }
  function located({ at, id, name }: Delta): OpenCall | undefined {
    if (id !== undefined) {
      const same = byId.get(key(at, id)) ?? byId.get(key(undefined, id))
      if (same && (at === undefined || same.at === undefined || same.at === at)) return same
    }
    const last = at === undefined ? calls.at(-1) : byPlace.get(at)
    if (!last || (id !== undefined && (at === undefined || last.id !== undefined))) return undefined
    const renamed = name !== undefined && last.name !== '' && last.name !== name
    return renamed ? undefined : last
  }
  return {
    add(delta) {
      const { text = '' } = delta
      const here = located(delta)
      const again = here !== undefined && delta.name !== undefined && startsOver(here.text, text)
      // Some servers end with the whole call once more: that is not a second call.
      if (again && here.text === text) return
      seat(delta, again).text += text
    },
    settle(delta) {
      const call = seat(delta, false)
      if (delta.text !== undefined && delta.text !== '') call.text = delta.text
    },
    any: () => calls.length > 0,
    read: (finishReason) => readOf(inOrder(calls).map(callFrom), finishReason),
  }
}

function key(at: number | string | undefined, id: string): string {
  return JSON.stringify([at ?? null, id])
}

/** Arguments are whole and others begin: the id stands for a second call. Further text would only break the first. */
function startsOver(before: string, text: string): boolean {
  if (!before.startsWith('{') || !before.trimEnd().endsWith('}')) return false
  if (!text.startsWith('{')) return false
  try {
    JSON.parse(before)
    return true
  } catch {
    return false
  }
}

/** By index where every call has one: a later index may have been opened first. Without id and name it was no call. */
function inOrder(calls: readonly OpenCall[]): OpenCall[] {
  const own = calls.filter(({ id, name }) => id !== undefined || name !== '')
  if (!own.every(({ at }) => typeof at === 'number')) return own
  return own.sort((one, other) => Number(one.at) - Number(other.at))
}

function callFrom({ id, name, text }: OpenCall): ToolCall {
  return { ...(id !== undefined && { id }), name, arguments: text }
}

/** The text of a member that says something; an empty one is the same as none. */
export function said(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An index. */
export function indexOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
