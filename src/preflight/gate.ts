/**
 * A gate of pass 1: looks at one call and lets it pass, answers it, seats it behind an equal call,
 * or says that a person must be asked.
 * @module
 */
import type { EventBody } from '../events.ts'
import type { JsonObject, Outcome, ToolCall, ToolResult } from '../round.ts'
import type {
  Access,
  AllowRule,
  JournalEntry,
  LedgerEntry,
  RunState,
  SessionState,
  SettledCall,
} from '../run-state/run-state.ts'
import type { Checked } from '../schema/validator.ts'
import type { RegisteredTool, Registry } from '../tools/registry.ts'

/**
 * A call on its way through pass 1. Gates fill it in as it goes (one record a call: copies at every
 * gate would cost more than all the gates together); after pass 1 nobody changes it.
 */
export interface Call {
  /** Position in the round. */
  readonly index: number
  /** As the provider delivered it. */
  readonly raw: ToolCall
  /** Unique in the round. */
  id: string
  /** The id as it came, when it had one. */
  wireId: string | undefined
  name: string
  args: JsonObject
  /** Name and arguments before unwrapping: what the model's history keeps. */
  sent: { readonly name: string; readonly args: JsonObject; readonly raw?: string }
  repaired: readonly string[]
  /** JSON pointers of texts that were numbers which a double cannot hold. */
  inexact: ReadonlySet<string>
  /** It came through `run_tool`. */
  wrapped: boolean
  registered: RegisteredTool | undefined
  /** Validation's verdict, found once and used by dedupe, confirm and validate. */
  checked: Checked | undefined
  /** What `execute` is given, when a Standard Schema transformed the arguments. */
  input: { readonly value: unknown } | undefined
  /** Identity for dedupe, present once the arguments are known to be right. */
  key: string | undefined
  access: Access | undefined
  /** A person changed the arguments. */
  edited: boolean
}

const none: ReadonlySet<string> = new Set()

export function newCall(index: number, raw: ToolCall): Call {
  return {
    index,
    raw,
    id: '',
    wireId: undefined,
    name: '',
    args: {},
    sent: { name: '', args: {} },
    repaired: [],
    inexact: none,
    wrapped: false,
    registered: undefined,
    checked: undefined,
    input: undefined,
    key: undefined,
    access: undefined,
    edited: false,
  }
}

/** A call that passed every gate, or waits only for a person: it has a tool, right arguments and a key. */
export type ReadyCall = Readonly<Call> & {
  readonly registered: RegisteredTool
  readonly checked: Checked & { readonly ok: true }
  readonly key: string
  readonly access: Access
}

/** Pass 1's own answer to a call. */
export interface Answer {
  readonly outcome: Outcome
  readonly code: string
  readonly content: string
  /** An earlier result that is given again. */
  readonly earlier?: ToolResult
  /** This call's own result, which a crash kept from being committed. */
  readonly recorded?: ToolResult
  /** `schema`: the tool whose schema the text holds, now loaded. */
  readonly shows?: readonly string[]
  /** `duplicate`: the ledger entry that was repeated. */
  readonly repeated?: string
}

export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Shares the result of an equal call of this round. */
  | { readonly kind: 'seat'; readonly behind: ReadyCall }
  /** Goes on when a person has approved. */
  | { readonly kind: 'ask'; readonly always: boolean }

export type Gate = (call: Call, context: PreflightContext) => Verdict | Promise<Verdict>

/** How schemas reach the model (DESIGN §4); `auto` has been decided by now. */
export type Exposure = 'full' | 'deferred' | 'stub'

/** What the gates know beside the call. */
export interface PreflightContext {
  readonly registry: Registry
  readonly exposure: Exposure
  readonly state: RunState
  readonly session: SessionState
  /** Session rules and rules for this run that may approve without asking. */
  readonly allowRules: readonly AllowRule[]
  readonly ledger: ReadonlyMap<string, LedgerEntry>
  readonly settled: ReadonlyMap<string, SettledCall>
  /** Tool name → fingerprint of the schema that was shown, as of the start of the round. */
  readonly loaded: ReadonlyMap<string, string>
  /** Earlier calls of this round that will run, in order. */
  readonly ahead: readonly ReadyCall[]
  /** Ids already taken in this round, with how many copies each has. */
  readonly ids: Map<string, number>
  /** Position of the round in the run, the same when it is dispatched again after a crash. */
  readonly roundIndex: number
  /** Calls that had begun before a crash, with what is known of them: approved already. */
  readonly begun: ReadonlyMap<string, JournalEntry>
  readonly options: PreflightOptions
  /** Index of the call that the model's output may have been cut in, or -1. */
  readonly cutIndex: number
  readonly readResult: (roundId: string, callId: string) => Promise<ToolResult | undefined>
  readonly emit: (body: EventBody) => void
}

export interface PreflightOptions {
  readonly coerce: boolean
  readonly maxArgumentBytes: number
  readonly maxCalls: number
  readonly unattended: 'allow' | 'deny'
  readonly hasApprover: boolean
  readonly repeatLimit: number
}

export const pass: Verdict = { kind: 'pass' }

export function answer(given: Answer): Verdict {
  return { kind: 'answer', answer: given }
}
