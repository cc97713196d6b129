/**
 * Finds what every `$ref` means, at registration: the validator itself would only notice a bad one
 * when arguments reach it.
 * @module
 */
import { dereference } from '@cfworker/json-schema'
import type { Fail } from './normalise.ts'
import { isObject, keysOf, memberAt, type SchemaNode } from './pointer.ts'

export interface Reference {
  readonly node: SchemaNode
  readonly path: string
}

/**
 * The target of a reference, or `undefined`. `known` holds the URIs of schemas with an `$id` or an
 * `$anchor` of their own; a plain pointer needs none.
 */
export function targetOf(root: SchemaNode, node: SchemaNode, known?: SchemaNode): unknown {
  const uri = node.__absolute_ref__
  const found = typeof uri === 'string' ? known?.[uri] : undefined
  if (found !== undefined) return found
  const ref = String(node.$ref)
  if (ref === '#' || ref === '') return root
  if (!ref.startsWith('#/')) return undefined
  const raw = ref.slice(1)
  for (const pointer of [decoded(raw), raw]) {
    const target = memberAt(root, keysOf(pointer))
    if (isObject(target) || typeof target === 'boolean') return target
  }
  return undefined
}

/** What the validator looks a reference up by. */
export function uriOf(node: SchemaNode): string {
  return String(node.__absolute_ref__ ?? node.$ref)
}

/** The library's URI table, for schemas whose references are not plain pointers. */
export function knownUris(root: SchemaNode, fail: Fail): SchemaNode {
  try {
    return dereference(root)
  } catch (cause) {
    return fail('', `has an $id or $ref that is no URI (${String(cause)})`)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Refuses references that lead back to themselves without going into the value: they never end. */
export function refuseLoops(
  references: readonly Reference[],
  target: (node: SchemaNode) => unknown,
  fail: Fail,
): void {
  const open = new Set<unknown>()
  const done = new Set<unknown>()
  const enter = (node: unknown, path: string): void => {
    if (!isObject(node) || done.has(node)) return
    if (open.has(node)) {
      fail(
        `${path}/$ref`,
        'refers to itself endlessly: let it lead to a schema, or go through properties or items',
      )
    }
    open.add(node)
    for (const next of sameValue(node)) enter(next, path)
    if (node.$ref !== undefined) enter(target(node), path)
    open.delete(node)
    done.add(node)
  }
  for (const { node, path } of references) enter(node, path)
}

/** Subschemas that look at the same value as the node does. */
function sameValue(node: SchemaNode): unknown[] {
  const { not, if: test, then, else: otherwise, dependentSchemas, dependencies } = node
  const found = [not, test, then, otherwise]
  for (const list of [node.allOf, node.anyOf, node.oneOf])
    if (Array.isArray(list)) found.push(...list)
  for (const map of [dependentSchemas, dependencies]) found.push(...Object.values(map ?? {}))
  return found
}
