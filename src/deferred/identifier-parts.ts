/**
 * The words in a name that is written as one.
 * @module
 */

/** Between `get` and `User`, and between `HTTP` and `Request`. */
const innerCapital = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** `getUserName` as `get`, `User` and `Name`; a plain word as itself. */
export function identifierParts(name: string): string[] {
  return name.split(innerCapital)
}
