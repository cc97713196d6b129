/**
 * From the validator's nested errors to the few that name a cause: wrappers go, and of a union
 * only the branch speaks that was meant.
 * @module
 */
import type { OutputUnit } from '@cfworker/json-schema'
import { below, isObject, keysOf, memberAt, type SchemaNode, type Targets } from './pointer.ts'
import { uriOf } from './references.ts'

/** One cause. */
export interface Leaf {
  /** JSON pointer of the value. */
  readonly path: string
  /** The keyword that failed; `kind` for type, enum and const, `unknown` for a property too many. */
  readonly keyword: string
  /** The schema that holds the keyword; several when alternatives failed alike. */
  readonly nodes: readonly SchemaNode[]
  /** `required`: the property's name. */
  readonly missing?: string
}

const wrappers =
  /^(properties|patternProperties|additionalProperties|unevaluatedProperties|prefixItems|items|additionalItems|unevaluatedItems|\$ref|allOf|if|dependentSchemas)$/
const missingName = /(?:does not have required property|but does not have) "([\s\S]*)"\.$/

/** Reads a complete error list (no short circuit). */
export function leavesOf(
  errors: readonly OutputUnit[],
  root: SchemaNode,
  targets: Targets,
): Leaf[] {
  return tidy(collect(errors, 0, errors.length, (location) => nodeAt(root, targets, location)))
}

type FindNode = (keywordLocation: string) => SchemaNode

function collect(errors: readonly OutputUnit[], from: number, to: number, find: FindNode): Leaf[] {
  const leaves: Leaf[] = []
  for (let at = from; at < to; ) {
    const error = errors[at] as OutputUnit
    const { keyword } = error
    const end = groupEnd(errors, at, to)
    const wraps = wrappers.test(keyword) || (keyword === 'dependencies' && end > at + 1)
    if (wraps) at += 1
    else if (/^(any|one)Of$/.test(keyword) && !/\([^0]\d* matches/.test(error.error)) {
      leaves.push(...bestBranch(errors, at, end, find))
      at = end
    } else {
      leaves.push(leafOf(error, errors[at - 1], find))
      at = Math.max(end, at + 1)
    }
  }
  return leaves
}

/** The errors under one error follow it. Those of a `false` schema carry no location of their own. */
function groupEnd(errors: readonly OutputUnit[], at: number, to: number): number {
  const prefix = `${errors[at]?.keywordLocation}/`
  let end = at + 1
  while (end < to) {
    const next = errors[end]
    if (!next?.keywordLocation.startsWith(prefix) && next?.keyword !== 'false') break
    end += 1
  }
  return end
}

function leafOf(error: OutputUnit, before: OutputUnit | undefined, find: FindNode): Leaf {
  const path = decode(error.instanceLocation.slice(1))
  if (error.keyword === 'false') {
    const keyword = before?.keyword ?? ''
    const node = find(before?.keywordLocation ?? '#')
    if (/^(additional|unevaluated)Properties$/.test(keyword)) {
      return { path, keyword: keyword[0] === 'u' ? 'unevaluated' : 'unknown', nodes: [node] }
    }
    return { path, keyword: /tems$/.test(keyword) ? 'extra' : 'false', nodes: [node] }
  }
  const nodes = [find(error.keywordLocation)]
  if (/^(type|enum|const)$/.test(error.keyword)) return { path, keyword: 'kind', nodes }
  const missing = missingName.exec(error.error)?.[1]
  if (missing === undefined) return { path, keyword: error.keyword, nodes }
  return { path: below(path, missing), keyword: 'required', nodes, missing }
}

/** The branch whose constants fit, that fails deepest inside and least often. */
function bestBranch(
  errors: readonly OutputUnit[],
  at: number,
  end: number,
  find: FindNode,
): Leaf[] {
  const union = errors[at] as OutputUnit
  const path = decode(union.instanceLocation.slice(1))
  const branches: Leaf[][] = []
  const branchOf = (error: OutputUnit | undefined) =>
    error?.keywordLocation.slice(union.keywordLocation.length + 1).split('/', 1)[0]
  for (let start = at + 1; start < end; ) {
    let stop = start + 1
    const same = (error: OutputUnit | undefined) =>
      error?.keyword === 'false' || branchOf(error) === branchOf(errors[start])
    while (stop < end && same(errors[stop])) stop += 1
    branches.push(tidy(collect(errors, start, stop, find)))
    start = stop
  }
  const wrongKind = (leaves: Leaf[]) =>
    leaves.some((leaf) => leaf.path === path && leaf.keyword === 'kind')
  const right = branches.filter((leaves) => leaves.length > 0 && !wrongKind(leaves))
  if (right.length === 0) return merged(branches, path)
  const score = (leaves: Leaf[]) =>
    leaves.filter((leaf) => tells(leaf, path)).length * 1e4 +
    leaves.length * 100 -
    Math.max(...leaves.map((leaf) => leaf.path.split('/').length))
  const best = right.reduce((one, other) => (score(other) < score(one) ? other : one))
  const wrong = best.find((leaf) => tells(leaf, path))
  // No branch has this constant: the constants of all branches are what was expected.
  return wrong ? merged(right, wrong.path) : best
}

/** A constant one level down: what usually tells the branches apart. */
function tells({ path, keyword, nodes: [node] }: Leaf, union: string): boolean {
  if (keyword !== 'kind' || (node?.const === undefined && node?.enum === undefined)) return false
  return path.slice(0, path.lastIndexOf('/')) === union
}

function merged(branches: readonly Leaf[][], path: string): Leaf[] {
  const nodes = branches
    .flat()
    .flatMap((leaf) => (leaf.path === path && leaf.keyword === 'kind' ? leaf.nodes : []))
  return [{ path, keyword: 'kind', nodes }]
}

/** One leaf a cause: a wrong kind hides what else is wrong at its path. */
function tidy(leaves: Leaf[]): Leaf[] {
  const wrongKind = new Set<string>()
  const seen = new Set<string>()
  for (const { path, keyword } of leaves) if (keyword === 'kind') wrongKind.add(path)
  const certain = leaves.some((leaf) => leaf.keyword !== 'unevaluated')
  return leaves.filter(({ path, keyword }) => {
    // A property counts as unevaluated also when it is known but wrong.
    if (keyword === 'unevaluated' && certain) return false
    if (keyword !== 'kind' && wrongKind.has(path)) return false
    const key = `${keyword} ${path}`
    return !seen.has(key) && seen.add(key)
  })
}

/** The schema that holds the last keyword of a location, through references. */
function nodeAt(root: SchemaNode, targets: Targets, location: string): SchemaNode {
  const keys = keysOf(decode(location.slice(1)))
  let node: unknown = root
  for (const key of keys.slice(0, -1)) {
    if (key === '$ref' && isObject(node) && typeof node.$ref === 'string') {
      node = targets.get(uriOf(node))
    } else node = memberAt(node, [key])
  }
  return isObject(node) ? node : {}
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
