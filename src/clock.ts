/** Milliseconds since the epoch. The only place of the library that reads the time. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** Resolves after so many milliseconds; rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Aborts when `own` does, or after so many milliseconds with a `TimeoutError`. Not `AbortSignal.any`: on
 * Node 20 a time-out among its sources may be collected before it fires, when nobody listens to it
 * itself (https://github.com/nodejs/node/issues/57736).
 */
export function expiring(timeoutMs: number, own?: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const late = AbortSignal.timeout(timeoutMs)
  const onAbort = () => controller.abort(own?.reason)
  late.addEventListener('abort', () => {
    own?.removeEventListener('abort', onAbort)
    controller.abort(late.reason)
  })
  if (own?.aborted) onAbort()
  else own?.addEventListener('abort', onAbort, { once: true })
  return controller.signal
}
