/**
 * Work on one thing, one after another.
 * @module
 */

/** Runs the work when all earlier work of its key has ended, well or badly; settles as the work does. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Work of different keys does not wait for one another; a key that nobody waits for is forgotten. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    const settled = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
