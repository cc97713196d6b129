/**
 * The HTTP API from a page, a Worker or Node.
 *
 * ```ts
 * const client = createClient({ url: 'https://tools.example.com', token })
 * const run = await client.openRun({ clientTools: page })
 * const { results } = await run.dispatch([{ id: 'c1', name: 'calculate', arguments: { expressions: ['2^64'] } }])
 * ```
 * @module
 */
import type { Mode } from '../deferred/exposure.ts'
import type { CatalogueEntry } from '../tools/catalogue.ts'
import type { ClientTools } from '../tools/client-tools.ts'
import { type OpenedRun, type RemoteRun, remoteRun } from './remote-run.ts'
import { type ClientOptions, createRequests } from './request.ts'

export interface OpenRunOptions {
  /** The conversation; default: a fresh one, or the token's. */
  readonly sessionId?: string
  /** How schemas reach the model; default: the Worker's. */
  readonly mode?: Mode
  /** The page's tools: sent along, and served here until the run is closed. */
  readonly clientTools?: ClientTools
  /** Hears what ended the event stream or the serving of tools for good. */
  readonly onError?: (error: unknown) => void
}

/** What a run token is good for. */
export type TokenScope = { readonly runId: string } | { readonly sessionId: string }

export interface Client {
  /** Opens a run. */
  readonly openRun: (options?: OpenRunOptions) => Promise<RemoteRun & OpenedRun>
  /** A run that is there already, after a reload or in another tab; serves `clientTools` if they are given. */
  readonly attachRun: (
    runId: string,
    options?: Pick<OpenRunOptions, 'clientTools' | 'onError'>,
  ) => RemoteRun
  /** Makes a run token for a page: needs the API token. */
  readonly createToken: (
    scope: TokenScope,
    expiresInSeconds?: number,
  ) => Promise<{ readonly token: string; readonly expiresAt: number }>
  /** The server's tools, or those that a search finds, best first. */
  readonly tools: (query?: string) => Promise<readonly CatalogueEntry[]>
}

/** Throws `THREEPASS_BAD_OPTION` when there is no url and no page to take it from. */
export function createClient(options: ClientOptions = {}): Client {
  const requests = createRequests(options)
  const attachRun: Client['attachRun'] = (runId, { clientTools, onError } = {}) => {
    const run = remoteRun(runId, requests, onError ?? (() => {}))
    if (!clientTools) return run
    const stop = run.serve(clientTools)
    const close = () => {
      stop()
      run.close()
    }
    return { ...run, close }
  }
  return {
    attachRun,
    async openRun({ sessionId, mode, clientTools, onError } = {}) {
      const body = {
        ...(sessionId !== undefined && { sessionId }),
        ...(mode && { mode }),
        ...(clientTools && { clientTools: clientTools.definitions() }),
      }
      const response = await requests.send('/v1/runs', { method: 'POST', body })
      const opened = (await response.json()) as OpenedRun
      const more = { ...(clientTools && { clientTools }), ...(onError && { onError }) }
      return { ...opened, ...attachRun(opened.runId, more) }
    },
    async createToken(scope, expiresInSeconds) {
      const body = { ...scope, ...(expiresInSeconds !== undefined && { expiresInSeconds }) }
      return (await requests.send('/v1/tokens', { method: 'POST', body })).json()
    },
    async tools(query) {
      const search = query ? `?query=${encodeURIComponent(query)}` : ''
      const response = await requests.send(`/v1/tools${search}`)
      return ((await response.json()) as { tools: CatalogueEntry[] }).tools
    },
  }
}
