/**
 * Runs a tool's code so that the call ends on time whatever the code does.
 * @module
 */
import type { Outcome } from '../round.ts'

export type Settled =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'gave-up'; readonly outcome: Outcome & ('timed_out' | 'cancelled') }

/** A signal that is made only when somebody looks at it: most tools never do. */
export interface LazySignal {
  readonly get: () => AbortSignal
  readonly abort: (reason: unknown) => void
}

export function lazySignal(): LazySignal {
  let controller: AbortController | undefined
  let aborted: { reason: unknown } | undefined
  return {
    get() {
      if (!controller) {
        controller = new AbortController()
        if (aborted) controller.abort(aborted.reason)
      }
      return controller.signal
    },
    abort(reason) {
      aborted ??= { reason }
      controller?.abort(reason)
    },
  }
}

/** The calls under way in a round: one listener on the round's signal serves them all. */
export interface Abortable {
  readonly signal: AbortSignal
  readonly running: Set<(reason: unknown) => void>
}

/** Listens once for the whole round; `release` takes the listener off again. */
export function abortable(signal: AbortSignal): Abortable & { readonly release: () => void } {
  const running = new Set<(reason: unknown) => void>()
  const onAbort = () => {
    for (const abort of [...running]) abort(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return { signal, running, release: () => signal.removeEventListener('abort', onAbort) }
}

/**
 * Resolves with what the code settled to, or at the deadline, or when the round aborts: whichever is
 * first. Never rejects. `late` is called if the code settles after it was given up on; `settled`
 * resolves when the code itself has ended.
 */
export function runWithin(
  code: () => unknown,
  own: LazySignal,
  round: Abortable,
  timeoutMs: number,
  late: (settled: Settled) => void,
): { readonly result: Promise<Settled> | Settled; readonly settled: Promise<unknown> } {
  let returned: unknown
  try {
    returned = code()
  } catch (error) {
    return { result: { kind: 'error', error }, settled: Promise.resolve() }
  }
  if (!isThenable(returned))
    return { result: { kind: 'value', value: returned }, settled: Promise.resolve() }
  const work = (returned instanceof Promise ? returned : Promise.resolve(returned)).then(
    (value): Settled => ({ kind: 'value', value }),
    (error): Settled => ({ kind: 'error', error }),
  )
  const result = new Promise<Settled>((resolve) => {
    let over = false
    const giveUp = (outcome: 'timed_out' | 'cancelled', reason: unknown) => {
      if (over) return
      end({ kind: 'gave-up', outcome })
      own.abort(reason)
    }
    const onAbort = (reason: unknown) => giveUp('cancelled', reason)
    const timer = Number.isFinite(timeoutMs)
      ? setTimeout(
          () => giveUp('timed_out', timeoutReason(timeoutMs)),
          Math.min(timeoutMs, 2 ** 31 - 1),
        )
      : undefined
    const end = (settled: Settled) => {
      over = true
      if (timer !== undefined) clearTimeout(timer)
      round.running.delete(onAbort)
      resolve(settled)
    }
    round.running.add(onAbort)
    work.then((settled) => (over ? late(settled) : end(settled)))
    // Aborted between the check before the start and here: `running` missed it.
    if (round.signal.aborted) onAbort(round.signal.reason)
  })
  return { result, settled: work }
}

function timeoutReason(timeoutMs: number): DOMException {
  return new DOMException(`The call did not end within ${timeoutMs} ms.`, 'TimeoutError')
}

function isThenable(value: unknown): boolean {
  try {
    return (
      value !== null &&
      (typeof value === 'object' || typeof value === 'function') &&
      typeof (value as { then?: unknown }).then === 'function'
    )
  } catch {
    return false
  }
}
