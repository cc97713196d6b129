/**
 * What is wrong with the arguments, in words for the model: path first, what was expected, what came.
 * @module
 */
import type { JsonObject } from '../round.ts'
import type { Leaf } from './leaves.ts'
import { isObject, keysOf, memberAt, type SchemaNode, type Targets } from './pointer.ts'
import { uriOf } from './references.ts'
import type { Issue } from './validator.ts'

/** Longest parts of a message, in characters. */
const maxGot = 60
const maxDescription = 80
const maxMembers = 160
const maxText = 600

const examples: Record<string, string> = {
  date: '2026-01-31',
  time: '09:30:00Z',
  'date-time': '2026-01-31T09:30:00Z',
  duration: 'PT1H30M',
  email: 'name@example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
}

/** `#` stands for the keyword's value. */
const phrases: Record<string, string> = {
  minimum: 'must be at least #',
  maximum: 'must be at most #',
  exclusiveMinimum: 'must be greater than #',
  exclusiveMaximum: 'must be less than #',
  multipleOf: 'must be a multiple of #',
  minLength: 'must have at least # characters',
  maxLength: 'must have at most # characters',
  pattern: 'must match the pattern #',
  format: 'must be a valid #',
  minItems: 'must have at least # items',
  maxItems: 'must have at most # items',
  minProperties: 'must have at least # properties',
  maxProperties: 'must have at most # properties',
  uniqueItems: 'must not repeat an item',
  contains: 'must contain an item that fits the schema',
  minContains: 'must contain at least # items that fit the schema',
  maxContains: 'must contain at most # items that fit the schema',
  propertyNames: 'has a property name that is not allowed',
  oneOf: 'fits more than one of the alternatives; it must fit exactly one',
  not: 'has a form that is not allowed',
  false: 'is not allowed',
  extra: 'is one item too many',
}

/** Says what each leaf means. `inexact` are texts that were numbers which a double cannot hold. */
export function issuesOf(
  leaves: readonly Leaf[],
  args: JsonObject,
  targets: Targets,
  inexact: ReadonlySet<string> | undefined,
): Issue[] {
  return leaves.map((leaf) => {
    const value = memberAt(args, keysOf(leaf.path))
    const said = sentence(leaf, value, targets, inexact?.has(leaf.path) === true)
    return { path: leaf.path, message: said }
  })
}

function sentence(leaf: Leaf, value: unknown, targets: Targets, inexact: boolean): string {
  const [node = {}] = leaf.nodes
  const { keyword, missing } = leaf
  if (missing !== undefined) {
    const property = follow(memberAt(node.properties, [missing]), targets)
    const wanted = expected([property])
    return `is required${wanted && `: ${wanted}`}${described(property)}`
  }
  if (keyword === 'unknown' || keyword === 'unevaluated') {
    const names = Object.keys(isObject(node.properties) ? node.properties : {})
    return `is not a known property; ${names.length > 0 ? `allowed: ${listed(names)}` : 'none is allowed'}`
  }
  if (keyword === 'kind') {
    if (inexact) {
      return `must be ${expected(leaf.nodes)}, but ${cut(String(value), maxGot)} has more digits than a number can hold: send it as a string, in quotes, where the tool takes one${described(node)}`
    }
    return `must be ${expected(leaf.nodes) || 'something else'}, got ${jsonText(value)}${described(node)}`
  }
  const limit = node[keyword]
  const phrase = phrases[keyword] ?? `does not fit "${keyword}"`
  const said = phrase.replace('#', () => cut(String(limit), maxDescription))
  const example = keyword === 'format' ? examples[String(limit)] : undefined
  const such = example === undefined ? '' : ` such as "${example}"`
  return `${said}${such}, got ${jsonText(value)}${described(node)}`
}

function follow(node: unknown, targets: Targets): SchemaNode {
  let found = node
  for (let hops = 0; hops < 8 && isObject(found) && found.$ref !== undefined; hops += 1) {
    const target = targets.get(uriOf(found))
    found = isObject(target)
      ? { ...target, ...(found.description ? { description: found.description } : {}) }
      : target
  }
  return isObject(found) ? found : {}
}

/** Types and members that would do, of one schema or of several alternatives. */
function expected(nodes: readonly SchemaNode[]): string {
  const types = new Set<unknown>()
  const members = new Set<string>()
  for (const { type, enum: list, const: only } of nodes) {
    if (only !== undefined) members.add(JSON.stringify(only))
    else if (Array.isArray(list)) for (const each of list) members.add(JSON.stringify(each))
    else for (const each of [type ?? []].flat()) types.add(each)
  }
  const parts = [...types].map(String)
  if (members.size > 0) parts.push(`${members.size > 1 ? 'one of ' : ''}${listed([...members])}`)
  return parts.join(' or ')
}

function listed(names: readonly string[]): string {
  let text = ''
  for (const [index, name] of names.entries()) {
    if (index > 0 && text.length + name.length > maxMembers) {
      return `${text} … (${names.length} in all)`
    }
    text += `${index > 0 ? ', ' : ''}${cut(name, maxMembers)}`
  }
  return text
}

function described({ description, title }: SchemaNode): string {
  const text = String(description ?? title ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return text && ` (${cut(text, maxDescription)})`
}

/** A value as JSON, cut to what a message can bear. */
export function jsonText(value: unknown): string {
  // A long text need not be escaped whole to show its beginning.
  const shown = typeof value === 'string' ? value.slice(0, maxGot + 1) : value
  return cut(JSON.stringify(shown) ?? 'nothing', maxGot)
}

function cut(text: string, length: number): string {
  return text.length > length
    ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
    : text
}

/** One text for the model with every problem, path first, under 600 characters whatever the schema. */
export function formatIssues(name: string, issues: readonly Issue[]): string {
  const head = `${cut(name, 100)}: the arguments do not fit its schema; correct them and call again.`
  const room = maxText - head.length - 40
  let shown: string[] = []
  // Shorter lines before fewer lines.
  for (const width of [300, 140, 70]) {
    let used = 0
    shown = issues
      .map(({ path, message }) => `\n${cut(path || '(all)', width / 2)} ${cut(message, width)}`)
      .filter((line) => {
        used += line.length
        return used <= room
      })
    if (shown.length === issues.length) break
  }
  const left = issues.length - shown.length
  return `${head}${shown.join('')}${left > 0 ? `\n… and ${left} more problems.` : ''}`
}
