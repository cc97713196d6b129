/**
 * Where a `$ref` of a schema leads. Registration has its own resolver, tied to the validator; the wire forms
 * must not pull the validator into the `providers` entry.
 * @module
 */
import { isObject, keysOf, memberAt, type SchemaNode } from '../schema/pointer.ts'

/** The target inside the same document: a pointer, an `$anchor` or an `$id`; `undefined` when there is none. */
export function targetOf(root: SchemaNode, ref: string): unknown {
  if (ref === '#' || ref === '') return root
  if (!ref.startsWith('#/')) return named(root, ref, 0)
  for (const pointer of [decoded(ref.slice(1)), ref.slice(1)]) {
    const target = memberAt(root, keysOf(pointer))
    if (target !== undefined) return target
  }
  return undefined
}

const maxDepth = 64

function named(value: unknown, ref: string, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return undefined
  if (isObject(value) && (value.$id === ref || (value.$anchor && `#${value.$anchor}` === ref))) {
    return value
  }
  for (const member of Object.values(value)) {
    const found = named(member, ref, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
