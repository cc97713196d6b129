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
  LedgerEntry,
  RunState,
  SettledCall,
} from '../run-state/run-state.ts'
import type { Checked } from '../schema/validator.ts'
import type { RegisteredTool, Registry } from '../tools/registry.ts'

/** A call on its way through pass 1. Gates return changed copies; nobody changes one in place. */
export interface Call {
  /** Position in the round. */
  readonly index: number
  /** As the provider delivered it. */
  readonly raw: ToolCall
  /** Unique in the round. */
  readonly id: string
  /** The id as it came, when it had one. */
  readonly wireId?: string
  readonly name: string
  readonly args: JsonObject
  /** Name and arguments before unwrapping: what the model's history keeps. */
  readonly sent: { readonly name: string; readonly args: JsonObject; readonly raw?: string }
  readonly repaired: readonly string[]
  /** JSON pointers of texts that were numbers which a double cannot hold. */
  readonly inexact: ReadonlySet<string>
  /** It came through `run_tool`. */
  readonly wrapped: boolean
  readonly registered?: RegisteredTool
  /** Validation's verdict, found once and used by dedupe, confirm and validate. */
  readonly checked?: Checked
  /** What `execute` is given, when a Standard Schema transformed the arguments. */
  readonly input?: { readonly value: unknown }
  /** Identity for dedupe, present once the arguments are known to be right. */
  readonly key?: string
  readonly access?: Access
  /** A person changed the arguments. */
  readonly edited?: boolean
}

/** A call that passed every gate, or waits only for a person: it has a tool, right arguments and a key. */
export type ReadyCall = Call & {
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
  /** `schema`: the tool whose schema the text holds, now loaded. */
  readonly shows?: readonly string[]
  /** `duplicate`: the ledger entry that was repeated. */
  readonly repeated?: string
}

export type Verdict =
  | { readonly kind: 'pass'; readonly call: Call }
  | { readonly kind: 'answer'; readonly call: Call; readonly answer: Answer }
  /** Shares the result of an equal call of this round. */
  | { readonly kind: 'seat'; readonly call: Call; readonly behind: ReadyCall }
  /** Goes on when a person has approved. */
  | { readonly kind: 'ask'; readonly call: Call; readonly always: boolean }

export type Gate = (call: Call, context: PreflightContext) => Verdict | Promise<Verdict>

/** How schemas reach the model (DESIGN §4); `auto` has been decided by now. */
export type Exposure = 'full' | 'deferred' | 'stub'

/** What the gates know beside the call. */
export interface PreflightContext {
  readonly registry: Registry
  readonly exposure: Exposure
  readonly state: RunState
  /** Session rules and rules for this run that may approve without asking. */
  readonly allowRules: readonly AllowRule[]
  readonly ledger: ReadonlyMap<string, LedgerEntry>
  readonly settled: ReadonlyMap<string, SettledCall>
  /** Tool name → fingerprint of the schema that was shown, as of the start of the round. */
  readonly loaded: ReadonlyMap<string, string>
  /** Earlier calls of this round that will run, in order. */
  readonly ahead: readonly ReadyCall[]
  /** Ids already taken in this round. */
  readonly ids: Set<string>
  /** Calls that had begun before a crash: a person has approved them already. */
  readonly begun: ReadonlySet<string>
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

export function pass(call: Call): Verdict {
  return { kind: 'pass', call }
}

export function answer(call: Call, given: Answer): Verdict {
  return { kind: 'answer', call, answer: given }
}
