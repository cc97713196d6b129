/**
 * A round that calls a tool which no source has told of yet waits for the source that could know it.
 * @module
 */
import type { ToolCall } from '../round.ts'
import { type Registry, runToolName } from './registry.ts'
import type { ToolSource } from './source.ts'

/** A source bounds its own loading; one that does not must not hold the rounds of a run for ever. */
const longestWaitMs = 60_000

/** Resolves at once when no call needs it, and when `signal` aborts. */
export async function loadSources(
  sources: readonly ToolSource[],
  calls: readonly ToolCall[],
  registry: () => Registry,
  signal: AbortSignal,
): Promise<void> {
  const loading = sources.filter(({ load }) => load)
  if (loading.length === 0) return
  const known = registry()
  const wanted = loading.filter(({ prefix }) =>
    calls.some((call) => namesIn(call, prefix).some((name) => !known.has(name))),
  )
  if (wanted.length === 0 || signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    const late = setTimeout(done, longestWaitMs)
    // One that fails is no reason not to wait for the others.
    Promise.allSettled(wanted.map(async (source) => source.load?.())).then(() => {
      clearTimeout(late)
      done()
    })
  })
}

/** Names with this prefix: the call's own, and what could be the one inside a `run_tool`. */
function namesIn({ name, arguments: given }: ToolCall, prefix: string): string[] {
  // The name may be spelled loosely: `functions.run_tool`.
  const inner = String(name).includes(runToolName) ? innerNames(given, prefix) : []
  const names = [name, ...inner]
  return names.filter((each) => typeof each === 'string').filter((each) => each.startsWith(prefix))
}

function innerNames(given: unknown, prefix: string): unknown[] {
  if (typeof given !== 'string') return [Object(given).name]
  // Most texts are long and name no tool.
  if (!given.includes(prefix)) return []
  return [...given.matchAll(/"name"\s*:\s*"([^"\\]{1,256})"/g)].map(([, each]) => each)
}
