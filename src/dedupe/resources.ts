/**
 * What a call touches, and whether two calls touch the same thing.
 * @module
 */
import { isPromise } from '../execute/copy.ts'
import type { JsonObject } from '../round.ts'
import type { Access, SessionState } from '../run-state/run-state.ts'
import type { ToolTraits } from '../tools/tool.ts'

/**
 * One spelling a resource: `file:./a//b/../c` and `file:/a/c` are both `file:a/c`; a last `*` or `**`
 * stands for all that lies below. `''` covers everything.
 */
export function normaliseResource(resource: string): string {
  const scheme = /^[A-Za-z][\w+.-]*:/.exec(resource)?.[0] ?? ''
  const segments: string[] = []
  for (const segment of resource.slice(scheme.length).split('/')) {
    if (segment === '*' || segment === '**') break
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return scheme + segments.join('/')
}

/** True when one of two normalised resources is the other or lies below it: by segment, never by substring. */
export function overlaps(a: string, b: string): boolean {
  return a === b || covers(a, b) || covers(b, a)
}

function covers(upper: string, lower: string): boolean {
  if (upper === '') return true
  return lower.startsWith(upper.endsWith(':') ? upper : `${upper}/`)
}

function anyOverlap(left: readonly string[], right: readonly string[]): boolean {
  return left.some((a) => right.some((b) => overlaps(a, b)))
}

/** Declared by a tool that touches nothing the dispatcher knows of. */
const nothing: readonly string[] = []

/**
 * What this call touches. A `reads` or `writes` that throws or returns no list is reported through
 * `onBadTrait`, and the call then counts as touching anything.
 */
export function accessOf(
  tool: ToolTraits,
  args: JsonObject,
  onBadTrait: (message: string) => void,
): Access {
  const reads = declared(tool.reads, args, onBadTrait)
  const writes = tool.readOnly ? nothing : declared(tool.writes, args, onBadTrait)
  return {
    reads: reads ?? nothing,
    writes: writes ?? nothing,
    opaque: writes === undefined,
    unknownReads: reads === undefined && (tool.readOnly === true || writes === undefined),
  }
}

function declared(
  trait: ToolTraits['reads'],
  args: JsonObject,
  onBadTrait: (message: string) => void,
): readonly string[] | undefined {
  if (trait === undefined) return undefined
  try {
    const named: unknown = trait(args)
    if (isPromise(named)) throw new Error('it must answer at once, not by a promise')
    return (named as readonly string[]).map((resource) => normaliseResource(resource))
  } catch (error) {
    onBadTrait(error instanceof Error ? error.message : String(error))
    return ['']
  }
}

function declares(access: Access): boolean {
  return access.reads.length > 0 || access.writes.length > 0
}

/**
 * Must these two calls of one round keep the model's order? `tagged` says that both are `concurrent`:
 * two such calls that declare nothing are the author's word that they may run side by side.
 */
export function conflicts(a: Access, b: Access, tagged: boolean): boolean {
  if (a.opaque && (declares(b) || (b.opaque && !tagged))) return true
  if (b.opaque && declares(a)) return true
  return (
    anyOverlap(a.writes, b.writes) || anyOverlap(a.writes, b.reads) || anyOverlap(a.reads, b.writes)
  )
}

/**
 * May this write have changed what the other call read or wrote? More careful than `conflicts`: a
 * call that does not say what it read may have read what was written, and a stale answer is worse than a second run.
 */
export function voids(write: Access, remembered: Access): boolean {
  if (!mayWrite(write)) return false
  if (remembered.opaque || remembered.unknownReads) return true
  if (write.opaque) return declares(remembered)
  return anyOverlap(write.writes, remembered.reads) || anyOverlap(write.writes, remembered.writes)
}

/** Has any run of the session written, after this generation, what may void a memory with this access? */
export function writtenSince(session: SessionState, generation: number, access: Access): boolean {
  return session.generations.some(
    ([resource, at]) => at > generation && voids(writing(resource), access),
  )
}

function writing(resource: string): Access {
  const opaque = resource === '*'
  return { reads: nothing, writes: opaque ? nothing : [resource], opaque, unknownReads: false }
}

/** True when a call with this access may have changed something. */
export function mayWrite(access: Access): boolean {
  return access.opaque || access.writes.length > 0
}
