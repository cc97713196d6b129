/**
 * fetch_page: a web page as text that a model can read.
 * @module
 */
import { type Exchange, request } from '../net/request.ts'
import type { JsonObject } from '../round.ts'
import type { JsonSchema, Tool } from '../tools/tool.ts'
import { headOf, webResource } from './web.ts'

export interface FetchPageOptions {
  /** Does the requests: a `guardedFetch`, unless every address may be reached. */
  readonly fetch: typeof fetch
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
}

/** UTF-8 bytes of a page's text that the model is given at most. */
const maxTextBytes = 102_400

/** Makes fetch_page. An answer with a status from 400, without text or with nothing in it fails. */
export function fetchPageTool(options: FetchPageOptions): Tool<FetchPageArgs> {
  const timeoutMs = options.timeoutMs ?? 60_000
  const maxBytes = options.maxBytes ?? 2_097_152
  return {
    name: 'fetch_page',
    description:
      'Fetches a public web page and returns its main content as markdown (default), plain text, raw HTML or JSON. For API calls with headers or a body use http_request.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: ({ link }) => webResource(withScheme(String(link)), 'path'),
    cache: { scope: options.cacheScope ?? 'session', when: ({ force }) => force !== true },
    timeout: timeoutMs + 30_000,
    // Room for the head lines and the notice of a cut text.
    maxResultBytes: maxTextBytes + 4_096,
    async execute(args, { signal }) {
      const link = withScheme(args.link)
      const headers = { accept: accepted[args.type ?? 'markdown'] }
      const exchange = await request(
        options.fetch,
        link,
        { headers },
        { timeoutMs, maxBytes, signal },
      )
      return page(exchange, args, exchange.response.url || link)
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

async function page(
  { response, body }: Exchange,
  args: FetchPageArgs,
  url: string,
): Promise<JsonObject> {
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
  const { title, text, cut } = await contentOf(body.text, type, args, url)
  if (text.trim() === '') throw new Error(`${url} has no content`)
  const notes = [
    ...(body.truncated ? [`[Not whole (${body.cutBy}): ${body.bytes.length} bytes read.]`] : []),
    ...(body.replaced ? [`[Much of it could not be decoded as ${body.charset}.]`] : []),
    ...(cut ? ['[Not whole: the page is too large or too deep to be read to its end.]'] : []),
  ]
  const head = [...(title ? [`title: ${title}`] : []), `url: ${url}`, `charset: ${body.charset}`]
  const lines = [...head, ...notes, '---', headOf(text, maxTextBytes)]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      title,
      url,
      status_code: response.status,
      content_type: type,
      charset: body.charset,
      truncated: body.truncated || cut,
    },
    partial: body.truncated || body.replaced,
  }
}

async function contentOf(
  text: string,
  contentType: string,
  { type = 'markdown', keep_links = false }: FetchPageArgs,
  url: string,
): Promise<{ title: string; text: string; cut: boolean }> {
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
