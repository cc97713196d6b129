/**
 * Names that every provider takes: letters, digits, `_` and `-`, at most 64.
 * @module
 */

const longestName = 64
const longestServer = 24

/**
 * What all names of a server's tools begin with. A server's name that had to be changed carries a hash of
 * itself, and none has `__` in it, so no two servers share a prefix and none is the beginning of another.
 */
export function prefixOf(server: string): string {
  return `mcp__${plainServer(server)}__`
}

function plainServer(server: string): string {
  const clean = server
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, longestServer)
  if (clean === server) return server
  return `${clean.replace(/_$/, '')}${clean && '-'}${hash(server)}`
}

/**
 * The tools' full names by their own. A name that is legal as it stands stays; the others are cleaned,
 * and get a hash of the whole name where they are too long or would fall together with another. It
 * depends on the set of names alone. A name that still falls together, which takes a collision of
 * hashes, is left out.
 */
export function toolNames(prefix: string, tools: readonly string[]): Map<string, string> {
  const room = longestName - prefix.length
  const wanted = new Map<string, string[]>()
  for (const tool of new Set(tools)) {
    const clean = tool.replace(/[^A-Za-z0-9_-]/g, '_')
    wanted.set(clean, [...(wanted.get(clean) ?? []), tool])
  }
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const give = (tool: string, name: string) => {
    if (taken.has(name)) return
    taken.add(name)
    names.set(tool, prefix + name)
  }
  const fitting = [...wanted].filter(([clean]) => clean.length <= room && clean !== '')
  for (const [clean, owners] of fitting) {
    const [only] = owners
    if (owners.length === 1 && only !== undefined) give(only, clean)
    else if (owners.includes(clean)) give(clean, clean)
  }
  for (const [clean, owners] of [...wanted].sort()) {
    for (const tool of owners.sort()) {
      if (names.has(tool)) continue
      const suffix = `_${hash(tool)}`
      give(tool, clean.slice(0, room - suffix.length) + suffix)
    }
  }
  return names
}

/** FNV-1a over UTF-16 code units, 32 bits as 7 characters: names need telling apart, not protecting. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return value.toString(36).padStart(7, '0')
}
