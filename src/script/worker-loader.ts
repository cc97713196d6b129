/**
 * Scripts in Workers of their own, made on the spot: Cloudflare's Dynamic Worker Loader.
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/worker-loader/
 * @module
 */
import { inTime } from '../execute/copy.ts'
import { errorText } from '../execute/render-result.ts'
import { wellFormed } from '../execute/text.ts'
import { positiveInteger } from '../option.ts'
import type { Json } from '../round.ts'
import type { ScriptOutcome, ScriptSandbox } from './sandbox.ts'
import { fetchInside, type ScriptFetch, scriptFetch } from './script-fetch.ts'

/** The binding, as far as it is used here. */
export interface WorkerLoaderBinding {
  load(code: {
    readonly compatibilityDate: string
    readonly mainModule: string
    readonly modules: { readonly [name: string]: string }
    readonly globalOutbound: null
    readonly limits?: { readonly cpuMs?: number }
  }): { getEntrypoint(): unknown }
}

export interface WorkerLoaderOptions {
  /** The binding of `worker_loaders` in wrangler.toml. */
  readonly loader: WorkerLoaderBinding
  /** Of the Workers that run the scripts, such as `2026-04-26`. */
  readonly compatibilityDate: string
  /** CPU time of one run in milliseconds, which the platform keeps (not a local one); default 1,000. */
  readonly cpuMs?: number
  /** Milliseconds by the clock, network included; default 60,000. */
  readonly timeoutMs?: number
  /** Characters of the result's JSON, and of what is logged; default 1,048,576. */
  readonly maxOutput?: number
}

/** What the Worker inside answers. */
interface Entrypoint {
  run(input: string, ask: ScriptFetch | null, maxOutput: number): Promise<string>
}

/**
 * A sandbox that runs each script in an isolate of its own with V8's speed, no bindings and no way out but
 * the granted `fetch`. Steps are not counted. Throws `THREEPASS_BAD_OPTION` for a bound that is none.
 */
export function workerLoaderSandbox(options: WorkerLoaderOptions): ScriptSandbox {
  const { loader, compatibilityDate } = options
  const cpuMs = positiveInteger('cpuMs', options.cpuMs ?? 1_000)
  const timeoutMs = positiveInteger('timeoutMs', options.timeoutMs ?? 60_000)
  const maxOutput = positiveInteger('maxOutput', options.maxOutput ?? 1_048_576)
  return {
    async run({ code, input, signal, fetch }) {
      signal?.throwIfAborted()
      const ends = new AbortController()
      const stop = () => ends.abort(signal?.reason)
      signal?.addEventListener('abort', stop)
      try {
        const worker = loader.load({
          compatibilityDate,
          mainModule: 'main.js',
          modules: { 'main.js': main, 'script.js': code },
          globalOutbound: null,
          limits: { cpuMs },
        })
        const entrypoint = worker.getEntrypoint() as Entrypoint
        const ask = fetch ? scriptFetch(fetch, ends.signal) : null
        const running = entrypoint
          .run(JSON.stringify(input), ask, maxOutput)
          .then((answer) => read(answer, maxOutput))
          .catch(failed)
        const late = () => outcome({ error: `it ran too long: more than ${timeoutMs} ms` })
        return await inTime(Promise.race([running, aborted(ends.signal)]), timeoutMs, late)
      } finally {
        signal?.removeEventListener('abort', stop)
        ends.abort()
      }
    },
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function outcome(ended: Partial<ScriptOutcome>): ScriptOutcome {
  return { logs: [], steps: 0, ...ended }
}

/** The script may have changed what its Worker answers by: what has not the right shape does not count. */
function read(answer: string, maxOutput: number): ScriptOutcome {
  const { output, error, logs } = Object(JSON.parse(answer)) as { [part: string]: unknown }
  const said = { logs: linesOf(logs, maxOutput) }
  if (error !== undefined) {
    return outcome({ ...said, error: wellFormed(String(error)).slice(0, 2_000) })
  }
  return outcome({ ...said, output: (output ?? null) as Json })
}

function linesOf(logs: unknown, maxOutput: number): string[] {
  let left = maxOutput
  return (Array.isArray(logs) ? logs : []).flatMap((line) => {
    left -= String(line).length + 1
    return typeof line === 'string' && left >= -line.length ? wellFormed(line) : []
  })
}

/** The Worker did not start, or was ended by the platform. */
function failed(error: unknown): ScriptOutcome {
  return outcome({ error: wellFormed(errorText(error)).slice(0, 2_000) })
}

/** What stands around the script, in its isolate: same answers as in the other sandbox. */
const main = `
import { WorkerEntrypoint } from 'cloudflare:workers'
const { parse, stringify } = JSON
const makeFetch = ${fetchInside}

function located(error) {
  if (!(error instanceof Error)) {
    const kind = typeof error
    let text = '[' + kind + ']'
    try { text = kind === 'object' || kind === 'string' ? stringify(error) : String(error) } catch {}
    return 'it threw ' + String(text).slice(0, 500)
  }
  const [place] = /script\\.js:\\d+:\\d+/.exec(String(error.stack)) ?? []
  return error.name + ': ' + error.message + (place ? ' at ' + place : '')
}

export default class extends WorkerEntrypoint {
  async run(input, ask, maxOutput) {
    const logs = []
    let size = 0
    const log = (...args) => {
      if (size > maxOutput || logs.length > 10_000) return
      const line = args.map((arg) => {
        if (typeof arg === 'string') return arg
        try { return stringify(arg) ?? String(arg) } catch { return '[' + typeof arg + ']' }
      }).join(' ')
      size += line.length + 1
      logs.push(size > maxOutput || logs.length === 10_000 ? '[More is not kept.]' : line)
    }
    globalThis.console = { log, info: log, warn: log, error: log, debug: log }
    globalThis.fetch = ask ? makeFetch(ask) : undefined
    try {
      const { default: script } = await import('script.js')
      if (typeof script !== 'function') {
        return stringify({ logs, error: 'it has no default export that is a function: export default (input) => …' })
      }
      const output = stringify(await script(parse(input)))
      if (output !== undefined && output.length > maxOutput) {
        return stringify({ logs, error: 'its result has ' + output.length + ' characters, at most ' + maxOutput })
      }
      return '{"logs":' + stringify(logs) + ',"output":' + (output ?? 'null') + '}'
    } catch (error) {
      return stringify({ logs, error: located(error) })
    }
  }
}
`
