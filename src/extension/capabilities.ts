/**
 * What an extension may use, as its package says it.
 * @module
 */
import { hostRules } from '../net/address.ts'
import type { Json } from '../round.ts'

/** What an extension may use beside its own code: a person agrees to exactly this. */
export interface Capabilities {
  /**
   * Hosts that its tools may reach, such as `api.example.com` or `localhost:8080`; sorted. Without a port it
   * is every port of the host that is open to tools, over https and http.
   */
  readonly hosts: readonly string[]
  /** Names of the secrets that its tools may send there; sorted. */
  readonly secrets: readonly string[]
}

type Given = Readonly<Record<string, unknown>>

export function listOf(field: string, given: unknown, problems: string[]): readonly unknown[] {
  if (given === undefined) return []
  if (Array.isArray(given)) return given
  problems.push(`${field} must be a list`)
  return []
}

export function capabilitiesOf(given: unknown, problems: string[]): Capabilities {
  const { hosts, secrets, ...more } = Object(given) as Given
  for (const field of Object.keys(more)) problems.push(`capabilities has no "${field}"`)
  const texts = (field: string, list: unknown): string[] => {
    const all = listOf(`capabilities.${field}`, list, problems)
    const wrong = all.find((each) => typeof each !== 'string' || each === '')
    if (wrong !== undefined) problems.push(`capabilities.${field} must be a list of texts`)
    return [...new Set(all.filter((each) => typeof each === 'string'))].sort()
  }
  const own = { hosts: texts('hosts', hosts), secrets: texts('secrets', secrets) }
  for (const host of own.hosts) {
    if (!isHost(host)) {
      problems.push(
        `capabilities.hosts: ${JSON.stringify(host)} is no host such as api.example.com`,
      )
    }
  }
  return own
}

const hostPattern = /^[a-z0-9.-]+(:\d+)?$/

/** As URLs write it: a person must not agree to `0x7f000001`, nor a fetch fail to be made of it. */
function isHost(host: string): boolean {
  if (!hostPattern.test(host)) return false
  try {
    const [rule] = hostRules('capabilities.hosts', [host])
    const port = rule?.port === undefined ? '' : `:${rule.port}`
    return rule !== undefined && rule.hostname + port === host
  } catch {
    return false
  }
}

/** For a person to agree to, and to compare. */
export function capabilitiesJson({ hosts, secrets }: Capabilities): { [field: string]: Json } {
  return { hosts: [...hosts], secrets: [...secrets] }
}
