/**
 * What tells one definition of an API from another.
 * @module
 */
import type { ApiDefinition } from './definition.ts'

/**
 * What a model sees stays the same while the request changes: kept answers must not. The shared schemas are
 * in what it sees, and large: a hash stands for them.
 */
export function versionOf({ $defs, ...own }: ApiDefinition): string {
  const text = JSON.stringify(own)
  return $defs ? `${text} $defs:${hash(JSON.stringify($defs))}` : text
}

/** FNV-1a over UTF-16 code units, 32 bits, and the length: approvals are bound to the schemas themselves. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return `${value.toString(36)}-${text.length}`
}
