/**
 * Makes one schema safe to validate with: malformed keywords, other dialects and stalling patterns
 * are repaired with a warning, what has no meaning is refused.
 * @module
 */
import { format as formats } from '@cfworker/json-schema'
import { below, isObject, type SchemaNode } from './pointer.ts'
import type { Reference } from './references.ts'
import { costOf, unicodePattern } from './screen.ts'

/** Refuses the schema: the pointer of the bad place, and what to do. */
export type Fail = (path: string, message: string) => never

/** What the walk over one schema finds out. */
export interface Walk {
  readonly trust: 'author' | 'external'
  readonly seen: Set<SchemaNode>
  readonly references: Reference[]
  readonly warn: (path: string, message: string) => void
  readonly fail: Fail
  /** Some reference needs URIs: an `$id` inside, an `$anchor`, a reference that is no pointer. */
  uris: boolean
  /** Draft 7 keywords were seen. */
  draft7: boolean
  defaults: boolean
  unique: boolean
  branches: number
}

const typeNames =
  'object:object dict map record|array:array list tuple set|string:string str text|number:number float double decimal|integer:integer int int32 int64 long|boolean:boolean bool|null:null none nil|:any'
const typeOf = new Map(
  typeNames.split('|').flatMap((line) => {
    const [type = '', names = ''] = line.split(':')
    return names.split(' ').map((name): [string, string] => [name, type])
  }),
)

type Shape = 'schema' | 'list' | 'map' | 'number' | 'texts' | 'values' | 'lists'
const keywords: Record<Shape, string> = {
  schema:
    'additionalItems unevaluatedItems items contains additionalProperties unevaluatedProperties propertyNames not if then else',
  list: 'prefixItems allOf anyOf oneOf',
  map: '$defs definitions properties patternProperties dependentSchemas dependencies',
  number:
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
  texts: 'required',
  values: 'enum',
  lists: 'dependentRequired',
}
const shapeOf = new Map(
  Object.entries(keywords).flatMap(([shape, names]) =>
    names.split(' ').map((name): [string, Shape] => [name, shape as Shape]),
  ),
)
const metaschema = /^https?:\/\/json-schema\.org\/(draft-0[4-7]|draft\/20(19-09|20-12))\/schema#?$/
/** Longest text that an author's pattern of a power above 1 is tried on, and steps for external ones. */
const maxPatternText = 4096
const maxPatternSteps = 1e7
const maxPatternLength = 1000
const maxBranches = 500
/** Arrays up to this length are compared pair by pair by the validator, longer ones by us. */
export const maxComparedItems = 200

/** Repairs a subschema and everything below it, in place. */
export function normalise(node: SchemaNode, path: string, walk: Walk): void {
  if (walk.seen.has(node)) return
  walk.seen.add(node)
  dialects(node, path, walk)
  for (const key of Object.keys(node)) {
    const shape = shapeOf.get(key)
    if (shape === undefined) continue
    const problem = malformed(shape, node[key], key)
    if (problem !== undefined) {
      walk.warn(below(path, key), `${problem}; the keyword was left out`)
      delete node[key]
    } else if (shape === 'list' || shape === 'map' || shape === 'schema') {
      descend(node, key, shape, below(path, key), walk)
    }
  }
  text(node, path, walk)
  if (node.default !== undefined) walk.defaults = true
  if (node.uniqueItems === true) {
    walk.unique = true
    bound(node, { maxItems: maxComparedItems }, { uniqueItems: true })
  }
  if (node.uniqueItems !== undefined) delete node.uniqueItems
  if (node.nullable === true) nullable(node, path, walk)
}

function malformed(shape: Shape, value: unknown, key: string): string | undefined {
  if (shape === 'number') return Number.isFinite(value) ? undefined : 'is not a number'
  if (shape === 'map' || shape === 'lists') {
    if (!isObject(value)) return 'is not an object'
    return shape === 'map' || Object.values(value).every(Array.isArray)
      ? undefined
      : 'is not an object of arrays'
  }
  if (shape === 'schema') {
    return isObject(value) ||
      typeof value === 'boolean' ||
      (key === 'items' && Array.isArray(value))
      ? undefined
      : 'is not a schema'
  }
  if (!Array.isArray(value)) return 'is not an array'
  if (shape === 'texts') return undefined
  return value.length > 0 ? undefined : 'is empty'
}

function descend(node: SchemaNode, key: string, shape: Shape, path: string, walk: Walk): void {
  const value = node[key]
  if (shape === 'schema' && !Array.isArray(value)) {
    if (isObject(value)) normalise(value, path, walk)
    return
  }
  if (key === 'definitions' || key === 'dependencies' || key === 'items') walk.draft7 = true
  const members = value as SchemaNode
  for (const [name, member] of Object.entries(members)) {
    const place = below(path, name)
    if (shape === 'list') walk.branches += 1
    if (isObject(member)) normalise(member, place, walk)
    else if (typeof member !== 'boolean' && !(key === 'dependencies' && Array.isArray(member))) {
      walk.warn(place, 'is not a schema; anything is accepted there')
      members[name] = true
    }
    if (key === 'patternProperties') patternKey(members, name, place, walk)
  }
  if (walk.trust === 'external' && walk.branches > maxBranches) {
    walk.fail(path, `has more than ${maxBranches} alternatives in all: use a smaller schema`)
  }
}

/** Other dialects: type names, draft 3 and 4, OpenAPI, references to a metaschema. */
function dialects(node: SchemaNode, path: string, walk: Walk): void {
  if (node.$recursiveRef === '#') node.$ref = '#'
  delete node.$recursiveRef
  if (node.$ref !== undefined) reference(node, path, walk)
  if (typeof node.$anchor === 'string' || (typeof node.$id === 'string' && path !== '')) {
    walk.uris = true
  }
  if (node.type !== undefined) types(node, path, walk)
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof node[exclusive] !== 'boolean') continue
    walk.warn(`${path}/${exclusive}`, 'is a boolean (draft 4); read as the number it stands for')
    const strict = node[exclusive] === true && typeof node[limit] === 'number'
    if (!strict) delete node[exclusive]
    else {
      node[exclusive] = node[limit]
      delete node[limit]
    }
  }
}

function reference(node: SchemaNode, path: string, walk: Walk): void {
  const { $ref } = node
  if (typeof $ref !== 'string') walk.fail(`${path}/$ref`, 'must be a text such as "#/$defs/name"')
  else if (metaschema.test($ref)) {
    delete node.$ref
    node.type = ['object', 'boolean']
    walk.warn(`${path}/$ref`, 'refers to a metaschema; any schema is accepted there')
  } else {
    walk.references.push({ node, path })
    if (!/^(#$|#\/|$)/.test($ref)) walk.uris = true
  }
}

function types(node: SchemaNode, path: string, walk: Walk): void {
  const given = Array.isArray(node.type) ? node.type : [node.type]
  const known = given.map((name) => {
    const type = typeof name === 'string' ? typeOf.get(name.toLowerCase()) : undefined
    if (type === undefined) {
      const all = 'object, array, string, number, integer, boolean or null'
      return walk.fail(
        `${path}/type`,
        `is ${JSON.stringify(name)}, which is no JSON type: use ${all}`,
      )
    }
    return type
  })
  if (known.some((type, index) => type !== given[index])) {
    walk.warn(
      `${path}/type`,
      `${JSON.stringify(node.type)} was read as ${known.join(', ') || 'any'}`,
    )
  }
  if (known.includes('') || known.length === 0) delete node.type
  else node.type = known.length === 1 ? known[0] : [...new Set(known)]
}

/** OpenAPI's `nullable`: null is one more value that is accepted. */
function nullable(node: SchemaNode, path: string, walk: Walk): void {
  delete node.nullable
  walk.warn(path, '"nullable" was read as also accepting null')
  const others = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const']
  if (others.every((key) => node[key] === undefined)) {
    if (node.type !== undefined) node.type = [...new Set([node.type, 'null'].flat())]
    if (Array.isArray(node.enum) && !node.enum.includes(null)) node.enum.push(null)
    return
  }
  const moved: SchemaNode = {}
  for (const key of [...others, 'type', 'enum']) {
    if (node[key] !== undefined) moved[key] = node[key]
    delete node[key]
  }
  const reference = walk.references.findIndex((each) => each.node === node)
  if (reference !== -1) walk.references[reference] = { node: moved, path }
  node.anyOf = [moved, { type: 'null' }]
}

/** `format` and `pattern`: what the validator would throw at, or take forever over. */
function text(node: SchemaNode, path: string, walk: Walk): void {
  const { format, pattern } = node
  // The library's test of `url` takes exponential time.
  if (format === 'url') node.format = 'uri'
  else if (
    format !== undefined &&
    (typeof format !== 'string' || !Object.hasOwn(formats, format))
  ) {
    // An unknown format asserts nothing, and one named like an inherited property would.
    delete node.format
  }
  if (pattern === undefined) return
  delete node.pattern
  const safe = usable(pattern, `${path}/pattern`, walk)
  if (safe === undefined) return
  const { exponential, power } = costOf(safe)
  const cap = walk.trust === 'author' ? maxPatternText : Math.floor(maxPatternSteps ** (1 / power))
  const short = Number(node.maxLength) <= cap
  if (!exponential && (power < 2 || short)) node.pattern = safe
  else {
    bound(
      node,
      { maxLength: cap },
      { pattern: safe },
      walk.trust === 'author' ? { maxLength: cap } : undefined,
    )
  }
}

function usable(pattern: unknown, path: string, walk: Walk): string | undefined {
  const safe = typeof pattern === 'string' ? unicodePattern(pattern) : undefined
  if (typeof pattern !== 'string' || safe === undefined) {
    walk.warn(path, 'is not a pattern that JavaScript knows; it is not checked')
    return undefined
  }
  if (safe !== pattern) walk.warn(path, `was rewritten as ${safe}`)
  const external = walk.trust === 'external'
  if (external && safe.length > maxPatternLength) {
    walk.warn(path, `is longer than ${maxPatternLength} characters; it is not checked`)
    return undefined
  }
  if (costOf(safe).exponential) {
    walk.warn(
      path,
      `can take exponential time (a repeat inside a repeat)${external ? '; it is not checked' : ': rewrite it'}`,
    )
    if (external) return undefined
  }
  return safe
}

function patternKey(members: SchemaNode, pattern: string, path: string, walk: Walk): void {
  const safe = usable(pattern, path, walk)
  if (safe === pattern) return
  const member = members[pattern]
  delete members[pattern]
  if (safe !== undefined) members[safe] = member
}

/** Makes an assertion hold only while the value is small enough to be judged in time. */
function bound(
  node: SchemaNode,
  small: SchemaNode,
  then: SchemaNode,
  otherwise?: SchemaNode,
): void {
  const limited = { if: small, then, ...(otherwise && { else: otherwise }) }
  node.allOf = [...(Array.isArray(node.allOf) ? node.allOf : []), limited]
}
