/**
 * What an MCP server is used with.
 * @module
 */
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { type Clock, systemClock } from '../clock.ts'
import { DispatchError } from '../errors.ts'
import { positiveInteger } from '../option.ts'
import type { JsonObject } from '../round.ts'
import type { RecordStore } from '../run-state/records.ts'

/** What the server wants to know of a person in the middle of a call. */
export interface McpQuestion {
  readonly server: string
  readonly message: string
  /** The JSON Schema of the answer: an object of texts, numbers, booleans and choices. */
  readonly schema: JsonObject
  /** Aborts when the server no longer waits. */
  readonly signal: AbortSignal
}

export type McpAnswer =
  | {
      readonly action: 'accept'
      readonly content: { readonly [name: string]: string | number | boolean | string[] }
    }
  | { readonly action: 'decline' | 'cancel' }

/** The list of tools that a server gave last, as it gave it. */
export interface McpToolList {
  readonly url: string
  readonly tools: readonly JsonObject[]
  readonly instructions: string
  /** Milliseconds since the epoch. */
  readonly readAt: number
}

export interface McpSourceOptions {
  /** Names the server: its tools are `mcp__<server>__<tool>`. 1 to 100 characters. */
  readonly server: string
  /** The server's Streamable HTTP endpoint. */
  readonly url: string | URL
  /** A `guardedFetch`. Every request goes through it, those of OAuth too. */
  readonly fetch: typeof fetch
  /** Gives the bearer token, asked before every request; or a provider of the SDK's for OAuth. */
  readonly auth?: (() => string | Promise<string>) | OAuthClientProvider
  /** More headers of every request to the endpoint. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Default false. `true` takes the server's word: tools with `readOnlyHint` are `readOnly` and
   * `concurrent`, and run without asking; those with `idempotentHint` are sent again after a break.
   */
  readonly trustHints?: boolean
  /** Milliseconds a call may take; default 60,000. */
  readonly timeoutMs?: number
  /** Milliseconds to connect, and again to read the list of tools; default 10,000. */
  readonly loadTimeoutMs?: number
  /** Milliseconds after which a list that nothing is heard of is read again when it is used; default 300,000. */
  readonly refreshMs?: number
  /** Bytes of one answer, or of one event of a stream; default 33,554,432. */
  readonly maxResponseBytes?: number
  /**
   * Default true: a stream stays open on which the server says that its tools changed. `false` where
   * connections are few or cost: a Worker has six.
   */
  readonly listen?: boolean
  /** Answers the server's questions; without it they are declined. */
  readonly elicit?: (question: McpQuestion) => McpAnswer | Promise<McpAnswer>
  /** Keeps the last list of tools, so that they are known at once after a restart. */
  readonly store?: RecordStore<McpToolList>
  readonly clock?: Clock
}

type Defaulted =
  | 'trustHints'
  | 'timeoutMs'
  | 'loadTimeoutMs'
  | 'refreshMs'
  | 'maxResponseBytes'
  | 'listen'
  | 'clock'

/** The options, checked and with their defaults. */
export type CheckedOptions = Omit<McpSourceOptions, 'url' | Defaulted> &
  Required<Pick<McpSourceOptions, Defaulted>> & { readonly url: URL }

/** Throws `THREEPASS_BAD_OPTION`. */
export function checkOptions(given: McpSourceOptions): CheckedOptions {
  const { server } = given
  if (typeof server !== 'string' || server.trim() === '' || server.length > 100) {
    throw bad('server must be a name of 1 to 100 characters')
  }
  if (typeof given.fetch !== 'function') {
    throw bad('fetch must be a guardedFetch: import { guardedFetch } from "threepass/net"')
  }
  const longest = 2 ** 31 - 1
  return {
    ...given,
    url: endpoint(given.url),
    trustHints: given.trustHints ?? false,
    timeoutMs: positiveInteger('timeoutMs', given.timeoutMs ?? 60_000, longest),
    loadTimeoutMs: positiveInteger('loadTimeoutMs', given.loadTimeoutMs ?? 10_000, longest),
    refreshMs: positiveInteger('refreshMs', given.refreshMs ?? 300_000),
    maxResponseBytes: positiveInteger('maxResponseBytes', given.maxResponseBytes ?? 33_554_432),
    listen: given.listen ?? true,
    clock: given.clock ?? systemClock,
  }
}

function endpoint(given: string | URL): URL {
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw bad('url must be an absolute URL such as https://example.com/mcp')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw bad('url must be http or https: a server on standard input needs a bridge in front of it')
  }
  return url
}

function bad(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `mcpSource: ${what}.`)
}
