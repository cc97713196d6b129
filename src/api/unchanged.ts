/**
 * A call goes to the API that its definition names now, or nowhere.
 * @module
 */
import type { LoadedSource } from '../tools/read-source.ts'
import { readApiDefinition } from './read-definition.ts'
import type { ApiDefinitions, FoundDefinition } from './source.ts'
import { versionOf } from './version.ts'

/**
 * Rejects when the definition of a tool is another one by now, or gone: the source is read anew, and nothing
 * is sent. `version` is that of the definition as the tool was made of it.
 */
export async function checkUnchanged(
  { definition, name }: FoundDefinition,
  version: string,
  definitions: ApiDefinitions,
  source: LoadedSource,
): Promise<void> {
  const one = await definitions.one?.(definition)
  const now = definitions.one ? (one ? [one] : []) : await definitions()
  const own = now.filter((each) => each.definition === definition && each.name === name)
  if (own.some(({ content }) => versionIn(content) === version)) return
  await source.load()
  throw new Error(
    own.length > 0
      ? 'the definition has changed, so nothing was sent: look at its schema again, and call it again'
      : 'the definition is gone, so nothing was sent',
  )
}

function versionIn(content: unknown): string | undefined {
  const read = readApiDefinition(content)
  return read.ok ? versionOf(read.api.definition) : undefined
}
