/**
 * Small guards against code that is not ours: copies of what it is shown, and promises nobody awaits.
 * @module
 */
import type { Json } from '../round.ts'

/** A copy, so that whoever is shown arguments cannot change what runs, is remembered or is recorded. */
export function copyJson<T extends Json>(value: T): T {
  return copy(value) as T
}

function copy(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(copy)
  const object: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) object[key] = copy(value[key] as Json)
  return object
}

/** True for a promise where a plain value was expected; its rejection is then handled here. */
export function isPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false
  value.catch(() => {})
  return true
}

/** The work's value, or `fallback` when it has not settled in time. Rejects as the work does. */
export function inTime<T>(work: Promise<T> | T, timeoutMs: number, fallback: () => T): Promise<T> {
  if (!(work instanceof Promise)) return Promise.resolve(work)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(fallback()), timeoutMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
