/**
 * The variable `TOOL_SECRETS`: secrets of tools from outside, each with the hosts that it may be sent to.
 * @module
 */
import type { ApiSecrets } from '../src/api/index.ts'
import { isObject } from '../src/schema/pointer.ts'

export interface ToolSecrets {
  /** A secret goes to its own hosts and nowhere else, whoever wrote the definition that names it. */
  readonly secrets: ApiSecrets
  /** What is wrong with the variable. Names secrets, and shows the value of none. */
  readonly problem?: string
}

interface ToolSecret {
  readonly value: string
  readonly hosts: readonly string[]
}

const wanted = '{ "value": "…", "hosts": ["api.example.com"] }'

/** Never throws: a secret that is written down wrongly is not given, and the others are. */
export function readToolSecrets(text: string | undefined): ToolSecrets {
  const all = new Map<string, ToolSecret>()
  const given = text === undefined || text.trim() === '' ? {} : parsed(text)
  if (!isObject(given)) {
    return { secrets: () => undefined, problem: `TOOL_SECRETS must be JSON: { "NAME": ${wanted} }` }
  }
  const wrong: string[] = []
  for (const [name, each] of Object.entries(given)) {
    if (isSecret(each)) all.set(name, each)
    else wrong.push(name)
  }
  const secrets: ApiSecrets = (name, { host }) => {
    const own = all.get(name)
    return own?.hosts.includes(host) ? own.value : undefined
  }
  if (wrong.length === 0) return { secrets }
  return { secrets, problem: `TOOL_SECRETS: ${wrong.join(', ')} must be ${wanted}` }
}

/** A text has `includes` as well, and would match the parts of its hosts. */
function isSecret(given: unknown): given is ToolSecret {
  const { value, hosts } = Object(given) as { value?: unknown; hosts?: unknown }
  const isText = (each: unknown) => typeof each === 'string' && each !== ''
  return isText(value) && Array.isArray(hosts) && hosts.every(isText)
}

/** The text itself is secret: the parser's error would show a part of it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
