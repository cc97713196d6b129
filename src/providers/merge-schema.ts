/**
 * Merges two schemas that both apply, where that is simple; where it is not, one of the two is kept.
 * @module
 */
import { isObject, type SchemaNode } from '../schema/pointer.ts'

/** Which of two bounds is the stricter one. */
const bounds: Record<string, (...values: number[]) => number> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
}

/** Both schemas as one. The first one's words (title, description) win. */
export function merged(one: SchemaNode, other: SchemaNode): SchemaNode {
  const both: SchemaNode = { ...other, ...one }
  for (const key of Object.keys(one)) {
    if (other[key] === undefined || one[key] === undefined) continue
    both[key] = together(key, one[key], other[key])
  }
  return both
}

function together(key: string, one: unknown, other: unknown): unknown {
  if (key === 'type') return commonTypes([one].flat(), [other].flat())
  if (key === 'required' && Array.isArray(one) && Array.isArray(other)) {
    return [...new Set([...one, ...other])]
  }
  if (key === 'enum' && Array.isArray(one) && Array.isArray(other)) {
    return one.filter((member) => other.includes(member))
  }
  if (key === 'properties' && isObject(one) && isObject(other)) return mergedProperties(one, other)
  // Laid out later, when the walk gets there: what they refer to may be recursive.
  if (key === 'items' && isObject(one) && isObject(other)) return { allOf: [one, other] }
  if (key === 'additionalProperties') return one === false || other === false ? false : one
  const stricter = bounds[key]
  return stricter && typeof one === 'number' && typeof other === 'number'
    ? stricter(one, other)
    : one
}

function mergedProperties(one: SchemaNode, other: SchemaNode): SchemaNode {
  const properties: SchemaNode = { ...one }
  for (const [name, property] of Object.entries(other)) {
    const given = Object.hasOwn(properties, name) ? properties[name] : undefined
    properties[name] =
      isObject(given) && isObject(property)
        ? { allOf: [given, property] }
        : given === false
          ? false
          : property
  }
  return properties
}

function commonTypes(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  // Every integer is a number, so the narrower of the two is what they share.
  const has = (list: readonly unknown[], type: unknown) =>
    list.includes(type) || (type === 'integer' && list.includes('number'))
  return [
    ...new Set([
      ...one.filter((type) => has(other, type)),
      ...other.filter((type) => has(one, type)),
    ]),
  ]
}
