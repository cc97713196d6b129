/**
 * The secrets of a definition, put into its requests and kept out of what comes back.
 * @module
 */
import { base64 } from '../execute/text.ts'
import type { ApiAuth } from './definition.ts'
import { isHeaderValue } from './read-values.ts'
import { escaped, type Pair } from './serialise.ts'

/** Who asks for a secret, so that a host can keep one for the API that it belongs to. */
export interface SecretUse {
  readonly tool: string
  /** Host, with the port unless it is the usual one, that the secret would be sent to. */
  readonly host: string
}

/** Gives the value of a secret by its name; `undefined` when there is none, or not for this use. */
export type ApiSecrets = (
  name: string,
  use: SecretUse,
) => string | undefined | Promise<string | undefined>

export interface Credentials {
  readonly headers: readonly Pair[]
  readonly query: readonly Pair[]
  /** What must not be seen in an answer. */
  readonly values: readonly string[]
}

/** Throws, naming it, for a secret that is not there or cannot be sent. */
export async function credentialsOf(
  auth: readonly ApiAuth[],
  secrets: ApiSecrets | undefined,
  use: SecretUse,
): Promise<Credentials> {
  const headers: Pair[] = []
  const query: Pair[] = []
  const values: string[] = []
  for (const each of auth) {
    const name = each.secret ?? each.env ?? ''
    // A header loses the blanks at its ends, and what comes back could not be told for it.
    const value = (await secrets?.(name, use))?.trim()
    if (!value)
      throw new Error(`the secret "${name}" is not set for ${use.host}: ask the user to set it`)
    if (each.type === 'basic') {
      const { header, hidden } = basic(value)
      headers.push(['authorization', header])
      values.push(...hidden)
      continue
    }
    values.push(value)
    if (each.in === 'query') query.push([escaped(each.header ?? 'X-API-Key'), escaped(value)])
    else if (!isHeaderValue(value)) throw new Error(`the secret "${name}" cannot go in a header`)
    else if (each.type === 'bearer') headers.push(['authorization', `Bearer ${value}`])
    else headers.push([each.header ?? 'X-API-Key', value])
  }
  return { headers, query, values }
}

/** Without a colon it is a user without a password, as some APIs have their keys. */
function basic(value: string): { header: string; hidden: string[] } {
  const pair = value.includes(':') ? value : `${value}:`
  const encoded = base64(new TextEncoder().encode(pair))
  const colon = pair.indexOf(':')
  const password = pair.slice(colon + 1)
  return {
    header: `Basic ${encoded}`,
    hidden: [pair, encoded, password || pair.slice(0, colon)],
  }
}
