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
  const unknown = calls.flatMap(namesIn).filter((name) => !known.has(name))
  const wanted = loading.filter(({ prefix }) => unknown.some((name) => name.startsWith(prefix)))
  if (wanted.length === 0 || signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    Promise.all(wanted.map(({ load }) => load?.())).then(done, done)
  })
}

/** The name that a call has, and what could be the one inside a `run_tool`. */
function namesIn({ name, arguments: given }: ToolCall): string[] {
  const inner =
    typeof given === 'string'
      ? [...given.matchAll(/"name"\s*:\s*"([^"\\]{1,256})"/g)].map(([, each]) => each)
      : [Object(given).name as unknown]
  return [name, ...inner].filter((each) => typeof each === 'string')
}
