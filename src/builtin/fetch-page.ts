/**
 * fetch_page: a web page as text that a model can read.
 * @module
 */

import { byteLength } from '../execute/text.ts'
import { type Exchange, request } from '../net/request.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool, ToolContext } from '../tools/tool.ts'
import { fileResources } from '../workspace/path.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { headOf, webResource } from './web.ts'

export interface FetchPageOptions {
  /** Does the requests: a `guardedFetch`, unless every address may be reached. */
  readonly fetch: typeof fetch
  /** Where pages are saved; without it they cannot be. */
  readonly workspace?: Workspace
  /** Who sees a cached page: `session` (default), or `public` where no page depends on who asks. */
  readonly cacheScope?: 'session' | 'public'
  /** Milliseconds for the whole request; default 60,000. */
  readonly timeoutMs?: number
  /** Most decoded bytes of a page to read; default 2,097,152. */
  readonly maxBytes?: number
}

interface FetchPageArgs {
  readonly link: string
  readonly type?: 'markdown' | 'html' | 'json' | 'text'
  readonly keep_links?: boolean
  readonly force?: boolean
  readonly save?: boolean
  readonly save_to?: string
}

/** UTF-8 bytes of a page's text that the model is given at most. */
const maxTextBytes = 102_400

/**
 * Makes fetch_page. An answer with a status from 400, without text or with nothing in it fails. Looking asks
 * nobody; with `save` the text goes into a file, whole, which asks.
 */
export function fetchPageTool(options: FetchPageOptions): Tool<FetchPageArgs> {
  const timeoutMs = options.timeoutMs ?? 60_000
  const maxBytes = options.maxBytes ?? 2_097_152
  return {
    name: 'fetch_page',
    description:
      'Fetches a public web page and returns its main content as markdown (default), plain text, raw HTML or JSON. For API calls with headers or a body use http_request.',
    inputSchema,
    concurrent: true,
    confirm: ({ save }) => save === true,
    // Fetched again it is the same page, saved again the same file.
    idempotent: true,
    reads: ({ link }) => webResource(withScheme(String(link)), 'path'),
    writes: (args) =>
      args.save === true ? fileResources([savePath(args as unknown as FetchPageArgs)]) : [],
    cache: {
      scope: options.cacheScope ?? 'session',
      when: ({ force, save }) => force !== true && save !== true,
    },
    timeout: timeoutMs + 30_000,
    // Room for the head lines and the notice of a cut text.
    maxResultBytes: maxTextBytes + 4_096,
    async execute(args, context) {
      const { signal } = context
      if (args.save && !options.workspace) throw new Error('pages cannot be saved here')
      const link = withScheme(args.link)
      const headers = { accept: accepted[args.type ?? 'markdown'] }
      const exchange = await request(
        options.fetch,
        link,
        { headers },
        { timeoutMs, maxBytes, signal },
      )
      const answer = await page(exchange, args, exchange.response.url || link)
      return args.save && options.workspace
        ? savePage(answer, args, options.workspace, context)
        : answer.shown
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    link: {
      type: 'string',
      minLength: 1,
      maxLength: 2_048,
      description: 'http(s) URL of the page.',
    },
    type: {
      enum: ['markdown', 'html', 'json', 'text'],
      default: 'markdown',
      description: 'Form of the answer.',
    },
    keep_links: {
      type: 'boolean',
      default: false,
      description: 'Keep the addresses of links and images in markdown.',
    },
    force: {
      type: 'boolean',
      default: false,
      description: 'Fetch anew instead of from the cache.',
    },
    save: {
      type: 'boolean',
      default: false,
      description:
        'Write the page into a file of the workspace, whole, and return only where it is.',
    },
    save_to: {
      type: 'string',
      minLength: 1,
      description: 'With save: the file. Default: /pages/ and a name made of the address.',
    },
  },
  required: ['link'],
  additionalProperties: false,
}

const accepted = {
  markdown: 'text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5',
  html: 'text/html, application/xhtml+xml, */*;q=0.5',
  json: 'application/json, */*;q=0.5',
  text: 'text/html, text/plain;q=0.9, */*;q=0.5',
} as const

function withScheme(link: string): string {
  return /^[a-z][a-z\d+.-]*:/i.test(link) ? link : `https://${link}`
}

interface Page {
  readonly shown: JsonObject
  readonly head: string
  /** All of it. */
  readonly text: string
}

/** A name that says which page it is. */
function savePath({ link, save_to: path, type = 'markdown' }: FetchPageArgs): string {
  if (path !== undefined) return path
  const extension = { markdown: 'md', html: 'html', json: 'json', text: 'txt' }[type]
  const name = withScheme(link)
    .replace(/^[a-z]+:\/+/i, '')
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  return `/pages/${name.slice(0, 100) || 'page'}.${extension}`
}

async function savePage(
  { head, text }: Page,
  args: FetchPageArgs,
  workspace: Workspace,
  { runId, callId }: ToolContext,
): Promise<JsonObject> {
  // A head would spoil these forms.
  const content = args.type === 'json' || args.type === 'html' ? text : `${head}\n${text}`
  const origin = { tool: 'fetch_page', runId, callId }
  const file = await workspace.write(savePath(args), content, { origin })
  const bytes = byteLength(content)
  return {
    content: [{ type: 'text', text: `saved ${file.path}: ${bytes} bytes` }],
    structuredContent: { path: file.path, bytes, version: file.version },
  }
}

async function page({ response, body }: Exchange, args: FetchPageArgs, url: string): Promise<Page> {
  const type = response.headers.get('content-type') ?? 'no content type'
  if (response.status >= 400) {
    const said = (body.text ?? '')
      .slice(0, 2_000)
      .replace(/<[^>]*>|\s+/g, ' ')
      .trim()
      .slice(0, 200)
    throw new Error(`${url} answered HTTP ${response.status}${said && `: ${said}`}`)
  }
  if (body.text === undefined) {
    throw new Error(`${url} is not text but ${type}, ${body.bytes.length} bytes`)
  }
  const { title, author, published, text, cut } = await contentOf(body.text, type, args, url)
  if (text.trim() === '') throw new Error(`${url} has no content`)
  const notes = [
    ...(body.truncated ? [`[Not whole (${body.cutBy}): ${body.bytes.length} bytes read.]`] : []),
    ...(body.replaced ? [`[Much of it could not be decoded as ${body.charset}.]`] : []),
    ...(cut ? ['[Not whole: the page is too large or too deep to be read to its end.]'] : []),
  ]
  const known = Object.entries({ title: title || undefined, author, published })
  const head = [
    ...known.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    `url: ${url}`,
    `charset: ${body.charset}`,
  ]
  const lines = [...head, ...notes, '---', headOf(text, maxTextBytes)]
  const shown: JsonObject = {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      title,
      ...(author !== undefined && { author }),
      ...(published !== undefined && { published }),
      url,
      status_code: response.status,
      content_type: type,
      charset: body.charset,
      truncated: body.truncated || cut,
    },
    partial: body.truncated || body.replaced,
  }
  return { shown, head: [...head, ...notes, '---'].join('\n'), text }
}

interface Contents {
  readonly title: string
  readonly author?: string
  readonly published?: string
  readonly text: string
  readonly cut: boolean
}

async function contentOf(
  text: string,
  contentType: string,
  { type = 'markdown', keep_links = false }: FetchPageArgs,
  url: string,
): Promise<Contents> {
  const plain = { title: '', text, cut: false }
  if (type === 'json') return { ...plain, text: checkedJson(text, contentType, url) }
  const isHtml = /html/i.test(contentType) || /^\s*<(?:!doctype html|html)\b/i.test(text)
  if (type === 'html' || !isHtml) return plain
  const { readPage } = await import('./markdown.ts')
  return readPage(text, { as: type, keepLinks: keep_links, url })
}

function checkedJson(text: string, contentType: string, url: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    throw new Error(`${url} is not JSON but ${contentType}`)
  }
}
