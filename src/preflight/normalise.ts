/**
 * Gate 1: a clean id, a clean name, readable arguments.
 * @module
 */
import { wellFormed } from '../execute/text.ts'
import { type ReadArguments, readArguments } from './arguments.ts'
import {
  type Answer,
  answer,
  type Call,
  type Gate,
  type PreflightContext,
  pass,
  type Verdict,
} from './gate.ts'

/** Deepest nesting of arguments. Real calls stay under ten; validators recurse. */
export const maxArgumentDepth = 128

/** Prefixes that models put before a tool's name (OpenAI's and Gemini's own namespaces). */
const knownPrefixes = ['functions.', 'default_api.', 'tools.']

export const normalise: Gate = (call, context) => {
  const wireId = typeof call.raw?.id === 'string' ? wellFormed(call.raw.id.trim()) : ''
  if (wireId !== '') call.wireId = wireId
  call.id = freshId(wireId, call.index, context)
  call.name = cleanName(call.raw?.name, context)
  if (call.index >= context.options.maxCalls) return answer(tooMany(call.name, context))
  const read = readArguments(call.raw?.arguments, {
    cut: call.index === context.cutIndex,
    maxBytes: context.options.maxArgumentBytes,
    maxDepth: maxArgumentDepth,
  })
  return read instanceof Promise ? read.then((done) => finish(call, done)) : finish(call, read)
}

function finish(call: Call, read: ReadArguments): Verdict {
  const { name } = call
  if (read.kind === 'unreadable') {
    call.sent = { name, args: {}, raw: read.raw }
    return answer({ outcome: 'invalid', code: read.code, content: `${name}: ${read.message}` })
  }
  call.args = read.args
  call.repaired = read.repaired
  call.inexact = read.inexact
  call.sent = { name, args: read.args }
  return pass
}

function tooMany(name: string, { options: { maxCalls } }: PreflightContext): Answer {
  const content = `${name} did not run: at most ${maxCalls} calls of one round are looked at. Send the rest in the next round.`
  return { outcome: 'refused', code: 'too-many-calls', content }
}

/** The id itself when it is usable and free; else a deterministic one that is, the same after a crash. */
function freshId(wireId: string, index: number, { ids, roundIndex }: PreflightContext): string {
  const wanted = wireId || `call_${roundIndex + 1}_${index + 1}`
  let copies = ids.get(wanted) ?? 0
  let id = wanted
  // The count of copies so far makes a round of a thousand equal ids no slower than any other.
  while (ids.has(id)) {
    copies += 1
    id = `${wanted}_${copies + 1}`
  }
  ids.set(wanted, copies)
  if (id !== wanted) ids.set(id, 0)
  return id
}

/** Trims, cuts a leaked control suffix (`name<|…`) and, unless a tool is really called so, a known prefix. */
export function cleanName(raw: unknown, { registry }: PreflightContext): string {
  if (typeof raw !== 'string') return ''
  const trimmed = wellFormed(raw.trim())
  if (registry.has(trimmed)) return trimmed
  const control = trimmed.indexOf('<|')
  const name = control === -1 ? trimmed : trimmed.slice(0, control).trim()
  if (registry.has(name)) return name
  const prefix = knownPrefixes.find((each) => name.startsWith(each))
  return prefix ? name.slice(prefix.length) : name
}
