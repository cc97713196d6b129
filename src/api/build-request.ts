/**
 * Makes the request of one call: address, headers, body.
 * @module
 */
import type { JsonObject } from '../round.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { bodyOf } from './body.ts'
import type { LoadedApi } from './read-definition.ts'
import { placeholder } from './read-endpoint.ts'
import type { BoundParameter } from './read-parameters.ts'
import { isHeaderValue } from './read-values.ts'
import { escaped, inHeader, inPath, inQuery, joined, type Pair } from './serialise.ts'

/** An argument that is given, or its default. */
export interface Given {
  readonly parameter: BoundParameter
  readonly value: unknown
}

/** What the model gave, defaults filled in. `null` counts as given in a body alone. */
export function givenIn({ parameters }: LoadedApi, args: JsonObject): Given[] {
  return parameters.flatMap((parameter) => {
    const value = Object.hasOwn(args, parameter.argument)
      ? args[parameter.argument]
      : parameter.fallback
    const isGiven = value !== undefined && (value !== null || /body/.test(parameter.in))
    return isGiven ? [{ parameter, value }] : []
  })
}

/**
 * The address of a call, without secrets. Throws for an argument that would lead out of its part of
 * the path.
 */
export function addressOf({ definition }: LoadedApi, given: readonly Given[]): string {
  const { url, query = {} } = definition.endpoint
  const [path = '', ...own] = url.split('?')
  const values = new Map(
    given
      .filter(({ parameter }) => parameter.in === 'path')
      .map((each): [string, Given] => [each.parameter.name, each]),
  )
  const pairs: Pair[] = [
    ...Object.entries(query).map(([name, value]): Pair => [escaped(name), escaped(value)]),
    ...given
      .filter(({ parameter }) => parameter.in === 'query')
      .flatMap(({ parameter, value }) => inQuery(parameter, value)),
  ]
  const search = [ownQuery(own.join('?'), values), joined(pairs)].filter(Boolean).join('&')
  return filledPath(path, values) + (search && `?${search}`)
}

function filledPath(path: string, values: ReadonlyMap<string, Given>): string {
  const filled = path.replace(/(\/?)\{([^{}]*)\}/g, (_, slash: string, name: string) => {
    const one = values.get(name)
    if (!one) return ''
    const text = inPath(one.parameter, one.value)
    // `/users/` is another thing than `/users/{id}`.
    if (text === '') throw new Error(`${one.parameter.argument} must not be empty`)
    return slash + text
  })
  // A URL's `.` and `..` lead to another path, also escaped.
  if (filled.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new Error('no part of the path may be "." or ".."')
  }
  return filled
}

/** What stands in the URL after its question mark, without the pairs whose argument is missing. */
function ownQuery(query: string, values: ReadonlyMap<string, Given>): string {
  return query
    .split('&')
    .flatMap((pair) => {
      let isWhole = true
      const filled = pair.replace(placeholder, (_, name: string) => {
        const one = values.get(name)
        if (!one) isWhole = false
        return one ? inPath(one.parameter, one.value) : ''
      })
      return isWhole && filled ? [filled] : []
    })
    .join('&')
}

/** The request without its secrets. Throws for an argument that cannot be sent. */
export async function initOf(
  { definition, parameters }: LoadedApi,
  given: readonly Given[],
  workspace: Workspace | undefined,
): Promise<RequestInit & { headers: Headers }> {
  const { method, headers: fixed, content_type: contentType = 'json' } = definition.endpoint
  const headers = new Headers({ accept: 'application/json, */*;q=0.5', ...fixed })
  for (const { parameter, value } of given) {
    if (parameter.in === 'header') headers.set(parameter.name, headerOf(parameter, value))
  }
  const hasBody = parameters.some((parameter) => /body/.test(parameter.in))
  const body = hasBody ? await bodyOf(contentType, given, workspace) : undefined
  if (body === undefined) return { method, headers }
  // The boundary is known to the sender alone.
  if (body.type === undefined) headers.delete('content-type')
  else if (!headers.has('content-type')) headers.set('content-type', body.type)
  return { method, headers, body: body.content }
}

function headerOf(parameter: BoundParameter, value: unknown): string {
  const text = inHeader(parameter, value)
  if (isHeaderValue(text)) return text
  throw new Error(
    `${parameter.argument} goes as a header: it must be one line, without characters beyond Latin-1`,
  )
}
