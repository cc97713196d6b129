/**
 * What may be given ready, or as a function that makes it when it is needed.
 * @module
 */

export type Made<T> = T | (() => T | Promise<T>)

/** The thing itself; a function is called each time. For things that are no functions themselves. */
export async function made<T>(given: Made<T>): Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given
}
