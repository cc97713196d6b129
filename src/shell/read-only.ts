/**
 * Whether a command line can only look: read off its syntax tree; what is not known to be harmless is not.
 * @module
 */
import { parse } from 'unbash'
import { isHarmless } from './read-only-commands.ts'

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Parts of a tree that do nothing themselves: only what is in them counts. */
const harmless = new Set(
  `Script Statement AndOr Pipeline Negation Time CompoundList If Elif For ArithmeticFor While
  Subshell BraceGroup Case CaseItem Redirected TestCommand TestUnary TestBinary TestLogical TestNot
  TestGroup Word Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted SimpleExpansion
  ParameterExpansion CommandExpansion ArithmeticExpansion ExtendedGlob BraceExpansion Assignment
  ArrayValue HereString HereDoc HereDocBody HereDocDelimiter Default Remove Replace Slice
  CaseModification Names ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup
  ArithmeticWord ArithmeticCommandExpansion ArithmeticCommand FileDescriptor Redirect Command
  ProcessSubstitution`.split(/\s+/),
)

/** Longer ones are asked about unread. */
const longestScript = 20_000

/** Variables that say what a name runs or what a command does. */
const powerful =
  /^(PATH|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|IFS|PROMPT_COMMAND|LD_\w*|GIT_\w*|PAGER|EDITOR)$/

/** True when the script, in Bash's grammar, is one that looks. What runs as such is given no way to write. */
export function isReadOnlyScript(script: string): boolean {
  if (script.length > longestScript) return false
  return looksOnly(parse(script) as unknown as Node, new Set())
}

/** The same of a command with its arguments, taken literally. */
export function isReadOnlyCommand(argv: readonly string[]): boolean {
  const [name = '', ...args] = argv
  if ((name === 'bash' || name === 'sh') && args[0] === '-c' && args.length === 2) {
    return isReadOnlyScript(args[1] ?? '')
  }
  return isHarmless(name, args)
}

/** Nodes that are looked at already: some are reached by more than one field. */
type Seen = Set<Node>

function looksOnly(node: Node, seen: Seen): boolean {
  if (seen.has(node)) return true
  seen.add(node)
  if (!harmless.has(node.type)) return false
  if (Array.isArray(node.errors) && node.errors.length > 0) return false
  if (node.type === 'Command' && !isKnown(node)) return false
  if (node.type === 'Redirect' && !readsOrDrops(node)) return false
  if (node.type === 'Assignment' && powerful.test(String(node.name))) return false
  if (node.type === 'ProcessSubstitution' && node.operator !== '<') return false
  if (unread.has(node.type) && !node.script && !node.expression) return false
  return children(node).every((child) => looksOnly(child, seen))
}

/** What is in them must have been read, too. */
const unread = new Set(['CommandExpansion', 'ProcessSubstitution', 'ArithmeticExpansion'])

/** Nodes below. Some fields are computed when they are asked for: they stand on the prototype. */
function children(node: Node): Node[] {
  const fields = new Set(Object.keys(node))
  for (let at = Object.getPrototypeOf(node); at && at !== Object.prototype; ) {
    for (const field of Object.getOwnPropertyNames(at)) fields.add(field)
    at = Object.getPrototypeOf(at)
  }
  return [...fields].flatMap((field) => nodesIn(node[field]))
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  if (typeof value !== 'object' || value === null) return []
  return typeof (value as Node).type === 'string'
    ? [value as Node]
    : Object.values(value).flatMap(nodesIn)
}

function isKnown({ name, args }: Node): boolean {
  // Assignments alone, or a redirection.
  if (name === undefined) return true
  const command = literal(name as Node)
  if (command === undefined) return false
  const words = (args as readonly Node[]).map(literal)
  return isHarmless(command, words)
}

/** A word's text when nothing in it is expanded. */
function literal(word: Node): string | undefined {
  const plain = (parts: unknown): boolean =>
    nodesIn(parts).every(
      ({ type, parts: inner }) =>
        ['Literal', 'SingleQuoted', 'AnsiCQuoted'].includes(type) ||
        (type === 'DoubleQuoted' && plain(inner)),
    )
  return word.type === 'Word' && plain(word.parts) ? String(word.value) : undefined
}

function readsOrDrops({ operator, target }: Node): boolean {
  if (operator === '<' || operator === '<&') return true
  const to = target === undefined ? undefined : literal(target as Node)
  if (operator === '>&' && /^\d+$|^-$/.test(to ?? '')) return true
  return to === '/dev/null'
}
