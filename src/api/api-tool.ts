/**
 * Makes a tool of an API's definition.
 * @module
 */
import { withoutSecrets } from '../builtin/secrets.ts'
import { webResource } from '../builtin/web.ts'
import { request } from '../net/request.ts'
import type { JsonObject } from '../round.ts'
import type { Tool, ToolTraits } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { answerOf } from './answer.ts'
import { addressOf, type Given, givenIn, initOf } from './build-request.ts'
import { type ApiSecrets, credentialsOf } from './credentials.ts'
import type { Bucket } from './rate-limit.ts'
import type { LoadedApi } from './read-definition.ts'
import { joined } from './serialise.ts'
import { versionOf } from './version.ts'

export interface ApiToolOptions {
  readonly fetch: typeof fetch
  readonly secrets?: ApiSecrets
  readonly workspace?: Workspace
  readonly maxBytes: number
  /** The definition's own words about its safety count. */
  readonly trusted: boolean
  readonly bucket?: Bucket
  /** The whole name; default `api_<name>`. */
  readonly name?: string
  /** Rejects when the definition must not be used any more. */
  readonly check?: () => Promise<void>
}

export const apiPrefix = 'api_'
const defaultTimeoutSeconds = 60

export function apiTool(api: LoadedApi, options: ApiToolOptions): Tool {
  const { definition, inputSchema } = api
  const { timeout: seconds = defaultTimeoutSeconds } = definition.endpoint
  const { name = apiPrefix + definition.name } = options
  return {
    name,
    description: definition.description,
    inputSchema,
    version: versionOf(definition),
    trust: 'external',
    ...traitsOf(api, options.trusted),
    tells: (args) => told(api, args),
    // The request ends itself; the dispatcher never cuts first.
    timeout: (seconds + 5) * 1_000,
    execute: (args, { signal }) => execute(name, api, args, seconds * 1_000, signal, options),
  }
}

function traitsOf(api: LoadedApi, trusted: boolean): ToolTraits {
  const { concurrent, cache, read_only: claimed, always_allow: allowed, endpoint } = api.definition
  const isRead = endpoint.method === 'GET' || endpoint.method === 'HEAD'
  const readOnly = isRead || (trusted && claimed === true)
  const files = api.parameters.filter(({ file }) => file)
  // Whoever wrote the definition chose where the secret goes.
  const sendsSecret = api.auth.length > 0 && !trusted
  return {
    ...(concurrent && { concurrent }),
    ...(sendsSecret ? { confirm: true } : trusted && allowed && { confirm: false }),
    reads: (args) => [
      ...resourceOf(api, args, 'path'),
      ...fileResources(files.flatMap(({ argument }) => args[argument] ?? [])),
    ],
    ...(readOnly ? { readOnly } : { writes: (args) => resourceOf(api, args, 'host') }),
    ...(cache && { cache: cache === true ? {} : { ttl: cache } }),
  }
}

const longestAddress = 300

/** `DELETE https://api.example/items/7, sends the secret KEY`: the names of secrets come after, whatever the path. */
function told(api: LoadedApi, args: JsonObject): string {
  const { url, method } = api.definition.endpoint
  const names = api.auth.map((each) => each.secret ?? each.env ?? '')
  const address = shortAddress(api, args) ?? url
  const cut = address.length > longestAddress ? `${address.slice(0, longestAddress)}…` : address
  const plural = names.length > 1 ? 'secrets' : 'secret'
  return `${method} ${cut}${names.length > 0 ? `, sends the ${plural} ${names.join(', ')}` : ''}`
}

/** Without its query, which the arguments say. */
function shortAddress(api: LoadedApi, args: JsonObject): string | undefined {
  try {
    const { origin, pathname } = new URL(addressOf(api, givenIn(api, args)))
    return origin + pathname
  } catch {
    return undefined
  }
}

function resourceOf(api: LoadedApi, args: JsonObject, part: 'path' | 'host'): string[] {
  try {
    return webResource(addressOf(api, givenIn(api, args)), part)
  } catch {
    // Such a call fails before it sends anything.
    return []
  }
}

async function execute(
  tool: string,
  api: LoadedApi,
  args: JsonObject,
  timeoutMs: number,
  signal: AbortSignal,
  options: ApiToolOptions,
): Promise<JsonObject> {
  const { maxBytes, bucket, check } = options
  await check?.()
  const given: Given[] = givenIn(api, args)
  const address = addressOf(api, given)
  const init = await initOf(api, given, options.workspace)
  const use = { tool, host: new URL(address).host }
  const { headers, query, values } = await credentialsOf(api.auth, options.secrets, use)
  for (const [name, value] of headers) init.headers.set(name, value)
  const waitSeconds = bucket?.()
  if (waitSeconds !== undefined) {
    throw new Error(`the rate limit of ${tool} is used up: try again in ${waitSeconds} s`)
  }
  const separator = address.includes('?') ? '&' : '?'
  const url = query.length > 0 ? address + separator + joined(query) : address
  try {
    const exchange = await request(options.fetch, url, init, { timeoutMs, maxBytes, signal })
    return answerOf(exchange, values)
  } catch (error) {
    if (values.length === 0 || signal.aborted) throw error
    // A refused address is named with all that is in it.
    throw new Error(withoutSecrets(error instanceof Error ? error.message : String(error), values))
  }
}
