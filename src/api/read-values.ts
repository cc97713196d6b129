/**
 * Checks that all parts of a definition share.
 * @module
 */

/** Names each field that there is not, and those that there are. */
export function* unknownFields(
  at: string,
  given: object,
  known: readonly string[],
): Generator<string> {
  for (const field of Object.keys(given)) {
    if (!known.includes(field)) yield `there is no field "${at}${field}": ${known.join(', ')}`
  }
}

/** One of these values, or none at all. */
export function* choice(
  field: string,
  value: unknown,
  values: readonly (string | boolean)[],
): Generator<string> {
  if (value === undefined || values.includes(value as string)) return
  yield `${field} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

export function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && token.test(name)
}

/** What a header can hold: no line break, no character beyond one byte. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
