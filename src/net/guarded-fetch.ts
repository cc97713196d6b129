/**
 * The one way to the network for tools: every address and every redirect is checked first.
 *
 * ```ts
 * const fetch = guardedFetch({ allowHosts: ['localhost:8080'] })
 * await fetch('https://example.com/')   // fine
 * await fetch('http://169.254.169.254') // throws THREEPASS_FETCH_REFUSED
 * ```
 * @module
 */
import { expiring } from '../clock.ts'
import { positiveInteger } from '../option.ts'
import { hostRules } from './address.ts'
import { checkUrl, type Guard, refuse } from './check-url.ts'
import { type Hop, nextHop } from './redirect.ts'

export interface GuardedFetchOptions {
  /**
   * Hosts (`localhost`, `127.0.0.1:8080`, `*.dev.internal`) that may be private, for local development.
   * With a port, only that port; without, every port that is open to tools. Default none.
   */
  readonly allowHosts?: readonly string[]
  /** When given, every other host is refused. An entry does not open a private address by itself. */
  readonly onlyHosts?: readonly string[]
  /**
   * Looks a name up where the runtime can (Node: `dns.promises.lookup`; a Worker: DNS over HTTPS).
   * Every answer must be public. Without it a name that points to a private address is not noticed;
   * with it a name that changes between look-up and connection still is not, unless `fetch` pins it.
   */
  readonly resolve?: (host: string, signal?: AbortSignal) => Promise<readonly string[]>
  /** Most redirects to follow, 1 to 20; default 5. */
  readonly maxRedirects?: number
  /** Milliseconds for connection, headers and body together; default 300,000. */
  readonly timeoutMs?: number
  /**
   * A page cannot look at a redirect before its browser follows it. `refuse` (default) stops there;
   * `follow` lets the browser follow a GET or HEAD and checks where it ended.
   */
  readonly hiddenRedirects?: 'refuse' | 'follow'
  /** Does the requests; default the runtime's `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Makes a `fetch` that speaks http(s) only, to public addresses and open ports only, without
 * credentials in URLs. Redirects are followed by hand: each is checked like the first URL, headers
 * other than a few harmless ones stay behind when the origin changes, https never becomes http.
 * The function throws `THREEPASS_FETCH_REFUSED`, whose text names the rule, before any connection;
 * `guardedFetch` itself throws `THREEPASS_BAD_OPTION`.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): typeof fetch {
  const guard: Guard = {
    allow: hostRules('allowHosts', options.allowHosts ?? []),
    ...(options.onlyHosts && { only: hostRules('onlyHosts', options.onlyHosts) }),
    ...(options.resolve && { resolve: options.resolve }),
  }
  const maxRedirects = positiveInteger('maxRedirects', options.maxRedirects ?? 5, 20)
  const timeoutMs = positiveInteger('timeoutMs', options.timeoutMs ?? 300_000, 2 ** 31 - 1)
  // Called as a function: a bare `fetch` must not get `options` as its `this`.
  const send = options.fetch ?? ((input, init) => fetch(input, init))
  const follow = options.hiddenRedirects === 'follow'

  return async (input, init) => {
    const given = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const signal = expiring(timeoutMs, given)
    let hop = firstHop(input, init)
    for (let redirects = 0; ; redirects += 1) {
      await checkUrl(hop.url, guard, signal)
      const response = await send(hop.url.href, {
        ...noCookies,
        ...hop.init,
        redirect: 'manual',
        signal,
      })
      if ((response.type as string) === 'opaqueredirect') {
        return followHidden(hop, follow, signal, send, guard)
      }
      const location = redirectTarget(response)
      if (location === undefined) return response
      // Nobody reads a hop's body: left alone it would hold its connection.
      await response.body?.cancel().catch(() => {})
      if (redirects >= maxRedirects) {
        refuse(hop.url, `it redirects more than ${maxRedirects} times`)
      }
      hop = nextHop(hop, response.status, location)
    }
  }
}

function firstHop(input: RequestInfo | URL, init: RequestInit | undefined): Hop {
  if (input instanceof Request) {
    const { method, headers, body } = input
    const own: RequestInit = { method, headers, ...(body && { body, duplex: 'half' }) }
    return { url: new URL(input.url), init: { ...own, ...init } }
  }
  let url: URL
  try {
    url = new URL(input)
  } catch {
    return refuse(String(input), 'it is not an absolute URL such as https://example.com/')
  }
  return { url, init: init ?? {} }
}

/** A page's own cookies are not the model's to use, unless the caller says so. */
const noCookies = { credentials: 'omit' } as const

const redirectStatuses = new Set([301, 302, 303, 307, 308])

function redirectTarget(response: Response): string | undefined {
  if (!redirectStatuses.has(response.status)) return undefined
  return response.headers.get('location') ?? undefined
}

/** Only in a page: the browser hides where the redirect leads. */
async function followHidden(
  hop: Hop,
  follow: boolean,
  signal: AbortSignal,
  send: typeof fetch,
  guard: Guard,
): Promise<Response> {
  const method = (hop.init.method ?? 'GET').toUpperCase()
  if (!follow || (method !== 'GET' && method !== 'HEAD')) {
    refuse(hop.url, 'it redirects, and a browser does not say where to before it goes there')
  }
  const response = await send(hop.url.href, {
    ...noCookies,
    ...hop.init,
    redirect: 'follow',
    signal,
  })
  const end = new URL(response.url)
  await checkUrl(end, guard, signal).catch(async (error: unknown) => {
    await response.body?.cancel().catch(() => {})
    throw error
  })
  return response
}
