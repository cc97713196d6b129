/**
 * apiSource: tools of definitions of REST endpoints.
 *
 * ```ts
 * const apis = apiSource({
 *   definitions: [{ name: 'weather', description: 'Weather of a city.', endpoint: { … } }],
 *   fetch: guardedFetch(),
 *   secrets: (name) => env[name],
 * })
 * const dispatcher = createDispatcher({ tools: [], sources: [apis] })
 * ```
 * @module
 */
import { type Clock, systemClock } from '../clock.ts'
import { DispatchError } from '../errors.ts'
import { positiveInteger } from '../option.ts'
import { readSource, type SourceReading } from '../tools/read-source.ts'
import type { SourceHealth, SourceProblem, ToolSource } from '../tools/source.ts'
import type { AnyTool } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { apiPrefix, apiTool } from './api-tool.ts'
import type { ApiSecrets } from './credentials.ts'
import { plainSecretProblem } from './https-only.ts'
import { type Bucket, createBucket } from './rate-limit.ts'
import { type LoadedApi, readApiDefinition } from './read-definition.ts'
import { checkUnchanged } from './unchanged.ts'
import { versionOf } from './version.ts'

/** A definition as it was found, before anybody has read it. */
export interface FoundDefinition {
  /** What it is called where it comes from, such as a path. */
  readonly definition: string
  /** JSON text, or the value. */
  readonly content: unknown
  /** The name that it must have there. */
  readonly name?: string
}

/** Finds the definitions that there are now. Read by every `load`, and before every call without `one`. */
export interface ApiDefinitions {
  (): Promise<readonly FoundDefinition[]>
  /** Finds the one of this `definition`; `undefined` when it is gone. */
  readonly one?: (definition: string) => Promise<FoundDefinition | undefined>
}

export interface ApiSourceOptions {
  /**
   * The definitions, as values or JSON texts; or where they come from, read anew by every `load`.
   * A call whose definition has changed since then, or is gone, sends nothing, and the source is read anew.
   */
  readonly definitions: readonly unknown[] | ApiDefinitions
  /** Does the requests: a `guardedFetch`, unless every address may be reached. */
  readonly fetch: typeof fetch
  /** Values of the secrets that definitions name; without it there are none. */
  readonly secrets?: ApiSecrets
  /**
   * The host stands for the definitions: their `read_only` and `always_allow` count, and a GET with a
   * secret asks nobody. Default false: a person is asked before every call that sends a secret or is no
   * GET, unless an allow rule covers it.
   */
  readonly trusted?: boolean
  /** Files of multipart fields and raw bodies; a definition that wants them is a problem without it. */
  readonly workspace?: Workspace
  /** Most decoded bytes of an answer's body; default 1,048,576. */
  readonly maxBytes?: number
  /** Unique among a dispatcher's sources; default `api`. */
  readonly name?: string
  readonly clock?: Clock
}

/**
 * Makes a source of tools `api_<name>`. A bad definition takes none of the others down: it is one of
 * `health().problems`. Of two of one name the first counts. Throws `THREEPASS_BAD_OPTION`.
 */
export function apiSource(options: ApiSourceOptions): ToolSource {
  const { definitions, clock = systemClock, name = 'api' } = options
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 1_048_576)
  if (typeof options.fetch !== 'function') {
    throw new DispatchError('THREEPASS_BAD_OPTION', 'apiSource: fetch must be a function')
  }
  const buckets = new Map<string, Bucket>()
  const make = (found: readonly FoundDefinition[], checkOf?: CheckOf) =>
    readAll(
      found,
      (api, each) => {
        const check = checkOf && { check: checkOf(each, versionOf(api.definition)) }
        return apiTool(api, { ...toolOptions(options), maxBytes, ...bucketOf(api), ...check })
      },
      options,
    )
  const bucketOf = ({ definition: { name: tool, rate_limit: limit } }: LoadedApi) => {
    if (!limit) return {}
    // The same limit goes on counting when its definition is read again.
    const key = `${tool} ${limit.calls} ${limit.per_seconds}`
    const bucket = buckets.get(key) ?? createBucket(limit, clock)
    buckets.set(key, bucket)
    return { bucket }
  }
  if (typeof definitions !== 'function') {
    const { tools, problems } = make(definitions.map(named))
    const health: SourceHealth = { status: 'ready', updatedAt: clock(), problems }
    return { name, prefix: apiPrefix, tools: () => tools, health: () => health }
  }
  const checkOf: CheckOf = (each, version) => () =>
    checkUnchanged(each, version, definitions, source)
  const read = async () => make(await definitions(), checkOf)
  const source = readSource({ name, prefix: apiPrefix, clock, read })
  return source
}

type CheckOf = (found: FoundDefinition, version: string) => () => Promise<void>

function toolOptions({ fetch, secrets, trusted = false, workspace }: ApiSourceOptions) {
  return { fetch, trusted, ...(secrets && { secrets }), ...(workspace && { workspace }) }
}

function named(content: unknown, index: number): FoundDefinition {
  const { name } = Object(content) as { name?: unknown }
  return { definition: typeof name === 'string' ? name : `definition ${index + 1}`, content }
}

/** Reads what was found. What is bad, or not believed, is a problem of its own. */
function readAll(
  found: readonly FoundDefinition[],
  make: (api: LoadedApi, found: FoundDefinition) => AnyTool,
  { trusted = false, workspace }: ApiSourceOptions,
): SourceReading {
  const tools = new Map<string, AnyTool>()
  const problems: SourceProblem[] = []
  for (const each of found) {
    const { definition, content, name } = each
    const add = (message: string) => problems.push({ definition, message })
    const read = readApiDefinition(content)
    if (!read.ok) {
      for (const message of read.problems) add(message)
      continue
    }
    const { definition: api, parameters } = read.api
    const plainSecret = plainSecretProblem(read.api)
    if (name !== undefined && api.name !== name)
      add(`name must be "${name}", as the directory is called`)
    else if (parameters.some(({ file }) => file) && !workspace)
      add('it sends files, and there is no workspace')
    else if (plainSecret !== undefined) add(plainSecret)
    else if (tools.has(api.name))
      add(`there is another definition named "${api.name}"; that one counts`)
    else tools.set(api.name, make(read.api, each))
    for (const claim of ['read_only', 'always_allow'] as const) {
      if (api[claim] && !trusted) add(`${claim} does not count: the source is not trusted`)
    }
  }
  return { tools: [...tools.values()], problems }
}
