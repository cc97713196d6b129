/**
 * One session with the server, by the SDK's client.
 * @module
 */
import type {
  CallToolResult,
  Client,
  PriorDiscovery,
  Progress,
  Tool,
  Transport,
} from '@modelcontextprotocol/client'
import { expiring, pause } from '../clock.ts'
import type { JsonObject } from '../round.ts'
import type { SourceProblem } from '../tools/source.ts'
import { connectionBroke, watchMessages } from './messages.ts'
import type { CheckedOptions, McpSourceOptions } from './options.ts'
import { openWire, type Wire } from './wire.ts'

/** The server's list, and what could not be taken from it. */
export interface Listed {
  readonly tools: readonly Tool[]
  readonly problems: readonly SourceProblem[]
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly onprogress: (progress: Progress) => void
}

export interface Link extends Pick<Wire, 'sdk' | 'http'> {
  /** `''` when the server gives none. */
  readonly instructions: string
  /** Changes of the list are heard: it need not be read again. */
  readonly hears: () => boolean
  readonly hasSession: () => boolean
  /**
   * A browser sends a request again, by itself, when a connection that was kept open breaks before the
   * answer begins. So an answer that says "not run" may be that to a second copy.
   */
  readonly mayResend: boolean
  /** Finds out whether the session is still known, before a call that must not be sent twice. */
  readonly check: (signal: AbortSignal) => Promise<void>
  readonly list: () => Promise<Listed>
  readonly call: (tool: Tool, args: JsonObject, options: CallOptions) => Promise<CallToolResult>
  readonly close: () => Promise<void>
  /** Closes it when the calls that are under way have ended. */
  readonly retire: () => void
}

/** What is kept of a server from one session to the next. */
export interface Known {
  /** It speaks an older version: that need not be found out again. */
  prior?: PriorDiscovery
  /** The last way to it: the one whose authorization a person may have to finish. */
  wire?: Wire
}

/** `clientInfo` of every session. */
export const clientInfo = { name: 'threepass', version: '0.1.0' } as const

/** A call has the deadline of its dispatcher; the SDK's own must not come before it. */
const never = 2 ** 31 - 1
/** How long a server may take to say whether it has a stream, before its list is read without one. */
const streamTimeoutMs = 1_000
const closeTimeoutMs = 2_000

export interface LinkEvents {
  /** The server says that its tools are other ones now. */
  readonly onChange: () => void
  /** For a while nobody would have heard that. */
  readonly onGap: () => void
}

/** Opens a session within `loadTimeoutMs`. Rejects with what the SDK or `fetch` threw. */
export async function openLink(
  options: CheckedOptions,
  known: Known,
  { onChange, onGap }: LinkEvents,
): Promise<Link> {
  const { listen, elicit, loadTimeoutMs } = options
  let client: Client | undefined
  let listed = false
  const saysChanges = () => client?.getServerCapabilities()?.tools?.listChanged === true
  const wire = await openWire(
    options,
    () => listen && (saysChanges() || elicit !== undefined),
    () => listed && onGap(),
  )
  const { sdk, http } = wire
  known.wire = wire
  let problems: SourceProblem[] = []
  let seen: string[] = []
  const transport = watchMessages(wire.transport as Transport, {
    isTool: sdk.isSpecType.Tool,
    onTools: (names) => seen.push(...names),
    isContent: sdk.isSpecType.ContentBlock,
    hide: http.hide,
    onProblem: (definition, message) => problems.push({ definition, message }),
  })
  const own = createClient(wire, options, onChange)
  client = own
  await connect(own, transport, known, loadTimeoutMs)
  const isModern = own.getProtocolEra() === 'modern'
  const subscription =
    isModern && listen && saysChanges() ? subscribe(own, options, onGap) : undefined
  const hears = () => (isModern ? subscription?.isOpen() === true : http.hears())

  /** First the stream, then the list: what changes in between is heard. */
  const listenFirst = async () => {
    if (!listen || !saysChanges() || hears()) return
    if (subscription) await subscription.open()
    else if (listed) await wire.transport.resumeStream('').catch(() => {})
    else await soon(http.answered, streamTimeoutMs)
  }

  let calls = 0
  let retired = false
  const close = async () => {
    await soon(
      wire.transport.terminateSession().catch(() => {}),
      closeTimeoutMs,
    )
    await own.close().catch(() => {})
  }

  return {
    sdk,
    http,
    instructions: own.getInstructions() ?? '',
    hears: () => saysChanges() && hears(),
    hasSession: () => wire.transport.sessionId !== undefined,
    mayResend: isBrowser(),
    async check(signal) {
      if (isModern) return
      await own.ping({ signal, timeout: loadTimeoutMs }).catch((error: unknown) => {
        // A server that knows no ping has answered all the same.
        if (!(error instanceof sdk.ProtocolError) || error.code === connectionBroke) throw error
      })
    },
    async list() {
      await listenFirst()
      listed = true
      problems = []
      seen = []
      const signal = expiring(loadTimeoutMs)
      const { tools } = await own.listTools(undefined, { cacheMode: 'bypass', signal })
      const taken = new Set(tools.map(({ name }) => name))
      for (const name of seen) if (!taken.has(name)) problems.push(badHeader(name))
      return { tools, problems }
    },
    async call(tool, args, { signal, onprogress }) {
      // Without its outputSchema: the SDK would throw away the result of a tool that has run.
      const { outputSchema: _, ...toolDefinition } = tool
      const params = { name: tool.name, arguments: args }
      calls += 1
      try {
        return await own.callTool(params, { signal, onprogress, toolDefinition, timeout: never })
      } finally {
        calls -= 1
        if (retired && calls === 0) void close()
      }
    },
    close,
    retire() {
      retired = true
      if (calls === 0) void close()
    },
  }
}

function isBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent?.startsWith('Mozilla/') === true
}

function badHeader(definition: string): SourceProblem {
  return {
    definition,
    message: 'Its x-mcp-header declarations are not as the protocol wants them.',
  }
}

function createClient({ sdk }: Wire, { elicit, server }: CheckedOptions, onChange: () => void) {
  const client = new sdk.Client(clientInfo, {
    capabilities: elicit ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: 'auto' },
    // Never asked: results are checked by result.ts, without code made from text.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  })
  client.setNotificationHandler('notifications/tools/list_changed', onChange)
  if (elicit) answerQuestions(client, server, elicit)
  return client
}

/** Without it the SDK tells the server that this client cannot be asked. */
function answerQuestions(
  client: Client,
  server: string,
  elicit: NonNullable<McpSourceOptions['elicit']>,
): void {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) => {
    if (!('requestedSchema' in params)) return { action: 'decline' }
    const schema = params.requestedSchema as JsonObject
    const answer = await elicit({ server, message: params.message, schema, signal })
    return answer.action === 'accept'
      ? { action: 'accept', content: { ...answer.content } }
      : { action: answer.action }
  })
}

async function connect(
  client: Client,
  transport: Transport,
  known: Known,
  timeoutMs: number,
): Promise<void> {
  const late = new AbortController()
  try {
    const options = { timeout: timeoutMs, ...(known.prior && { prior: known.prior }) }
    const connected = client.connect(transport, options)
    connected.catch(() => {})
    await Promise.race([connected, tooLate(timeoutMs, late.signal)])
    if (client.getProtocolEra() === 'legacy') known.prior = { kind: 'legacy' }
  } catch (error) {
    // It may have learned a newer version since.
    delete known.prior
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    throw error
  } finally {
    late.abort()
  }
}

async function tooLate(timeoutMs: number, signal: AbortSignal): Promise<never> {
  await pause(timeoutMs, signal)
  throw new Error(`it did not answer within ${timeoutMs / 1_000} s`)
}

/** Waits for the work, but not longer. */
async function soon(work: Promise<unknown>, ms: number): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, pause(ms, done.signal).catch(() => {})])
  done.abort()
}

interface Subscription {
  readonly isOpen: () => boolean
  readonly open: () => Promise<void>
}

/** The newer versions say what changed on a stream that is asked for. */
function subscribe(
  client: Client,
  { loadTimeoutMs }: CheckedOptions,
  onGap: () => void,
): Subscription {
  let isOpen = false
  return {
    isOpen: () => isOpen,
    async open() {
      const wanted = { toolsListChanged: true }
      const stream = await client.listen(wanted, { timeout: loadTimeoutMs }).catch(() => undefined)
      isOpen = stream !== undefined
      void stream?.closed.then(() => {
        isOpen = false
        onGap()
      })
    },
  }
}
