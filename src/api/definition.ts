/**
 * An endpoint of a REST API as it is written down: plain JSON, from which a tool is made.
 * @module
 */
import type { JsonSchema } from '../tools/tool.ts'

export type ApiMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'

/** Where an argument goes. `whole_body`: it is the body itself, not a field of it. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'body' | 'whole_body'

/** How a list or an object is written where JSON does not go; the names are OpenAPI's, and `json`. */
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'json'

/** What is said of an argument beside its JSON Schema, in the same object. */
export interface ParameterTraits {
  /** `true`: it must be given. A list is JSON Schema's, of an object's properties. */
  readonly required?: boolean | readonly string[]
  /** Default: `path` for a name in the URL; else `query` with GET and HEAD, `body` with the others. */
  readonly in?: ParameterPlace
  /** What the API calls it, when the argument has another name. */
  readonly name?: string
  /** Default: `simple` in path and headers, `form` in query and form bodies, `json` in multipart fields. */
  readonly style?: ParameterStyle
  /** One pair an item; default true with `form`, `deepObject`, else false. */
  readonly explode?: boolean
  /** The argument is the path of a workspace file, whose bytes are sent (multipart field, raw body). */
  readonly file?: boolean
}

/** A JSON Schema of the argument, and where it goes. */
export type ApiParameter = JsonSchema & ParameterTraits

/** A secret of the host, and how it goes with every request. */
export interface ApiAuth {
  /** `bearer` and `basic` (the secret is `user:password`) go as Authorization, `apikey` as it stands. */
  readonly type: 'bearer' | 'apikey' | 'basic'
  /** Name of the header, or of the query parameter; default `X-API-Key`. Only for `apikey`. */
  readonly header?: string
  /** Only for `apikey`; default `header`. */
  readonly in?: 'header' | 'query'
  /** Name of the secret; never its value. */
  readonly secret?: string
  /** The same as `secret`. */
  readonly env?: string
}

export interface ApiEndpoint {
  /** Absolute http(s) URL; `{parameter}` may stand in its path and query, never in its host. */
  readonly url: string
  readonly method: ApiMethod
  /** How the body is written; default `json`. `raw`: the whole body is a text or a file. */
  readonly content_type?: 'json' | 'form' | 'multipart' | 'raw'
  /** Sent with every request; no secrets here. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with every request. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** Seconds for the whole request, more than 0 and at most 300; default 60. */
  readonly timeout?: number
}

/** One tool: `api_<name>`. */
export interface ApiDefinition {
  /** Lower case letters, digits and `_`, from a letter, at most 60. */
  readonly name: string
  readonly description: string
  /** May run beside other calls; default false. */
  readonly concurrent?: boolean
  /** It changes nothing, although it is no GET. Counts in a trusted source alone. */
  readonly read_only?: boolean
  /** Nobody is asked before a call. Counts in a trusted source alone. */
  readonly always_allow?: boolean
  /** Answers of a GET are kept: for 1,800 seconds, or as many as this says. Default: they are not. */
  readonly cache?: boolean | number
  readonly endpoint: ApiEndpoint
  /** One secret, or several that go together. */
  readonly auth?: ApiAuth | readonly ApiAuth[]
  readonly parameters?: Readonly<Record<string, ApiParameter>>
  /** Parameters that must be given, besides those that say so themselves. */
  readonly required?: readonly string[]
  /** Schemas that the parameters refer to as `#/$defs/<name>`. */
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly rate_limit?: RateLimit
}

/** So many calls in so many seconds, at most. */
export interface RateLimit {
  readonly calls: number
  readonly per_seconds: number
}
