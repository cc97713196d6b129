/**
 * A document and those that it refers to: read from text, and looked up by reference.
 * @module
 */
import { expiring } from '../clock.ts'
import { errorText } from '../execute/render-result.ts'
import { readBody } from '../net/read-body.ts'
import { isObject, keysOf, memberAt, type SchemaNode } from '../schema/pointer.ts'

/** A value, and the address of the document that it stands in. */
export interface Place {
  readonly value: unknown
  readonly base: string
}

export interface Documents {
  /** Where a reference leads; throws with a sentence for one that leads nowhere. */
  readonly find: (ref: string, base: string) => Place
  /** Follows references until there is a value. */
  readonly follow: (place: Place) => Place
  /** One spelling a reference. */
  readonly absolute: (ref: string, base: string) => string
}

/** Documents that others may lie in, and bytes of each. */
const mostDocuments = 100
const mostBytes = 16_777_216
const longestFetchMs = 30_000
/** References that lead to references. */
const longestChain = 32

/** JSON or YAML. Throws for a text that is neither. */
export async function parsed(given: unknown): Promise<unknown> {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch (error) {
    if (/^\s*[{[]/.test(given)) throw error
  }
  const { parse } = await import('yaml')
  return parse(given, { merge: true, logLevel: 'error' })
}

/** Loads what the document refers to outside itself, when there is a way to. */
export async function openDocuments(
  main: SchemaNode,
  url: string,
  send: typeof fetch | undefined,
): Promise<Documents> {
  const known = new Map<string, unknown>([[url, main]])
  const failed = new Map<string, string>()
  if (send) await loadOthers(known, failed, send)
  return lookUp(known, failed)
}

async function loadOthers(
  known: Map<string, unknown>,
  failed: Map<string, string>,
  send: typeof fetch,
): Promise<void> {
  // The map grows while it is walked.
  for (const [base, document] of known) {
    for (const address of outside(document, base)) {
      if (known.has(address) || failed.has(address)) continue
      try {
        if (known.size >= mostDocuments) throw new Error(`more than ${mostDocuments} documents`)
        known.set(address, await fetched(address, send))
      } catch (error) {
        failed.set(address, errorText(error))
      }
    }
  }
}

async function fetched(address: string, send: typeof fetch): Promise<unknown> {
  const signal = expiring(longestFetchMs)
  const response = await send(address, { signal })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const { text = '', truncated } = await readBody(response, { maxBytes: mostBytes, signal })
  if (truncated) throw new Error('it did not come whole')
  return parsed(text)
}

/** The addresses of other documents that references name. */
function outside(document: unknown, base: string): Set<string> {
  const found = new Set<string>()
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') walk(member)
      else if (!member.startsWith('#')) found.add(split(member, base).address)
    }
  }
  walk(document)
  return found
}

function split(ref: string, base: string): { address: string; pointer: string } {
  const [file = '', pointer = ''] = ref.split('#')
  if (file === '') return { address: base, pointer }
  const isKnown = URL.canParse(file, base || undefined)
  return { address: isKnown ? new URL(file, base || undefined).href : file, pointer }
}

function lookUp(
  known: ReadonlyMap<string, unknown>,
  failed: ReadonlyMap<string, string>,
): Documents {
  const find = (ref: string, base: string): Place => {
    const { address, pointer } = split(ref, base)
    if (!known.has(address)) {
      const why = failed.get(address) ?? 'nothing is fetched without the option fetch'
      throw new Error(`the reference ${ref} leads to another document: ${why}`)
    }
    const path = unescaped(pointer)
    const value =
      path === '' || path.startsWith('/') ? memberAt(known.get(address), keysOf(path)) : undefined
    if (value === undefined) throw new Error(`the reference ${ref} leads nowhere`)
    return { value, base: address }
  }
  const follow = (place: Place): Place => {
    let at = place
    for (let hops = 0; isObject(at.value) && typeof at.value.$ref === 'string'; hops += 1) {
      if (hops > longestChain) throw new Error(`the reference ${at.value.$ref} leads in a circle`)
      at = find(at.value.$ref, at.base)
    }
    return at
  }
  const absolute = (ref: string, base: string) => {
    const { address, pointer } = split(ref, base)
    return `${address}#${unescaped(pointer)}`
  }
  return { find, follow, absolute }
}

function unescaped(pointer: string): string {
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}
