/**
 * PORT Tool: what can be called. A plain object is enough.
 * @module
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { Json, JsonObject } from '../round.ts'

/** A JSON Schema (draft 7 or 2020-12) as a plain object. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A zod, valibot or arktype schema that can give its own JSON Schema. */
export type StandardSchema<Output = unknown> = StandardSchemaV1<unknown, Output> &
  StandardJSONSchemaV1<unknown, Output>

/** What a tool may be granted besides its arguments. A host fills it in `createDispatcher({ grants })`. */
export interface Grants {
  readonly workspace?: unknown
  readonly fetch?: typeof fetch
  readonly state?: unknown
}

/** Handed to `execute` beside the arguments. */
export interface ToolContext extends Grants {
  /** Aborts with the round, the run or the call's deadline. */
  readonly signal: AbortSignal
  readonly callId: string
  readonly runId: string
  readonly sessionId: string
  /** The same over retries of the round: pass it on to a service that honours such keys. */
  readonly idempotencyKey: string
  /** Reports how far the call is (`tool_call_progress`). Ignored once the call has ended. */
  readonly progress: (value: Json) => void
  /** Reports a piece of text output (`tool_call_text`). Ignored once the call has ended. */
  readonly text: (chunk: string) => void
}

/** Where the 30-minute cache may keep an answer, and for whom. */
export interface CacheTrait {
  /** Lifetime in seconds; default 1800, at least 1. Fixed: a hit does not prolong it. */
  readonly ttl?: number
  /** Cache only the calls for which this is true; default all. */
  readonly when?: (args: JsonObject) => boolean
  /** `session` (default): only this session sees the answer. `public`: everybody does. */
  readonly scope?: 'session' | 'public'
}

/**
 * A confirm rule's verdict on one call. `true`: ask a person unless an allow rule covers the call.
 * `'always'`: ask whatever the allow rules say. `false`: do not ask. `undefined`: ask unless the tool is `readOnly`.
 */
export type ConfirmVerdict = boolean | 'always' | undefined

/** What a tool declares about itself; every trait is optional. */
export interface ToolTraits {
  /** May run beside other calls (at most `maxConcurrent`); default false: in turn, in the model's order. */
  readonly concurrent?: boolean
  /** Changes nothing anywhere. Such a call needs no approval and is simply run again after a crash. */
  readonly readOnly?: boolean
  readonly confirm?: ConfirmVerdict | ((args: JsonObject) => ConfirmVerdict)
  /**
   * What a person who is asked about a call is told beside its arguments: one line of the tool's maker, such as
   * where it goes and what it takes along; no secret's value. Cut at 500 characters; a throw says nothing.
   */
  readonly tells?: (args: JsonObject) => string
  /** Resources a call reads: hierarchical names (`file:/notes/a.md`) that cover what lies below them. */
  readonly reads?: (args: JsonObject) => readonly string[]
  /** Resources a call writes. A tool that is neither `readOnly` nor has this may touch anything. */
  readonly writes?: (args: JsonObject) => readonly string[]
  /** Default true. `false` for polling, clocks and random: every call runs. */
  readonly dedupe?: boolean
  readonly cache?: CacheTrait
  /** Milliseconds, default 60,000; `Infinity` for none. */
  readonly timeout?: number
  /** UTF-8 bytes of a result that the model is given; default is the dispatcher's. */
  readonly maxResultBytes?: number
  /** Answers `ok` at once and goes on; its end is an event. */
  readonly background?: boolean
  /** Waits for a person: always runs in turn, and has no deadline unless `timeout` says one. */
  readonly interactive?: boolean
  /**
   * Its answer comes from outside the process, by `ClientCalls`: the call goes out as `client_tool_call`,
   * and its deadline counts from its first start, also over a restart.
   */
  readonly remote?: boolean
  /** Honours `context.idempotencyKey`: after a crash it is run again with the same key. */
  readonly idempotent?: boolean
  /** The grants it wants in its context; a grant that the host has not given fails at registration. */
  readonly needs?: readonly (keyof Grants)[]
}

/** A tool. `Args` is what `execute` is given: the arguments after validation. */
export interface Tool<Args = JsonObject> extends ToolTraits {
  /** 1 to 256 characters, unique in the dispatcher, no control characters. */
  readonly name: string
  readonly description: string
  readonly inputSchema?: JsonSchema | StandardSchema<Args>
  /** Part of the cache key: change it when answers change their meaning. */
  readonly version?: string
  /** `client`: lives in the page and is always in the tools array. */
  readonly origin?: 'server' | 'client'
  /** `external`: the definition comes from outside; its patterns and size are screened. Default `author`, and `external` for client tools. */
  readonly trust?: 'author' | 'external'
  /** Returns text, any JSON value, MCP content (`{ content: [...] }`) or a stream of text. Whatever it does, the call gets a result. */
  readonly execute: (args: Args, context: ToolContext) => unknown
}

/** Types a tool; returns it unchanged. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools mixes argument types, as in every typed registry
export type AnyTool = Tool<any>

/** Types a tool whose schema is a Standard Schema: `args` has the schema's output type. */
export function defineTool<Output>(
  tool: Tool<Output> & { readonly inputSchema: StandardSchema<Output> },
): Tool<Output>
/** Types a tool whose schema is plain JSON Schema. */
export function defineTool<Args = JsonObject>(tool: Tool<Args>): Tool<Args>
export function defineTool(tool: AnyTool): AnyTool {
  return tool
}
