/**
 * What a schema says about one value, in a form that a provider's dialect can be written from: references inlined,
 * `allOf` merged, unions and type lists laid out as alternatives of one type each.
 *
 * Every step keeps the schema or widens it. That is safe, since the arguments are always judged by the author's
 * own schema when they come back.
 * @module
 */
import { isObject, kindOf, type SchemaNode } from '../schema/pointer.ts'
import { flat, type Scope } from './flat-schema.ts'
import { targetOf } from './wire-references.ts'

/** One alternative: a schema without references and composition, of one type. */
export interface Branch {
  /** A JSON type, or `$ref` for a reference that the dialect keeps. */
  readonly type: string
  readonly node: SchemaNode
  /** The scope of what lies inside. */
  readonly inside: Scope
}

/** All that a value may be; no branch at all and `any` for what the schema leaves open. */
export interface Shape {
  readonly any: boolean
  readonly nullable: boolean
  readonly branches: readonly Branch[]
  /** Said of the union as a whole. */
  readonly description?: string
}

/** Lays out a schema. Never throws and always ends, whatever the references do. */
export function shapeOf(schema: unknown, scope: Scope): Shape {
  const { count } = scope
  count.left -= 1
  const deeper = { ...scope, depth: scope.depth + 1 }
  if (!isObject(schema)) return { any: schema !== false, nullable: schema !== false, branches: [] }
  if (scope.keepReferences && schema.$ref !== undefined) {
    const target = targetOf(scope.root, String(schema.$ref))
    if (scope.open.includes(target)) return only('$ref', schema, deeper)
  }
  const { node, open } = flat(schema, count.left < 0 ? { ...deeper, unrolls: -1 } : deeper)
  const inside = { ...deeper, open }
  const { anyOf, oneOf, ...rest } = node
  const union = anyOf ?? oneOf
  if (!Array.isArray(union) || !union.every(hasShape)) return plain(rest, inside)
  return unionOf(union, rest, inside)
}

function unionOf(union: readonly unknown[], whole: SchemaNode, scope: Scope): Shape {
  const { description, title, ...rest } = whole
  const shapes = union.map((part) =>
    shapeOf(Object.keys(rest).length === 0 ? part : { allOf: [part, rest] }, scope),
  )
  const branches = shapes.flatMap((shape) =>
    shape.branches.map((branch, index) =>
      index === 0 && shape.description !== undefined
        ? { ...branch, node: { description: shape.description, ...branch.node } }
        : branch,
    ),
  )
  return {
    any: shapes.some(({ any }) => any),
    nullable: shapes.some(({ nullable }) => nullable),
    branches,
    ...(typeof description === 'string' && { description }),
  }
}

/** Alternatives such as `{ "required": ["a"] }` only restrict; without them the schema is wider and shorter. */
function hasShape(part: unknown): boolean {
  const telling = '$ref type properties items enum const anyOf oneOf allOf'.split(' ')
  return isObject(part) && telling.some((key) => part[key] !== undefined)
}

function plain(node: SchemaNode, inside: Scope): Shape {
  const members = node.const !== undefined ? [node.const] : node.enum
  const declared = node.type !== undefined
  const types = declared ? [node.type].flat().map(lower) : inferred(node, members)
  const described = typeof node.description === 'string' && { description: node.description }
  if (Array.isArray(members)) {
    const { const: _, ...rest } = node
    const nullable = node.nullable === true || (types.includes('null') && members.includes(null))
    const listed = members.filter((each) => each !== null && (!declared || types.some(isOf(each))))
    const branches =
      listed.length === 0 ? [] : only(kindOf(listed[0]), { ...rest, enum: listed }, inside).branches
    return { any: false, nullable, branches, ...described }
  }
  const known = types.filter((type) => jsonTypes.includes(type))
  const several = known.filter((type) => type !== 'null').length > 1
  const { description: _, ...bare } = node
  return {
    // A type of another dialect may mean anything.
    any: known.length < types.length || (!declared && types.length === 0),
    nullable: node.nullable === true || known.includes('null'),
    branches: known
      .filter((type) => type !== 'null')
      .flatMap((type) => only(type, several ? bare : node, inside).branches),
    ...described,
  }
}

const jsonTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** OpenAPI dialects write `STRING`. */
function lower(type: unknown): string {
  return String(type).toLowerCase()
}

function isOf(value: unknown): (type: string) => boolean {
  return (type) => type === kindOf(value) || (type === 'integer' && Number.isInteger(value))
}

function only(type: string, node: SchemaNode, inside: Scope): Shape {
  return { any: false, nullable: false, branches: [{ type, node, inside }] }
}

function inferred(node: SchemaNode, members: unknown): string[] {
  if (Array.isArray(members)) return members.map(kindOf)
  if (isObject(node.properties) || node.additionalProperties !== undefined) return ['object']
  if (node.items !== undefined || node.prefixItems !== undefined) return ['array']
  if (node.pattern !== undefined || node.minLength !== undefined) return ['string']
  return node.minimum !== undefined || node.maximum !== undefined ? ['number'] : []
}

/** A pattern that the providers' engines take: RE2 and its like have no look-around and no back-references. */
export function isPortable(pattern: unknown): pattern is string {
  return typeof pattern === 'string' && !/\(\?[=!<]|\\[1-9k]/.test(pattern)
}
