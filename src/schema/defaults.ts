/**
 * Walks arguments beside their schema where it is certain which schema applies (not into unions):
 * for defaults, and for repeated items in arrays too long to compare pair by pair.
 * @module
 */
import canonicalize from 'canonicalize'
import type { Json, JsonObject } from '../round.ts'
import type { Leaf } from './leaves.ts'
import { maxComparedItems } from './normalise.ts'
import { below, isObject, type SchemaNode, type Targets } from './pointer.ts'
import { uriOf } from './references.ts'

/** The value with the defaults of absent properties; the same one when there is nothing to fill in. */
export function fill(value: Json, node: unknown, targets: Targets): Json {
  let filled = value
  for (const schema of certain(node, targets)) {
    const { properties } = schema
    if (isObject(filled) && isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        const given = Object.hasOwn(filled, name)
        const wanted = given
          ? fill(filled[name] as Json, property, targets)
          : defaultOf(property, targets)
        if (wanted === undefined || (given && wanted === filled[name])) continue
        if (filled === value) filled = { ...(filled as JsonObject) }
        ;(filled as JsonObject)[name] = wanted
      }
    } else if (Array.isArray(filled) && isObject(schema.items)) {
      const items = filled.map((item) => fill(item, schema.items, targets))
      if (items.some((item, index) => item !== (filled as Json[])[index])) filled = items
    }
  }
  return filled
}

function defaultOf(node: unknown, targets: Targets): Json | undefined {
  for (const schema of certain(node, targets)) {
    if (schema.default !== undefined) return structuredClone(schema.default) as Json
  }
  return undefined
}

/** Long arrays that repeat an item although their schema says they must not. */
export function repeats(value: unknown, node: unknown, targets: Targets, path = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return []
  return certain(node, targets).flatMap((schema) => {
    const { properties, items, prefixItems, additionalProperties, then } = schema
    if (
      Array.isArray(value) &&
      isObject(then) &&
      then.uniqueItems &&
      value.length > maxComparedItems
    ) {
      const distinct = new Set(value.map((item) => canonicalize(item)))
      if (distinct.size < value.length) return [{ path, keyword: 'uniqueItems', nodes: [then] }]
    }
    return Object.entries(value).flatMap(([key, member]) => {
      const schemas = Array.isArray(value)
        ? (Array.isArray(prefixItems) && prefixItems[Number(key)]) || items
        : isObject(properties) && Object.hasOwn(properties, key)
          ? properties[key]
          : additionalProperties
      return repeats(member, schemas, targets, below(path, key))
    })
  })
}

/** The node, what it refers to and what it is composed of: all of these apply. */
function certain(node: unknown, targets: Targets): SchemaNode[] {
  if (!isObject(node)) return []
  const all = [node]
  if (node.$ref !== undefined) all.push(...certain(targets.get(uriOf(node)), targets))
  if (Array.isArray(node.allOf)) for (const part of node.allOf) all.push(...certain(part, targets))
  return all
}
