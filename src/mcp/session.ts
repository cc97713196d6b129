/**
 * The one session that all calls share: opened when it is needed, again when it is over, and not too often
 * when that fails.
 * @module
 */
import { DispatchError } from '../errors.ts'
import { errorText } from '../execute/render-result.ts'
import { needsAuthorization, whyOf } from './fate.ts'
import { type Known, type Link, type LinkEvents, openLink } from './link.ts'
import type { CheckedOptions } from './options.ts'
import { openWire } from './wire.ts'

export interface Session {
  /** The open session, or a new one if `mayTry`. Rejects with an Error whose text a model can be told. */
  readonly connect: (eager?: boolean) => Promise<Link>
  /** The session that is open now. */
  readonly current: () => Link | undefined
  /** It is of no use any more. */
  readonly drop: (link: Link) => void
  /** What every call needs did not come about: the next try is later. Resolves with what to say of it. */
  readonly failed: (why: string, unauthorized?: boolean) => Promise<string>
  readonly succeeded: () => void
  /** Why the last try failed. */
  readonly failure: () => string | undefined
  /** A try now is of use. `eager`: somebody waits, so that a second since the last one is enough. */
  readonly mayTry: (eager?: boolean) => Promise<boolean>
  readonly authorize: (callback: URLSearchParams) => Promise<void>
  readonly close: () => Promise<void>
}

const shortestBackoffMs = 1_000
const longestBackoffMs = 60_000

export function createSession(options: CheckedOptions, events: LinkEvents): Session {
  const { clock, server, auth } = options
  const known: Known = {}
  let opening: Promise<Link> | undefined
  let open: Link | undefined
  let failure: string | undefined
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let retryAt = 0
  /** The token that was not enough: with another one a try is of use. */
  let refused: { readonly token: string | undefined } | undefined
  let closed = false

  const provider = typeof auth === 'object' ? auth : undefined
  const tokenNow = async () => {
    try {
      return (await provider?.tokens())?.access_token
    } catch {
      return undefined
    }
  }

  const tryAtOnce = () => {
    failedAt = Number.NEGATIVE_INFINITY
    retryAt = 0
  }

  const failed = async (why: string, unauthorized = false) => {
    failures += 1
    failedAt = clock()
    retryAt = failedAt + Math.min(longestBackoffMs, shortestBackoffMs * 2 ** (failures - 1))
    failure = unauthorized ? unauthorizedText(options) : why
    if (unauthorized && provider) refused = { token: await tokenNow() }
    return failure
  }

  const mayTry = async (eager = false) => {
    const from = eager ? Math.min(retryAt, failedAt + shortestBackoffMs) : retryAt
    if (closed || clock() < from) return false
    // Each try would send a person to the authorization server once more.
    return !refused || (await tokenNow()) !== refused.token
  }

  const begin = async (eager?: boolean): Promise<Link> => {
    if (closed) throw new Error(`the source of the MCP server "${server}" is closed`)
    if (!(await mayTry(eager))) throw new Error(failure)
    try {
      const link = await openLink(options, known, events)
      refused = undefined
      // What comes next, the list, may be tried at once.
      retryAt = 0
      if (!closed) open = link
      else void link.close()
      return link
    } catch (error) {
      const { wire } = known
      const unauthorized = wire !== undefined && needsAuthorization(error, wire)
      const why = wire ? whyOf(error, wire) : errorText(error)
      const text = `the MCP server "${server}" cannot be reached: ${why}`
      throw new Error(await failed(text, unauthorized))
    }
  }

  return {
    mayTry,
    failed,
    connect(eager) {
      if (open) return Promise.resolve(open)
      opening ??= begin(eager).finally(() => {
        opening = undefined
      })
      return opening
    },
    current: () => open,
    drop(link) {
      if (open === link) open = undefined
      link.retire()
    },
    succeeded() {
      failure = undefined
      failures = 0
      tryAtOnce()
    },
    failure: () => (closed ? 'closed' : failure),
    async authorize(callback) {
      const wire =
        known.wire ??
        (await openWire(
          options,
          () => false,
          () => {},
        ))
      try {
        await wire.transport.finishAuth(callback)
      } catch (error) {
        const why = wire.http.hide(errorText(error))
        throw new DispatchError('THREEPASS_REQUEST_FAILED', `Not authorized: ${why}`)
      }
      refused = undefined
      tryAtOnce()
    },
    async close() {
      closed = true
      const link = open
      open = undefined
      await link?.close()
    },
  }
}

function unauthorizedText({ server, auth }: CheckedOptions): string {
  const whose = `the MCP server "${server}"`
  if (auth === undefined) return `${whose} wants authorization: give mcpSource({ auth })`
  if (typeof auth === 'function') return `${whose} refuses the token that auth gives`
  return `${whose} wants authorization: a person must open the address that redirectToAuthorization of the OAuth provider was given; then call authorize() of the source with the query that comes back`
}
