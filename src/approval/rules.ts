/**
 * Allow rules: calls of one tool, with matching arguments, that nobody is asked about again.
 * @module
 */
import wildcardMatch from 'wildcard-match'
import { canonicalJson } from '../dedupe/call-key.ts'
import type { Json, JsonObject } from '../round.ts'
import type { AllowRule } from '../run-state/run-state.ts'
import type { RegisteredTool } from '../tools/registry.ts'

/**
 * True when a rule names this tool as it is now (a changed definition asks again) and its pattern
 * fits: every argument that the pattern names must match, by exact value or, for text, with `*`
 * (inside one `/` segment) and `**`. Arguments that the pattern does not name are free.
 */
export async function isAllowed(
  registered: RegisteredTool,
  args: JsonObject,
  rules: readonly AllowRule[],
): Promise<boolean> {
  const own = rules.filter((rule) => rule.tool === registered.name)
  if (own.length === 0) return false
  const fingerprint = await registered.fingerprint()
  return own.some((rule) => rule.fingerprint === fingerprint && matches(rule.pattern, args))
}

function matches(pattern: JsonObject | undefined, args: JsonObject): boolean {
  if (pattern === undefined) return true
  return Object.entries(pattern).every(
    ([name, wanted]) => Object.hasOwn(args, name) && fits(wanted, args[name] as Json),
  )
}

function fits(wanted: Json, value: Json): boolean {
  if (typeof wanted === 'string' && typeof value === 'string') {
    return wanted === value || (!climbs(value) && wildcardMatch(wanted, { separator: '/' })(value))
  }
  return canonicalJson(wanted) === canonicalJson(value)
}

/**
 * Could this text lead out of the folder that a pattern names? `.` and `..` as a segment in any spelling
 * that a URL parser reads so: percent-encoded, with backslashes, with characters that parsers drop.
 */
function climbs(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(value)) return true
  const plain = value.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/')
  return plain.split(/[\\/?#]/).some((segment) => segment === '.' || segment === '..')
}
