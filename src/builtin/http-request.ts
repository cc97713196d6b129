/**
 * http_request: one HTTP request to an API.
 * @module
 */
import type { Exchange } from '../net/request.ts'
import { request } from '../net/request.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type SecretStore, secretsIn, withoutSecrets, withSecrets } from './secrets.ts'
import { webResource } from './web.ts'

export interface HttpRequestOptions {
  /** Does the requests: a `guardedFetch`, unless every address may be reached. */
  readonly fetch: typeof fetch
  /** Most decoded bytes of an answer's body; default 1,048,576. */
  readonly maxBytes?: number
  /** Where the files of a multipart body lie; without it such a body has fields alone. */
  readonly workspace?: Workspace
  /** Values of `{{secret:name}}` in headers; without it there are none. */
  readonly secrets?: SecretStore
}

interface HttpRequestArgs {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonObject
  readonly content_type?: 'json' | 'form' | 'multipart'
  readonly timeout?: number
}

const defaultTimeoutSeconds = 30
const longestTimeoutSeconds = 300

/**
 * Makes http_request. Its value is `{ status_code, headers, body, truncated? }`. GET asks nobody and its
 * answer is cached unless it is an error (status from 400); every other method asks, and voids what was
 * read from that host. A request with a secret in its headers asks whatever the allow rules say. Cookies that a server sets are not shown to the model.
 */
export function httpRequestTool(options: HttpRequestOptions): Tool<HttpRequestArgs> {
  const maxBytes = options.maxBytes ?? 1_048_576
  return {
    name: 'http_request',
    description:
      'Sends one HTTP request to a public http(s) address, such as a REST API, and returns status, headers and body. For reading a web page use fetch_page.',
    inputSchema,
    concurrent: true,
    confirm: (args) => (hasSecret(args) ? 'always' : !isGet(args)),
    reads: ({ url, body }) => [...webResource(url, 'path'), ...fileResources(pathsIn(body))],
    writes: (args) => (isGet(args) ? [] : webResource(args.url, 'host')),
    cache: { when: isGet },
    timeout: (longestTimeoutSeconds + 5) * 1_000,
    async execute(args, { signal, sessionId }) {
      const { headers, values } = await filled(args.headers, options.secrets, sessionId)
      try {
        const init = await requestInit({ ...args, headers }, options.workspace)
        const exchange = await request(options.fetch, args.url, init, {
          timeoutMs: (args.timeout ?? defaultTimeoutSeconds) * 1_000,
          maxBytes,
          signal,
        })
        return answer(exchange, values)
      } catch (error) {
        if (values.length === 0 || signal.aborted) throw error
        // Headers and networks name what they do not like.
        throw new Error(
          withoutSecrets(error instanceof Error ? error.message : String(error), values),
        )
      }
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    url: { type: 'string', minLength: 1, maxLength: 8_192, description: 'Absolute http(s) URL.' },
    method: { enum: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], default: 'GET' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Request headers by name. {{secret:name}} stands for a secret that ask_user kept.',
    },
    body: {
      type: 'object',
      description:
        'What to send; not with GET. multipart: { fields: { name: value }, files: [{ name, path, content_type }] }, paths of the workspace.',
    },
    content_type: {
      enum: ['json', 'form', 'multipart'],
      default: 'json',
      description: 'How the body is written.',
    },
    timeout: {
      type: 'integer',
      minimum: 1,
      maximum: longestTimeoutSeconds,
      default: defaultTimeoutSeconds,
      description: 'Seconds for the whole request.',
    },
  },
  required: ['url'],
  additionalProperties: false,
}

function hasSecret({ headers }: { readonly headers?: unknown }): boolean {
  return Object.values(Object(headers)).some((value) => secretsIn(value).length > 0)
}

/** The headers with their secrets in them, and those, so that no answer shows them. */
async function filled(
  headers: HttpRequestArgs['headers'] = {},
  secrets: SecretStore | undefined,
  sessionId: string,
) {
  const values: string[] = []
  const all: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const own = await withSecrets(value, secrets, sessionId)
    // The runtime's own error would show all of it.
    if (/[\r\n\0]/.test(own.text)) throw new Error(`the header ${name} would hold a line break`)
    all[name] = own.text
    values.push(...own.values)
  }
  return { headers: all, values }
}

function isGet({ method }: { readonly method?: unknown }): boolean {
  return method === undefined || method === 'GET'
}

async function requestInit(
  { method = 'GET', headers, body, content_type }: HttpRequestArgs,
  workspace: Workspace | undefined,
): Promise<RequestInit> {
  const all = new Headers({ accept: 'application/json, */*;q=0.5', ...headers })
  if (body === undefined) return { method, headers: all }
  if (method === 'GET') throw new Error('GET has no body; put the values in the query of the URL')
  if (content_type === 'multipart') {
    // With the boundary that only the sender knows.
    all.delete('content-type')
    return { method, headers: all, body: await multipartOf(body, workspace) }
  }
  if (content_type === 'form') {
    return { method, headers: withType(all, formType), body: formOf(body) }
  }
  return { method, headers: withType(all, 'application/json'), body: JSON.stringify(body) }
}

interface SentFile {
  readonly name?: unknown
  readonly path?: unknown
  readonly content_type?: unknown
}

function filesIn(body: unknown): SentFile[] {
  const { files } = Object(body) as { files?: unknown }
  return Array.isArray(files) ? files.map((file) => Object(file) as SentFile) : []
}

function pathsIn(body: unknown): unknown[] {
  return filesIn(body).map(({ path }) => path)
}

async function multipartOf(body: JsonObject, workspace: Workspace | undefined): Promise<FormData> {
  const unknown = Object.keys(body).filter((key) => key !== 'fields' && key !== 'files')
  if (unknown.length > 0)
    throw new Error(`a multipart body has fields and files, not ${unknown.join(', ')}`)
  const form = new FormData()
  for (const [name, value] of pairsOf(Object(body.fields) as JsonObject)) form.append(name, value)
  for (const { name, path, content_type: type } of filesIn(body)) {
    if (typeof name !== 'string' || typeof path !== 'string') {
      throw new Error('each file needs a name and a path')
    }
    const file = await workspace?.read(path)
    if (!file) throw new Error(`${path}: there is no such file`)
    const parts = [file.data ?? file.text] as ConstructorParameters<typeof Blob>[0]
    const blob = new Blob(parts, {
      type: typeof type === 'string' ? type : 'application/octet-stream',
    })
    form.append(name, blob, file.path.slice(file.path.lastIndexOf('/') + 1))
  }
  return form
}

const formType = 'application/x-www-form-urlencoded;charset=UTF-8'

function withType(headers: Headers, type: string): Headers {
  if (!headers.has('content-type')) headers.set('content-type', type)
  return headers
}

function formOf(body: JsonObject): string {
  return new URLSearchParams(pairsOf(body)).toString()
}

/** A list becomes one field an item; an object inside becomes JSON. */
function pairsOf(body: JsonObject): [string, string][] {
  return Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [
      name,
      typeof each === 'string' ? each : JSON.stringify(each),
    ]),
  )
}

/** A text that was cut may end in the middle of a secret. */
function whole(text: string, truncated: boolean, secrets: readonly string[]): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length * 3))
  return truncated && longest > 0 ? text.slice(0, Math.max(0, text.length - longest)) : text
}

/** Headers that a model can use; the text names these, the value has all. */
const telling = new Set(['content-type', 'location', 'link', 'retry-after', 'etag'])

function answer({ response, body }: Exchange, secrets: readonly string[]): JsonObject {
  const headers = [...response.headers]
    .filter(([name]) => name !== 'set-cookie')
    .map(([name, value]): [string, string] => [name, withoutSecrets(value, secrets)])
  const type = response.headers.get('content-type') ?? 'no content type'
  const text =
    body.text !== undefined
      ? withoutSecrets(whole(body.text, body.truncated, secrets), secrets)
      : `[${body.bytes.length} bytes of binary data, ${type}]`
  const lines = [
    `HTTP ${response.status}`,
    ...headers.filter(([name]) => telling.has(name)).map(([name, value]) => `${name}: ${value}`),
    ...(body.truncated ? [`[Cut (${body.cutBy}): the first ${body.bytes.length} bytes.]`] : []),
    ...(body.replaced ? [`[Much of it could not be decoded as ${body.charset}.]`] : []),
    '',
    text,
  ]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      status_code: response.status,
      headers: Object.fromEntries(headers),
      body: text,
      ...(body.truncated && { truncated: true }),
    },
    isError: response.status >= 400,
    partial: body.truncated || body.replaced,
  }
}
