/**
 * Smaller forms of a definition whose schema is larger than a dispatcher takes.
 * @module
 */
import type { ApiDefinition } from '../api/definition.ts'
import { isObject } from '../schema/pointer.ts'
import type { JsonSchema } from '../tools/tool.ts'

/**
 * The definition itself; without the descriptions of what its parameters refer to; then with less and
 * less of that, the farthest first. What is left out accepts any value, and says so.
 */
export function* smaller(definition: ApiDefinition): Generator<ApiDefinition> {
  yield definition
  const { $defs, parameters = {} } = definition
  if (!$defs) return
  const bare = Object.fromEntries(
    Object.entries($defs).map(([name, schema]) => [name, undescribed(schema) as JsonSchema]),
  )
  yield { ...definition, $defs: bare }
  const levels = levelsOf(parameters, bare)
  for (let depth = levels.length - 1; depth >= 0; depth -= 1) {
    const kept = levels.slice(0, depth).flat()
    const cut = Object.fromEntries(
      levels
        .slice(0, depth + 1)
        .flat()
        .map((name): [string, JsonSchema] => [
          name,
          kept.includes(name) ? (bare[name] ?? {}) : { description: `Any ${name}.` },
        ]),
    )
    yield { ...definition, $defs: cut }
  }
}

/** Names of shared schemas by their distance from the parameters. */
function levelsOf(root: unknown, defs: Readonly<Record<string, JsonSchema>>): string[][] {
  const levels: string[][] = []
  const seen = new Set<string>()
  let next = namesIn(root)
  while (next.length > 0) {
    const level = [...new Set(next)].filter((name) => !seen.has(name))
    if (level.length > 0) levels.push(level)
    for (const name of level) seen.add(name)
    next = level.flatMap((name) => namesIn(defs[name]))
  }
  return levels
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string'
      ? [member.slice('#/$defs/'.length)]
      : namesIn(member),
  )
}

function undescribed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undescribed)
  if (!isObject(value)) return value
  const entries = Object.entries(value)
    // A property may be called description: it is no text then.
    .filter(([key, member]) => key !== 'description' || typeof member !== 'string')
    .map(([key, member]) => [key, undescribed(member)])
  return Object.fromEntries(entries)
}
