/**
 * A dispatcher's options: what they mean, their defaults, and what is wrong with those that were given.
 * @module
 */
import type { Approver } from './approval/approver.ts'
import type { Clock } from './clock.ts'
import type { Mode } from './deferred/exposure.ts'
import { DispatchError } from './errors.ts'
import type { EventListener } from './events.ts'
import type { Hints } from './execute/hints.ts'
import { defaultTimeoutMs } from './execute/run-tool-call.ts'
import type { CacheStore } from './result-cache/store.ts'
import type { RunStore } from './run-state/store.ts'
import type { SchemaValidator } from './schema/validator.ts'
import type { ToolSource } from './tools/source.ts'
import type { AnyTool, Grants } from './tools/tool.ts'

/** Options of `createDispatcher`; every one but `tools` has a default. */
export interface DispatcherOptions {
  /** Plain objects; names are unique. `find_tools` and `run_tool` belong to the dispatcher. */
  readonly tools: readonly AnyTool[]
  /**
   * Tools from outside, which may come, change and go: looked at when a run is opened and when a round
   * begins. Of two of one name the first counts: `tools` before sources, sources in their order.
   */
  readonly sources?: readonly ToolSource[]
  /** How schemas reach the model: `deferred` (default), `stub`, `full`, or `auto`. */
  readonly mode?: Mode
  /** Concurrent tools that run at once; a whole number from 1, default 5. */
  readonly maxConcurrent?: number
  /** Where cacheable answers live; default: in memory. `false`: nowhere. */
  readonly cache?: CacheStore | false
  /** Part of every cache key, for several applications on one store; default `''`. */
  readonly cacheNamespace?: string
  /** Puts calls before a person. */
  readonly approver?: Approver
  /** With no approver: `deny` (default) what needs a person, or `allow` it. */
  readonly unattended?: 'allow' | 'deny'
  /** Where runs live; default: in memory, the 1,000 last used. */
  readonly store?: RunStore
  /** What tools may ask for by `needs`. */
  readonly grants?: Grants
  /** Safe coercions of arguments that the schema refuses; default true. */
  readonly coerce?: boolean
  /** Milliseconds a call may take unless its tool says another; default 60,000. */
  readonly timeoutMs?: number
  /** How long a write that was given up on holds back calls on the same resource; default 5,000. */
  readonly graceMs?: number
  /** UTF-8 bytes of one result that the model is given; default 65,536, at least 64. */
  readonly maxResultBytes?: number
  /** UTF-8 bytes of a round's results together; default 262,144, at least 1,024. */
  readonly maxRoundBytes?: number
  /** UTF-8 bytes of one call's arguments; default 4,194,304. */
  readonly maxArgumentBytes?: number
  /** UTF-8 bytes read from a tool that returns a stream; default 1,048,576. */
  readonly maxStreamBytes?: number
  /** Calls of one round that are looked at; default 1,000. The rest is `refused`. */
  readonly maxCalls?: number
  /** Rounds that may repeat a call before the model is told to change its approach; default 3. */
  readonly repeatLimit?: number
  /** `auto`: schema tokens up to which all schemas are sent; default 5,000. */
  readonly autoSchemaTokens?: number
  /** Most tools the provider takes (OpenAI 128, Gemini 512); beyond it they are deferred. Default: no bound. */
  readonly maxTools?: number
  /** Schemas that one search shows; default 3. */
  readonly schemasPerSearch?: number
  /** `throw` (default): a bad tool stops `createDispatcher`. `skip`: it is left out, with a diagnostic. */
  readonly badTools?: 'throw' | 'skip'
  /** Asked under each call that fails or times out, for at most a second: what it gives, the model reads beside the failure. */
  readonly hints?: Hints
  readonly validator?: SchemaValidator
  readonly clock?: Clock
  /** Hears the events of all runs. */
  readonly onEvent?: EventListener
  /** Keeps a Worker alive for work that goes on after the answer (`ctx.waitUntil`). */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

type Defaulted =
  | 'mode'
  | 'maxConcurrent'
  | 'cacheNamespace'
  | 'unattended'
  | 'grants'
  | 'coerce'
  | 'timeoutMs'
  | 'graceMs'
  | 'maxResultBytes'
  | 'maxRoundBytes'
  | 'maxArgumentBytes'
  | 'maxStreamBytes'
  | 'maxCalls'
  | 'repeatLimit'
  | 'autoSchemaTokens'
  | 'maxTools'
  | 'schemasPerSearch'
  | 'badTools'

/** Defaults of the options that have one. */
export const defaults: Required<Pick<DispatcherOptions, Defaulted>> = {
  mode: 'deferred',
  maxConcurrent: 5,
  cacheNamespace: '',
  unattended: 'deny',
  grants: {},
  coerce: true,
  timeoutMs: defaultTimeoutMs,
  graceMs: 5_000,
  maxResultBytes: 65_536,
  maxRoundBytes: 262_144,
  maxArgumentBytes: 4_194_304,
  maxStreamBytes: 1_048_576,
  maxCalls: 1_000,
  repeatLimit: 3,
  autoSchemaTokens: 5_000,
  maxTools: Number.POSITIVE_INFINITY,
  schemasPerSearch: 3,
  badTools: 'throw',
}

/** The options with their defaults. */
export type Options = DispatcherOptions & Required<Pick<DispatcherOptions, Defaulted>>

/** The options with their defaults. Throws `THREEPASS_BAD_OPTION`. */
export function withDefaults(given: DispatcherOptions): Options {
  checkOptions(given)
  return { ...defaults, ...dropUndefined(given) }
}

function dropUndefined(given: DispatcherOptions): DispatcherOptions {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as unknown as DispatcherOptions
}

const known = new Set([
  ...Object.keys(defaults),
  'tools',
  'cache',
  'approver',
  'store',
  'validator',
  'clock',
  'hints',
  'sources',
  'onEvent',
  'waitUntil',
])

/** Smallest legal value of each number; all but the times and `maxTools` are whole numbers. */
const smallest: { readonly [option: string]: number } = {
  maxConcurrent: 1,
  timeoutMs: 1,
  graceMs: 0,
  maxResultBytes: 64,
  maxRoundBytes: 1_024,
  maxArgumentBytes: 2,
  maxStreamBytes: 1,
  maxCalls: 1,
  repeatLimit: 1,
  autoSchemaTokens: 0,
  maxTools: 1,
  schemasPerSearch: 1,
}

const choices: { readonly [option: string]: readonly unknown[] } = {
  mode: ['deferred', 'stub', 'full', 'auto'],
  unattended: ['allow', 'deny'],
  badTools: ['throw', 'skip'],
}

function checkOptions(given: DispatcherOptions): void {
  if (typeof given !== 'object' || given === null || !Array.isArray(given.tools)) {
    throw badOption('tools must be an array of tools: createDispatcher({ tools: [...] })')
  }
  checkSources(given.sources ?? [])
  for (const [name, value] of Object.entries(given)) {
    if (!known.has(name))
      throw badOption(`there is no option "${name}"; the options are ${[...known].join(', ')}`)
    if (value === undefined) continue
    const least = smallest[name]
    if (least !== undefined && !isNumberFrom(least, value)) {
      throw badOption(`${name} must be a number, ${least} or more; it is ${String(value)}`)
    }
    if (choices[name] && !choices[name].includes(value)) {
      throw badOption(`${name} must be one of ${choices[name].join(', ')}; it is ${String(value)}`)
    }
  }
  for (const name of ['approver', 'hints', 'onEvent', 'clock', 'waitUntil'] as const) {
    if (given[name] !== undefined && typeof given[name] !== 'function') {
      throw badOption(`${name} must be a function`)
    }
  }
}

function checkSources(sources: readonly ToolSource[]): void {
  if (!Array.isArray(sources)) throw badOption('sources must be an array of tool sources')
  for (const [at, { name, prefix }] of sources.entries()) {
    if (typeof name !== 'string' || typeof prefix !== 'string' || prefix === '') {
      throw badOption(`source ${at} needs a name and a prefix`)
    }
    const other = sources
      .slice(0, at)
      .find((each) => each.name === name || overlap(each.prefix, prefix))
    if (other) {
      throw badOption(
        `the sources "${other.name}" (${other.prefix}) and "${name}" (${prefix}) need a name and a prefix of their own`,
      )
    }
  }
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

function isNumberFrom(least: number, value: unknown): boolean {
  return (
    typeof value === 'number' &&
    value >= least &&
    (Number.isInteger(value) || value === Number.POSITIVE_INFINITY)
  )
}

function badOption(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `createDispatcher: ${what}.`)
}
