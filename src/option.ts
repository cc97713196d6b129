/**
 * Checks of numeric options, done once where a factory is called.
 * @module
 */
import { DispatchError } from './errors.ts'

/**
 * The value itself when it is a whole number from 1 to `max` (default 2^53 - 1).
 * Throws `THREEPASS_BAD_OPTION` otherwise.
 */
export function positiveInteger(
  name: string,
  value: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new DispatchError(
    'THREEPASS_BAD_OPTION',
    `${name} must be a whole number from 1 to ${max}, not ${String(value)}`,
  )
}
