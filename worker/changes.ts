/**
 * Wakes whoever waits for something of the session to change.
 * @module
 */

export interface Changes {
  readonly notify: () => void
  /** Resolves at once when `holds`, else after the first change that makes it hold. */
  readonly until: (holds: () => boolean) => Promise<void>
}

export function createChanges(): Changes {
  let waiting: (() => void)[] = []
  const notify = () => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  return {
    notify,
    async until(holds) {
      while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
