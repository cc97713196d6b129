/**
 * Notices a model that makes the same failing call step after step.
 * @module
 */
import { canonicalJson, sha256 } from '../dedupe/call-key.ts'
import { toPlain } from '../execute/plain.ts'
import { isAnswer, type ToolCall, type ToolResult } from '../round.ts'

/** Steps in a row in which a call failed, by the call's digest. Plain JSON: a checkpoint keeps it. */
export type Failures = { readonly [call: string]: number }

/**
 * The count after one more round. Whatever completed is progress, and the count begins anew: tests that
 * fail between two edits are no loop.
 */
export async function countFailures(
  before: Failures,
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): Promise<Failures> {
  if (results.some(isProgress)) return {}
  const counts: Record<string, number> = {}
  for (const [index, result] of results.entries()) {
    const call = calls[index]
    if (!call || !isFailure(result)) continue
    const key = await digest(call)
    counts[key] = (before[key] ?? 0) + 1
  }
  return counts
}

export function isDoomed(failures: Failures, limit: number): boolean {
  return Object.values(failures).some((count) => count >= limit)
}

function isProgress({ outcome }: ToolResult): boolean {
  return outcome === 'completed' || outcome === 'cached' || outcome === 'schema'
}

/** A repeat that pass 1 no longer answers is one as well. */
function isFailure({ outcome, code }: ToolResult): boolean {
  return !isAnswer(outcome) || code === 'repeat-limit'
}

function digest({ name, arguments: args }: ToolCall): Promise<string> {
  return sha256(canonicalJson(toPlain([name, read(args)])))
}

/** Spacing and the order of keys make no other call. */
function read(args: unknown): unknown {
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}
