/**
 * The way to the server: the SDK, loaded on first use, and its transport over a watched `fetch`.
 * @module
 */
import type {
  OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { type Http, watchHttp } from './http.ts'
import type { CheckedOptions } from './options.ts'

export type Sdk = typeof import('@modelcontextprotocol/client')

export interface Wire {
  readonly sdk: Sdk
  readonly http: Http
  readonly transport: StreamableHTTPClientTransport
}

/** Sends nothing yet. Rejects when the SDK is not installed. */
export async function openWire(
  { url, fetch, headers = {}, auth, maxResponseBytes }: CheckedOptions,
  wantsStream: () => boolean,
  onStream: () => void,
): Promise<Wire> {
  const sdk = await loadSdk()
  const secrets = [...Object.values(headers), ...url.searchParams.values(), url.password]
  const http = watchHttp({ url, fetch, maxResponseBytes, secrets, wantsStream, onStream })
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    fetch: http.fetch,
    requestInit: { headers },
    // The guarded fetch checks every step of a redirect and keeps credentials at home.
    redirectPolicy: 'follow',
    ...(auth && { authProvider: authProvider(auth) }),
  })
  return { sdk, http, transport }
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (error) {
    throw new Error('install the package @modelcontextprotocol/client', { cause: error })
  }
}

function authProvider(
  auth: NonNullable<CheckedOptions['auth']>,
): OAuthClientProvider | { token(): Promise<string> } {
  if (typeof auth !== 'function') return auth
  return {
    async token() {
      return auth()
    },
  }
}
