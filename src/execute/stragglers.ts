/**
 * Writes that were given up on but still run: a later call on the same resource waits for them a while.
 * @module
 */
import { conflicts } from '../dedupe/resources.ts'
import type { ReadyCall } from '../preflight/gate.ts'
import type { Access } from '../run-state/run-state.ts'

export interface Stragglers {
  leave(call: ReadyCall, settled: Promise<unknown>): void
  /** Resolves when nothing that this access conflicts with still runs, or its grace is over, or on abort. */
  wait(access: Access, signal: AbortSignal): Promise<void> | undefined
}

interface Straggler {
  readonly access: Access
  readonly gone: Promise<unknown>
}

/** Stragglers of one run. `graceMs`: how long after it was given up on a call holds others back. */
export function createStragglers(graceMs: number): Stragglers {
  const running = new Set<Straggler>()
  return {
    leave({ access }, settled) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const grace = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      const straggler: Straggler = {
        access,
        gone: Promise.race([settled, grace]).finally(() => {
          if (timer !== undefined) clearTimeout(timer)
          running.delete(straggler)
        }),
      }
      running.add(straggler)
    },
    wait(access, signal) {
      const waits = [...running].filter((each) => conflicts(each.access, access, true))
      if (waits.length === 0) return undefined
      return new Promise((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done)
          resolve()
        }
        signal.addEventListener('abort', done)
        Promise.all(waits.map((each) => each.gone)).then(done)
      })
    },
  }
}
