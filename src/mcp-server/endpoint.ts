/**
 * One address for clients of all versions: those of 2026-07-28 and later bring everything with each request;
 * the older ones open a session, or do without.
 * @module
 */
import type { McpRequestContext, Server, ServerContext } from '@modelcontextprotocol/server'
import { DispatchError } from '../errors.ts'
import type { JsonObject } from '../round.ts'
import { type Calls, createCalls } from './calls.ts'
import { rpcError } from './http.ts'
import { createOffer, type Offer } from './offer.ts'
import type { CheckedOptions } from './options.ts'
import type { Conversations } from './questions.ts'
import { refusal } from './result.ts'
import { type SessionRuns, sessionRuns } from './runs.ts'
import { createSessions } from './sessions.ts'

export interface Endpoint {
  readonly fetch: (request: Request) => Promise<Response>
  /** Tells clients when the tools have changed since the last time. */
  readonly announce: () => void
  readonly close: () => Promise<void>
}

type Sdk = typeof import('@modelcontextprotocol/server')

/** Rejects with `THREEPASS_BAD_OPTION` when the SDK is not installed. */
export async function createEndpoint(
  options: CheckedOptions,
  conversations: Conversations,
): Promise<Endpoint> {
  const sdk = await import('@modelcontextprotocol/server').catch((cause: unknown) => {
    const what = 'mcpHandler: install the package @modelcontextprotocol/server.'
    throw new DispatchError('THREEPASS_BAD_OPTION', what, { cause })
  })
  const calls = createCalls(conversations, sdk, options.answerTimeoutMs)
  const offer = createOffer(options)
  const parts: Parts = { sdk, options, calls, offer }

  const perRequest = sdk.createMcpHandler(
    ({ era, requestInfo }) =>
      serverFor(parts, {
        era,
        request: requestInfo ?? new Request('http://localhost/'),
        runs: undefined,
      }),
    {
      legacy: options.sessions ? 'reject' : 'stateless',
      maxRequestBodySize: options.maxRequestBytes,
    },
  )
  const sessions = createSessions(sdk, options, (sessionId, request) =>
    serverFor(parts, { era: 'legacy', request, runs: runsOf(sessionId, request, parts) }),
  )

  const announce = () => {
    if (!offer.hasChanged()) return
    perRequest.notify.toolsChanged()
    sessions.forEach((server) => void server.sendToolListChanged().catch(() => {}))
  }

  return {
    async fetch(request) {
      announce()
      if (request.method !== 'POST') {
        return options.sessions ? sessions.fetch(request, undefined) : perRequest.fetch(request)
      }
      const body = await sdk.readRequestBody(request, options.maxRequestBytes)
      if (body.tooLarge) return rpcError(413, `at most ${options.maxRequestBytes} bytes`)
      let parsedBody: unknown
      try {
        parsedBody = JSON.parse(body.text)
      } catch {
        return rpcError(400, 'The request is no JSON.', -32_700)
      }
      const isLegacy = options.sessions && (await sdk.isLegacyRequest(request, parsedBody))
      if (isLegacy) return sessions.fetch(request, parsedBody)
      return perRequest.fetch(request, { parsedBody })
    },
    announce,
    async close() {
      await Promise.all([sessions.close(), perRequest.close()])
    },
  }
}

interface Parts {
  readonly sdk: Sdk
  readonly options: CheckedOptions
  readonly calls: Calls
  readonly offer: Offer
}

/** Whom a server serves: a session with its runs, or one request. */
interface Serving {
  readonly era: McpRequestContext['era']
  readonly request: Request
  readonly runs: SessionRuns | undefined
}

function runsOf(sessionId: string, request: Request, parts: Parts): SessionRuns {
  const { clock, runIdleMs } = parts.options
  return sessionRuns({
    clock,
    idleMs: runIdleMs,
    open: (number) => openRun(parts, request, { sessionId, runId: `${sessionId}.${number}` }),
  })
}

async function openRun(
  { options, calls }: Parts,
  request: Request,
  ids: { readonly sessionId?: string; readonly runId?: string },
) {
  const { dispatcher } = options
  const open = options.openRun ?? (({ request: _, ...given }) => dispatcher.run(given))
  return open({ ...ids, request, onEvent: calls.onEvent })
}

function serverFor(parts: Parts, serving: Serving): Server {
  const { sdk, options, calls, offer } = parts
  const { name, version, instructions } = options
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: { tools: { listChanged: true } },
      ...(instructions !== undefined && { instructions }),
      // Answers to questions are read by questions.ts: no code is made from text.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({
          valid: true,
          data: data as never,
          errorMessage: undefined,
        }),
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: offer.tools() }))
  server.setRequestHandler('tools/call', async ({ params }, context: ServerContext) => {
    const token = context.mcpReq.requestState<string>()
    if (token !== undefined) return calls.resume(token, context)
    const args = (params.arguments ?? {}) as JsonObject
    const entry = offer.entryOf(params.name, args)
    if (!entry) return refusal(`There is no tool named ${JSON.stringify(params.name)}.`)
    const { runs, era, request } = serving
    const isFree = options.expose === 'all' && entry.readOnly && entry.concurrent
    return calls.begin(
      {
        name: params.name,
        args,
        cannotAsk: cannotAsk(server, serving),
        hasRun: runs !== undefined,
        staysOpen: era === 'legacy',
        inRun: async (work) =>
          runs ? runs.use(isFree, work) : work(await openRun(parts, request, {})),
      },
      context,
    )
  })
  return server
}

function cannotAsk(server: Server, { era, runs }: Serving): string | undefined {
  if (era === 'legacy' && !runs) return 'this server has no session in which it could ask'
  const { elicitation } = server.getClientCapabilities() ?? {}
  const canFill = elicitation && (elicitation.form !== undefined || elicitation.url === undefined)
  return canFill ? undefined : 'the client offers no way to ask its user (elicitation)'
}
