/**
 * Scripts in QuickJS, compiled to WebAssembly: an engine of its own for every run.
 * @module
 */
import type { JSException, JSValueHandle, QuickJS } from 'quickjs-wasi'
import { wellFormed } from '../execute/text.ts'
import { positiveInteger } from '../option.ts'
import type { Json } from '../round.ts'
import { giveConsole, shown } from './quickjs-console.ts'
import { giveNetwork, type Network } from './quickjs-network.ts'
import type { ScriptBounds, ScriptOutcome, ScriptRun, ScriptSandbox } from './sandbox.ts'

/** A compiled module; this library names no runtime's own type for it. */
export type WasmModule = object

export interface QuickJSOptions extends ScriptBounds {
  /**
   * Gives the engine, compiled: `quickjs-wasi/quickjs.wasm` as the runtime loads such things (docs/scripts.md). Called
   * once, with the first script.
   */
  readonly wasm: () => WasmModule | Promise<WasmModule>
}

type Bounds = Required<ScriptBounds>

const file = 'script.js'
const stackBytes = 262_144

/** Throws `THREEPASS_BAD_OPTION` for a bound that is none. */
export function quickJSSandbox({ wasm, ...given }: QuickJSOptions): ScriptSandbox {
  const bounds: Bounds = {
    maxSteps: positiveInteger('maxSteps', given.maxSteps ?? 5_000),
    maxTimeMs: positiveInteger('maxTimeMs', given.maxTimeMs ?? 10_000),
    maxMemoryBytes: positiveInteger('maxMemoryBytes', given.maxMemoryBytes ?? 33_554_432),
    maxOutput: positiveInteger('maxOutput', given.maxOutput ?? 1_048_576),
  }
  let module: Promise<WasmModule> | undefined
  return {
    async run(script) {
      script.signal?.throwIfAborted()
      module ??= Promise.resolve(wasm())
      const own = module
      // A module that could not be had is asked for again.
      own.catch(() => {
        if (module === own) module = undefined
      })
      const { QuickJS, EvalFlags } = await import('quickjs-wasi')
      const work: Work = { steps: 0, over: '', until: Date.now() + bounds.maxTimeMs }
      const vm = await QuickJS.create({
        wasm: (await own) as WebAssembly.Module,
        memoryLimit: bounds.maxMemoryBytes,
        maxStackSize: stackBytes,
        interruptHandler() {
          work.steps += 1
          if (work.steps > bounds.maxSteps) work.over ||= `more than ${bounds.maxSteps} steps`
          else if (Date.now() > work.until) work.over ||= `more than ${bounds.maxTimeMs} ms`
          return work.over !== '' || script.signal?.aborted === true
        },
      })
      try {
        return await runIn(vm, script, bounds, work, EvalFlags.TYPE_MODULE)
      } finally {
        vm.dispose()
      }
    },
  }
}

/** What a run has used. */
export interface Work {
  steps: number
  /** Which bound it is past. */
  over: string
  /** When its time is over; while it waits for the network it uses none. */
  until: number
}

async function runIn(
  vm: QuickJS,
  { code, input, signal, fetch }: ScriptRun,
  { maxOutput }: Bounds,
  work: Work,
  moduleFlag: number,
): Promise<ScriptOutcome> {
  const logs: string[] = []
  giveConsole(vm, logs, maxOutput, work)
  const network = giveNetwork(vm, fetch, signal, work)
  // Taken before the script runs: it may do to its own globals what it likes.
  const json = vm.global.getProp('JSON')
  const [parse, stringify] = [json.getProp('parse'), json.getProp('stringify')]
  const ended = (outcome: Pick<ScriptOutcome, 'output' | 'error'>): ScriptOutcome => {
    signal?.throwIfAborted()
    return { ...outcome, logs, steps: work.steps }
  }
  try {
    const exported = (await settled(vm, vm.evalCode(code, file, moduleFlag), network)).getProp(
      'default',
    )
    if (exported.typeof !== 'function') {
      return ended({
        error: 'it has no default export that is a function: export default (input) => …',
      })
    }
    const given = vm.callFunction(parse, vm.undefined, vm.newString(JSON.stringify(input)))
    const returned = await settled(vm, vm.callFunction(exported, vm.undefined, given), network)
    const text = vm.callFunction(stringify, vm.undefined, returned)
    // A function or nothing has no JSON.
    if (text.typeof !== 'string') return ended({ output: null })
    const output = text.toString()
    if (output.length > maxOutput) {
      return ended({ error: `its result has ${output.length} characters, at most ${maxOutput}` })
    }
    return ended({ output: JSON.parse(output) as Json })
  } catch (error) {
    return ended({ error: work.over ? `it ran too long: ${work.over}` : errorOf(vm, error) })
  } finally {
    network.close()
  }
}

/** What a promise came to, once all that was queued has run and was waited for. Throws what it was rejected with. */
async function settled(
  vm: QuickJS,
  value: JSValueHandle,
  network: Network,
): Promise<JSValueHandle> {
  vm.executePendingJobs()
  if (!value.isPromise) return value
  while (value.promiseState === 0) {
    const waited = await network.wait()
    if (!waited) {
      throw new Thrown(
        'the promise that it returned is never settled: there is nothing to wait for',
      )
    }
    vm.executePendingJobs()
  }
  const result = await vm.resolvePromise(value)
  if ('error' in result) throw new Thrown(describe(vm, result.error))
  return result.value
}

/** What a script threw, in words. */
class Thrown extends Error {}

function describe(vm: QuickJS, thrown: JSValueHandle): string {
  if (!thrown.isError) return `it threw ${shown(vm, thrown).slice(0, 500)}`
  const part = (name: string) => thrown.getProp(name).toString()
  return located(`${part('name')}: ${part('message')}`, part('stack'))
}

/** The engine's own exceptions hold what was thrown. */
function errorOf(vm: QuickJS, error: unknown): string {
  const { handle, message } = error as Partial<JSException>
  return handle ? describe(vm, handle) : String(message)
}

/** The innermost place in the script itself. */
function located(what: string, stack: string): string {
  const [place] = /script\.js:\d+:\d+/.exec(stack) ?? []
  return wellFormed(place ? `${what} at ${place}` : what).slice(0, 2_000)
}
