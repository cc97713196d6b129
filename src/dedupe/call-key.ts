/**
 * The identity of a call: its tool and its arguments, whatever their key order and spacing.
 * @module
 */
import canonicalize from 'canonicalize'
import type { Json, JsonObject } from '../round.ts'

/** Keys up to this many characters stand as they are; longer ones are hashed. */
const plainKeyLength = 256

/** RFC 8785 canonical JSON, but `-0` stays apart from `0`, which a tool can tell from one another. */
export function canonicalJson(value: Json): string {
  const flat = flatJson(value)
  if (flat !== undefined) return flat
  const text = canonicalize(value) ?? 'null'
  const zeros = negativeZeros(value, '')
  return zeros.length === 0 ? text : `${text} -0@${zeros.join(',')}`
}

/**
 * The same text for what most calls are, an object of texts, numbers and booleans, in a fifth of the
 * time; `undefined` for anything else.
 */
function flatJson(value: Json): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const sorted: JsonObject = {}
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (!isSimple(member) || !isOrdinary(name)) return undefined
    sorted[name] = member
  }
  return JSON.stringify(sorted)
}

/** What JSON.stringify writes as RFC 8785 does, and as no other value. */
function isSimple(member: Json | undefined): member is null | string | number | boolean {
  if (typeof member === 'number') return Number.isFinite(member) && !Object.is(member, -0)
  return member === null || typeof member === 'string' || typeof member === 'boolean'
}

/** Engines put names that are whole numbers first, and `__proto__` is not a member when assigned. */
function isOrdinary(name: string): boolean {
  return name !== '__proto__' && !/^\d|[\ud800-\udfff]/.test(name)
}

function negativeZeros(value: Json, path: string): string[] {
  if (typeof value === 'number') return Object.is(value, -0) ? [path] : []
  if (value === null || typeof value !== 'object') return []
  const found: string[] = []
  for (const [name, member] of Object.entries(value)) {
    // Only numbers and containers can hold one; skipping the rest keeps this off the hot path.
    if (typeof member !== 'string') found.push(...negativeZeros(member as Json, `${path}/${name}`))
  }
  return found
}

/** SHA-256 of a text, in lower-case hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * `tool|args` as one string, or its SHA-256 when it is long. Equal for equal calls only: of a tool that may
 * change, `edition` tells what it was.
 */
export function callKey(name: string, args: Json, edition = ''): string | Promise<string> {
  // A JSON string ends where its quote does, so no name can run into the arguments.
  const key = `${JSON.stringify(name)}${edition}|${canonicalJson(args)}`
  return key.length <= plainKeyLength ? key : sha256(key)
}
