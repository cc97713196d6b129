/**
 * PORT ScriptSandbox: runs JavaScript that nobody trusts, on data, with nothing of the host in reach.
 * @module
 */
import type { Json } from '../round.ts'

export interface ScriptRun {
  /** An ES module without imports whose default export is a function, async or not. */
  readonly code: string
  /** Given to the function as its only argument. */
  readonly input: Json
  readonly signal?: AbortSignal
  /**
   * Grants the network: a guarded fetch, which the script calls as a small `fetch` of its own (text bodies, 20
   * requests, 1,048,576 bytes an answer). Default: there is none.
   */
  readonly fetch?: typeof fetch
}

export interface ScriptBounds {
  /** Steps of some ten thousand instructions each, mostly about five a millisecond; default 5,000. */
  readonly maxSteps?: number
  /** Milliseconds, where the clock moves while code runs (not in a Worker); default 10,000. */
  readonly maxTimeMs?: number
  /** Default 33,554,432. */
  readonly maxMemoryBytes?: number
  /** Characters of the result's JSON, and of what is logged; default 1,048,576. */
  readonly maxOutput?: number
}

export interface ScriptOutcome {
  /** What the function returned; absent when it failed. */
  readonly output?: Json
  /** Why it failed: name, message and where (`script.js:3:5`). */
  readonly error?: string
  /** Lines of `console.log` and its like. */
  readonly logs: readonly string[]
  readonly steps: number
}

export interface ScriptSandbox {
  /**
   * Resolves on every path that is the script's: what it throws, endless loops and floods are outcomes.
   * Rejects when the sandbox itself cannot be had, or when `signal` has aborted.
   */
  run(script: ScriptRun): Promise<ScriptOutcome>
}
