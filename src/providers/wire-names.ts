/**
 * Tool names that every provider takes, and back.
 *
 * The common ground is `^[A-Za-z0-9_-]{1,64}$`: OpenAI (function name, "a-z, A-Z, 0-9, or contain underscores and
 * dashes, with a maximum length of 64"), Anthropic (tool name, the same pattern) and Gemini, which takes more.
 * @module
 */

/** A two-way table of the names of one request. */
export interface WireNames {
  /** The name to send. A name outside the table gets the form it would have in it. */
  readonly toWire: (name: string) => string
  /** The tool's own name; `undefined` for one that was never sent. */
  readonly fromWire: (wire: string) => string | undefined
}

const legal = /^[A-Za-z0-9_-]{1,64}$/
const maxLength = 64

/**
 * Names that are legal as they stand stay. The others are cut and cleaned and get a hash of the whole name, so that
 * two names which only differ in an illegal character differ on the wire too. The table depends on the set of names,
 * not on their order.
 */
export function wireNames(names: Iterable<string>): WireNames {
  const all = new Set(names)
  const own = new Map<string, string>()
  const wires = new Map<string, string>()
  const add = (name: string, wire: string) => {
    own.set(wire, name)
    wires.set(name, wire)
  }
  // Legal names first and the rest in order: a made-up name gives way, whoever was registered first.
  for (const name of all) if (legal.test(name)) add(name, name)
  for (const name of [...all].sort()) if (!wires.has(name)) add(name, fitted(name, own))
  return {
    toWire: (name) => wires.get(name) ?? (legal.test(name) ? name : fitted(name, own)),
    fromWire: (wire) => own.get(wire),
  }
}

function fitted(name: string, taken: ReadonlyMap<string, string>): string {
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_')
  for (let salt = 0; ; salt += 1) {
    const suffix = `_${hash(name, salt)}`
    const wire = clean.slice(0, maxLength - suffix.length) + suffix
    if (!taken.has(wire)) return wire
  }
}

/** FNV-1a over UTF-16 code units, 32 bits as 7 characters: names need telling apart, not protecting. */
function hash(text: string, salt: number): string {
  let value = (0x811c9dc5 ^ salt) >>> 0
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return value.toString(36).padStart(7, '0')
}
