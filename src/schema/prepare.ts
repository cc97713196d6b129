/**
 * Registration of one schema: a private copy, repaired, with every reference resolved.
 * @module
 */
import { DispatchError } from '../errors.ts'
import { type Fail, normalise, type Walk } from './normalise.ts'
import { below, isObject, type SchemaNode, type Targets } from './pointer.ts'
import { knownUris, refuseLoops, targetOf, uriOf } from './references.ts'

/** A schema that is safe to validate with. */
export interface Prepared {
  readonly schema: SchemaNode
  readonly draft: '7' | '2020-12'
  readonly warnings: readonly string[]
  readonly targets: Targets
  /** Some property has a default. */
  readonly defaults: boolean
  /** Some array must not repeat an item. */
  readonly unique: boolean
}

/** Bounds of a schema: nesting, and characters of JSON text. */
const limits = {
  author: { depth: 256, size: 4_000_000 },
  external: { depth: 64, size: 131_072 },
}

const fail: Fail = (path, message) => {
  throw new DispatchError('THREEPASS_BAD_SCHEMA', `The schema at "${path}" ${message}.`)
}

/** Copies and repairs a schema. Throws `THREEPASS_BAD_SCHEMA` for one that cannot be used. */
export function prepare(given: unknown, trust: 'author' | 'external'): Prepared {
  const { depth, size } = limits[trust]
  let left = size
  const spend = (amount: number, path: string) => {
    left -= amount
    if (left < 0) fail(path, `is larger than ${size} characters: use a smaller schema`)
  }
  const schema = copy(given ?? {}, '', depth, spend)
  if (!isObject(schema)) return fail('', 'must be a JSON object such as {"type":"object"}')
  const warnings: string[] = []
  const walk: Walk = {
    trust,
    seen: new Set(),
    references: [],
    warn: (path, message) => warnings.push(`${path || 'The schema'}: ${message}.`),
    fail,
    uris: false,
    draft7: false,
    defaults: false,
    unique: false,
    branches: 0,
  }
  normalise(schema, '', walk)
  const targets = resolve(schema, walk)
  if (!takesObjects(schema, targets)) {
    fail('/type', 'must accept an object, because arguments are one: use "type": "object"')
  }
  if (schema.$ref === undefined) schema.type ??= 'object'
  const { defaults, unique } = walk
  return { schema, draft: draftOf(schema, walk), warnings, targets, defaults, unique }
}

/** Plain JSON only; what JSON leaves out (`undefined`, functions of a class) is left out. */
function copy(
  value: unknown,
  path: string,
  depth: number,
  spend: (amount: number, path: string) => void,
): unknown {
  spend(typeof value === 'string' ? value.length + 3 : 4, path)
  if (typeof value !== 'object' || value === null) {
    if (
      typeof value === 'number'
        ? Number.isFinite(value)
        : /string|boolean|object/.test(typeof value)
    )
      return value
    return fail(path, `holds a ${typeof value} that JSON cannot: use plain JSON`)
  }
  if (depth === 0) fail(path, 'nests too deeply or contains itself: use $ref for recursion')
  if (Array.isArray(value)) {
    return value.map((item, index) => copy(item, below(path, index), depth - 1, spend))
  }
  const object: SchemaNode = {}
  for (const [key, member] of Object.entries(value)) {
    // `__absolute_…` are the validator's own marks, `__proto__` is never an argument.
    if (member === undefined || key === '__proto__' || key.startsWith('__absolute_')) continue
    spend(key.length, path)
    object[key] = copy(member, below(path, key), depth - 1, spend)
  }
  return object
}

function resolve(root: SchemaNode, walk: Walk): Targets {
  const targets = new Map<string, unknown>()
  const known = walk.uris ? knownUris(root, fail) : undefined
  // The list grows while references lead to places that only they make schemas.
  for (const { node, path } of walk.references) {
    const target = targetOf(root, node, known)
    if (target === undefined) {
      fail(
        `${path}/$ref`,
        `is ${JSON.stringify(node.$ref)}, which leads nowhere: put the schema under $defs and refer to it as "#/$defs/name" (nothing is fetched)`,
      )
    }
    if (isObject(target)) normalise(target, String(node.$ref), walk)
    targets.set(uriOf(node), target)
  }
  refuseLoops(walk.references, (node) => targets.get(uriOf(node)), fail)
  return targets
}

function takesObjects(node: unknown, targets: Targets): boolean {
  if (!isObject(node)) return node !== false
  const { type, $ref, allOf, anyOf, oneOf } = node
  if (type !== undefined && ![type].flat().includes('object')) return false
  if ($ref !== undefined && !takesObjects(targets.get(uriOf(node)), targets)) return false
  const takes = (each: unknown) => takesObjects(each, targets)
  return (
    (!Array.isArray(allOf) || allOf.every(takes)) &&
    [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(takes))
  )
}

function draftOf(schema: SchemaNode, walk: Walk): '7' | '2020-12' {
  const marked = String(schema.$schema)
  if (/draft-0[3-7]/.test(marked)) return '7'
  return walk.draft7 && !/draft\/20/.test(marked) ? '7' : '2020-12'
}
