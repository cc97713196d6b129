/**
 * Runs a tool's code so that the call ends on time whatever the code does.
 * @module
 */
import type { Outcome } from '../round.ts'

export type Settled =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | {
      readonly kind: 'gave-up'
      readonly outcome: Outcome & ('timed_out' | 'cancelled')
      /** Resolves when the code itself has ended. */
      readonly gone: Promise<unknown>
    }

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
 * first. Never rejects, and gives no promise for code that is done at once. `late` is called if the
 * code settles after it was given up on.
 */
export function runWithin(
  code: () => unknown,
  own: LazySignal,
  round: Abortable,
  timeoutMs: number,
  late: (settled: Settled) => void,
): Promise<Settled> | Settled {
  let returned: unknown
  try {
    returned = code()
  } catch (error) {
    return { kind: 'error', error }
  }
  if (!isThenable(returned)) return { kind: 'value', value: returned }
  const work = returned instanceof Promise ? returned : Promise.resolve(returned)
  return new Promise<Settled>((resolve) => {
    let over = false
    const settle = (settled: Settled) => (over ? late(settled) : end(settled))
    const gone = work.then(
      (value) => settle({ kind: 'value', value }),
      (error) => settle({ kind: 'error', error }),
    )
    const giveUp = (outcome: 'timed_out' | 'cancelled', reason: unknown) => {
      if (over) return
      end({ kind: 'gave-up', outcome, gone })
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
    // Aborted between the check before the start and here: `running` missed it.
    if (round.signal.aborted) onAbort(round.signal.reason)
  })
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
