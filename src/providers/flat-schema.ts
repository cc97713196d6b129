/**
 * One schema without `$ref` and `allOf`: what it refers to and is composed of is merged in, recursion up to a bound.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'
import { merged } from './merge-schema.ts'
import { targetOf } from './wire-references.ts'

/** Where the walk is. */
export interface Scope {
  readonly root: SchemaNode
  /** Targets of the references that led here, outermost first. */
  readonly open: readonly unknown[]
  readonly depth: number
  /** How often a reference may lead into itself before it is cut. */
  readonly unrolls: number
  /** Set by a dialect that has references of its own: keeps those that lead back into themselves. */
  readonly keepReferences?: boolean
  /** Schemas that may still be written, and how many had to be cut: schema bombs grow without end. */
  readonly count: { left: number; cuts: number }
}

const maxDepth = 64
const maxSchemas = 5_000

/** The scope of a whole schema. */
export function scopeOf(root: SchemaNode, unrolls: number, keepReferences = false): Scope {
  const count = { left: maxSchemas, cuts: 0 }
  return { root, open: [root], depth: 0, unrolls, keepReferences, count }
}

/** A schema on its own, and the references that are open inside it. */
export interface Flat {
  readonly node: SchemaNode
  readonly open: readonly unknown[]
}

/** The schema with what it refers to and is composed of merged in. */
export function flat(schema: SchemaNode, scope: Scope): Flat {
  const { $ref, allOf, ...rest } = schema
  let node: SchemaNode = rest
  let { open } = scope
  const parts = Array.isArray(allOf) ? allOf.filter(isObject) : []
  const target = $ref === undefined ? undefined : targetOf(scope.root, String($ref))
  if (scope.unrolls < 0 || scope.depth > maxDepth) {
    scope.count.cuts += 1
    return { node: { type: 'object' }, open }
  }
  if (isObject(target)) {
    const loops = open.filter((each) => each === target).length > scope.unrolls
    if (loops) scope.count.cuts += 1
    else open = [...open, target]
    parts.push(loops ? { type: typeof target.type === 'string' ? target.type : 'object' } : target)
  }
  for (const part of parts) {
    const below = flat(part, { ...scope, open, depth: scope.depth + 1 })
    node = merged(node, below.node)
    open = below.open
  }
  return { node, open }
}
