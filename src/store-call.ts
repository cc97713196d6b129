/**
 * The frame around every method of a store: abort and failure look the same from all of them.
 * @module
 */
import { DispatchError } from './errors.ts'

/**
 * Runs `body` and waits no longer than the signal. Rejects with nothing but a `DispatchError`:
 * `THREEPASS_STORE_CONFLICT` as `body` threw it, else `THREEPASS_STORE_FAILED` with the cause
 * (the signal's reason after an abort). What `body` comes to after an abort is dropped, not undone.
 */
export async function storeCall<T>(
  what: string,
  signal: AbortSignal | undefined,
  body: () => Promise<T> | T,
): Promise<T> {
  let stop = (): void => {}
  try {
    // Inside: in workerd even reading a signal of another request's context throws.
    refuseAborted(what, signal)
    if (signal === undefined) return await body()
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
    })
    return await Promise.race([body(), aborted])
  } catch (cause) {
    throw isStoreError(cause) ? cause : failure(what, cause)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Throws `THREEPASS_STORE_FAILED`, the signal's reason as cause, when the signal is aborted. */
export function refuseAborted(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw failure(what, signal.reason)
}

function failure(what: string, cause: unknown): DispatchError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return new DispatchError('THREEPASS_STORE_FAILED', `${what} failed (${reason})`, { cause })
}

function isStoreError(error: unknown): boolean {
  return (
    error instanceof DispatchError &&
    (error.code === 'THREEPASS_STORE_CONFLICT' || error.code === 'THREEPASS_STORE_FAILED')
  )
}
