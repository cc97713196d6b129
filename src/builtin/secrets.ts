/**
 * Secrets that a person gave: a model knows their names and puts `{{secret:name}}` where they go.
 * @module
 */
import { wellFormed } from '../execute/text.ts'
import type { RecordStore } from '../run-state/records.ts'

/** Values by session and name; never told to a model. */
export type SecretStore = RecordStore<string>

const keepMs = 30 * 24 * 3_600_000
export const secretName = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$'
const placeholder = /\{\{secret:([A-Za-z][A-Za-z0-9_.-]{0,63})\}\}/g

export async function keepSecret(
  secrets: SecretStore,
  sessionId: string,
  name: string,
  value: string,
): Promise<void> {
  const now = Date.now()
  await secrets.save(`${sessionId}:${name}`, value, { now, forgetAt: now + keepMs })
}

/** The names of the secrets that a text wants. */
export function secretsIn(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...text.matchAll(placeholder)].map(([, name]) => name ?? '')
}

/** The text with its secrets in it, and what must not be shown of an answer. Throws for one that is not kept. */
export async function withSecrets(
  text: string,
  secrets: SecretStore | undefined,
  sessionId: string,
): Promise<{ text: string; values: string[] }> {
  const values = new Map<string, string>()
  for (const name of secretsIn(text)) {
    const value = await secrets?.load(`${sessionId}:${name}`)
    if (value === undefined) {
      throw new Error(`there is no secret "${name}": ask for it with ask_user, secret: true`)
    }
    // A header loses the blanks at its ends, and what comes back could not be told for it.
    values.set(name, value.trim())
  }
  const filled = text.replace(placeholder, (_, name: string) => values.get(name) ?? '')
  return { text: filled, values: [...values.values()] }
}

/** What comes back may repeat what was sent: as it was, in JSON, or in an address. */
export function withoutSecrets(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(wellFormed(value)),
  ])
  // The longest first: one may begin with another.
  const sorted = [...new Set(forms)].filter(Boolean).sort((a, b) => b.length - a.length)
  return sorted.reduce((hidden, form) => hidden.replaceAll(form, '***'), text)
}
