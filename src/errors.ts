/**
 * The one error class. It is thrown for what the programmer did wrong (a bad option, a bad
 * registration) and for a port that failed; what a model, a page or a network does wrong is an
 * outcome, never a throw.
 * @module
 */

/** Stable codes to switch on. */
export type DispatchErrorCode =
  | 'THREEPASS_BAD_OPTION'
  | 'THREEPASS_BAD_TOOL'
  | 'THREEPASS_BAD_SCHEMA'
  | 'THREEPASS_DUPLICATE_TOOL'
  | 'THREEPASS_BAD_ROUND'
  | 'THREEPASS_ROUND_MISMATCH'
  | 'THREEPASS_STORE_CONFLICT'
  | 'THREEPASS_STORE_FAILED'
  | 'THREEPASS_FETCH_REFUSED'
  | 'THREEPASS_WORKSPACE'
  /** For a tool to throw: what it started elsewhere may have happened, and nobody can tell. The call is `interrupted`. */
  | 'THREEPASS_INTERRUPTED'
  /** The HTTP API could not be reached or answered with a problem. */
  | 'THREEPASS_REQUEST_FAILED'

/** `message` says what is wrong and how to put it right; `cause` holds the original error, if any. */
export class DispatchError extends Error {
  readonly code: DispatchErrorCode
  constructor(code: DispatchErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'DispatchError'
    this.code = code
  }
}

/** True for errors of this library, also across bundles and realms. */
export function isDispatchError(error: unknown): error is DispatchError {
  return (
    error instanceof Error &&
    typeof (error as { code?: unknown }).code === 'string' &&
    (error as unknown as { code: string }).code.startsWith('THREEPASS_')
  )
}
