/**
 * Single flight: of equal cacheable calls under way in one isolate, one runs and the others wait for it.
 * @module
 */
import type { Rendered } from '../execute/render-result.ts'

/** Resolves with the leader's answer, or `undefined` when it had none worth sharing: then run it yourself. */
export type Flight = Promise<Rendered | undefined>

export interface Flights {
  /** The flight of this key, if one is under way. */
  join(key: string): Flight | undefined
  /** Opens a flight; call `land` once, whatever happened. */
  lead(key: string): {
    readonly land: (answer: Rendered | undefined) => void
    readonly close: () => void
  }
}

/** Flights of one dispatcher. Promises do not cross the I/O contexts of a Worker, so neither do flights. */
export function createFlights(): Flights {
  const open = new Map<string, Flight>()
  return {
    join: (key) => open.get(key),
    lead(key) {
      let settle: (answer: Rendered | undefined) => void = () => {}
      const flight: Flight = new Promise((resolve) => {
        settle = resolve
      })
      open.set(key, flight)
      const close = () => {
        settle(undefined)
        if (open.get(key) === flight) open.delete(key)
      }
      return {
        // Without an answer the flight is over at once: whoever waited leads the next one.
        land: (answer) => (answer ? settle(answer) : close()),
        close,
      }
    },
  }
}
