/**
 * A round that calls a tool which no source has told of yet waits for the source that could know it.
 * @module
 */
import type { ToolCall } from '../round.ts'
import type { Registry } from './registry.ts'
import type { ToolSource } from './source.ts'

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
    Promise.all(wanted.map(async ({ load }) => load?.())).then(done, done)
  })
}

/** Names with this prefix: the call's own, and what could be the one inside a `run_tool`. */
function namesIn({ name, arguments: given }: ToolCall, prefix: string): string[] {
  const names = [name, ...innerNames(given, prefix)]
  return names.filter((each) => typeof each === 'string').filter((each) => each.startsWith(prefix))
}

function innerNames(given: unknown, prefix: string): unknown[] {
  if (typeof given !== 'string') return [Object(given).name]
  // Most texts are long and name no tool.
  if (!given.includes(prefix)) return []
  return [...given.matchAll(/"name"\s*:\s*"([^"\\]{1,256})"/g)].map(([, each]) => each)
}
