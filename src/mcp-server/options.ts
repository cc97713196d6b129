/**
 * What a dispatcher is offered with.
 * @module
 */
import type { EventStore } from '@modelcontextprotocol/server'
import type { Approver } from '../approval/approver.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Dispatcher, Run, RunOptions } from '../dispatcher.ts'
import { DispatchError } from '../errors.ts'
import { positiveInteger } from '../option.ts'
import type { CatalogueEntry } from '../tools/catalogue.ts'

/** What a run is opened for. */
export interface McpRunRequest extends RunOptions {
  /** The request that brought the call. */
  readonly request: Request
}

export interface McpHandlerOptions {
  /**
   * The dispatcher, of mode `full`; or a function that makes it around the approver which asks the client's
   * person. A dispatcher that is given as it is asks whom its own approver asks.
   */
  readonly dispatcher: Dispatcher | ((approver: Approver) => Dispatcher)
  /** `all` (default): every tool with its schema. `deferred`: find_tools and run_tool alone. */
  readonly expose?: 'all' | 'deferred'
  /**
   * Default true: a client of the older versions gets a session, and its calls share a run. `false`: every
   * call is a run of its own, and nobody can be asked, as it always is without a session.
   */
  readonly sessions?: boolean
  /** Which tools are offered; default: those that need no page and no person. */
  readonly offers?: (tool: CatalogueEntry) => boolean
  /** Opens the run of a session or of a call; default: `dispatcher.run(given)`. */
  readonly openRun?: (given: McpRunRequest) => Run | Promise<Run>
  /** Names a new session; default: a random UUID. At most 400 characters. */
  readonly newSessionId?: (request: Request) => string
  /** Milliseconds without a call after which a session's next call begins a new run; default 600,000. */
  readonly runIdleMs?: number
  /** Milliseconds that a question waits for its answer before it counts as denied; default 600,000. */
  readonly answerTimeoutMs?: number
  /** Sessions that are kept; the one not used for longest is ended for a new one. Default 1,000. */
  readonly maxSessions?: number
  /** Bytes of a request; default 4,194,304. */
  readonly maxRequestBytes?: number
  /**
   * Origins of pages that may use the handler, beside its own. Default none: a page elsewhere could
   * otherwise reach a server on its visitor's machine.
   */
  readonly allowedOrigins?: readonly string[]
  /** Of the SDK: keeps what streams have said, so that a client goes on after a break. */
  readonly eventStore?: EventStore
  /** What the server is called; default `threepass`. */
  readonly name?: string
  readonly version?: string
  /** What a model should know of the tools together. */
  readonly instructions?: string
  readonly clock?: Clock
}

type Defaulted =
  | 'expose'
  | 'sessions'
  | 'offers'
  | 'newSessionId'
  | 'runIdleMs'
  | 'answerTimeoutMs'
  | 'maxSessions'
  | 'maxRequestBytes'
  | 'allowedOrigins'
  | 'name'
  | 'version'
  | 'clock'

/** The options, checked and with their defaults. */
export type CheckedOptions = Omit<McpHandlerOptions, Defaulted | 'dispatcher'> &
  Required<Pick<McpHandlerOptions, Defaulted>> & { readonly dispatcher: Dispatcher }

/** Throws `THREEPASS_BAD_OPTION`. */
export function checkOptions(given: McpHandlerOptions, approver: Approver): CheckedOptions {
  const { expose = 'all' } = given
  if (expose !== 'all' && expose !== 'deferred') throw bad("expose must be 'all' or 'deferred'")
  const dispatcher =
    typeof given.dispatcher === 'function' ? given.dispatcher(approver) : given.dispatcher
  if (typeof dispatcher?.run !== 'function') {
    throw bad('dispatcher must be a dispatcher, or a function of an approver that makes one')
  }
  if (dispatcher.exposure !== 'full') {
    throw bad(
      "its dispatcher must have the mode 'full': what the client is shown is said by expose",
    )
  }
  return {
    ...given,
    dispatcher,
    expose,
    sessions: given.sessions ?? true,
    offers: given.offers ?? needsNobody,
    newSessionId: given.newSessionId ?? (() => crypto.randomUUID()),
    runIdleMs: positiveInteger('runIdleMs', given.runIdleMs ?? 600_000),
    answerTimeoutMs: positiveInteger(
      'answerTimeoutMs',
      given.answerTimeoutMs ?? 600_000,
      2 ** 31 - 1,
    ),
    maxSessions: positiveInteger('maxSessions', given.maxSessions ?? 1_000),
    maxRequestBytes: positiveInteger('maxRequestBytes', given.maxRequestBytes ?? 4_194_304),
    allowedOrigins: given.allowedOrigins ?? [],
    name: given.name ?? 'threepass',
    version: given.version ?? '1',
    clock: given.clock ?? systemClock,
  }
}

function needsNobody({ origin, interactive }: CatalogueEntry): boolean {
  return origin !== 'client' && !interactive
}

function bad(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `mcpHandler: ${what}.`)
}
