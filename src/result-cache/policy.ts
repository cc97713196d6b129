/**
 * Which answers the thirty-minute cache keeps, under which key, and for how long.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import { overlaps } from '../dedupe/resources.ts'
import { isPromise } from '../execute/copy.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { SessionState } from '../run-state/run-state.ts'
import type { AnyTool } from '../tools/tool.ts'

/** Lifetime of a cached answer in seconds, unless the tool says another. */
export const defaultCacheSeconds = 1_800

/** True when the tool declares a cache and does not except these arguments. */
export function isCacheable({ registered, checked }: ReadyCall): boolean {
  const { cache } = registered.tool
  if (!cache) return false
  try {
    const verdict: unknown = cache.when?.(checked.args) ?? true
    return !isPromise(verdict) && verdict === true
  } catch {
    return false
  }
}

/** Milliseconds that an answer of this tool lives. */
export function lifetimeMs(tool: AnyTool): number {
  return (tool.cache?.ttl ?? defaultCacheSeconds) * 1_000
}

/**
 * SHA-256 over namespace, tool, its fingerprint, arguments, scope and the generation of what it reads:
 * no session sees another's answer unless the tool says `public`, a changed tool misses, and an answer
 * from before a write is never met again, on any isolate.
 */
export async function cacheKey(
  call: ReadyCall,
  namespace: string,
  session: SessionState,
): Promise<string> {
  const { registered, key, access } = call
  const fingerprint = await registered.fingerprint()
  const generation = generationOf(access.reads, access.unknownReads, session)
  // Generations count a session's own writes: once it has written, a public answer is its own too.
  const isShared = registered.tool.cache?.scope === 'public' && generation === 0
  const scope = isShared ? '' : session.sessionId
  return sha256(canonicalJson([1, namespace, registered.name, fingerprint, key, scope, generation]))
}

/** The last write that may have changed what the call reads; a call that reads nothing is never outdated. */
function generationOf(reads: readonly string[], unknown: boolean, session: SessionState): number {
  let last = 0
  for (const [resource, generation] of session.generations) {
    const touches =
      resource === '*'
        ? !unknown && reads.length > 0
        : reads.some((read) => overlaps(read, resource))
    if (touches && generation > last) last = generation
  }
  return last
}
