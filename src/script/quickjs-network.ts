/**
 * `fetch` in the engine, where it was granted.
 * @module
 */
import type { QuickJS } from 'quickjs-wasi'
import type { Work } from './quickjs.ts'
import { fetchInside, mostRequests, scriptFetch, tooMany } from './script-fetch.ts'

export interface Network {
  /** Waits for the next answer, which is then told to the script. False when none is under way. */
  readonly wait: () => Promise<boolean>
  /** Ends what is under way. */
  readonly close: () => void
}

/** What a request beyond the bound costs. */
const stepsPerRefusal = 50

export function giveNetwork(
  vm: QuickJS,
  fetch: typeof globalThis.fetch | undefined,
  signal: AbortSignal | undefined,
  work: Work,
): Network {
  if (!fetch) return { wait: async () => false, close: () => {} }
  const ends = new AbortController()
  const close = () => ends.abort()
  signal?.addEventListener('abort', close)
  const ask = scriptFetch(fetch, ends.signal)
  const underWay = new Map<object, Promise<() => void>>()
  let requests = 0
  const hostAsk = vm.newFunction('ask', (request) => {
    const { handle, resolve } = vm.newPromise()
    requests += 1
    if (requests > mostRequests) {
      // At once and dearly: thousands that wait here would hold the thread.
      work.steps += stepsPerRefusal
      resolve(vm.newString(tooMany))
      return handle
    }
    const key = {}
    const answered = ask(request.toString()).then((text) => () => {
      underWay.delete(key)
      resolve(vm.newString(text))
    })
    underWay.set(key, answered)
    return handle
  })
  const make = vm.evalCode(fetchInside, 'fetch.js')
  vm.setProp(vm.global, 'fetch', vm.callFunction(make, vm.undefined, hostAsk))
  return {
    async wait() {
      if (underWay.size === 0) return false
      const from = Date.now()
      const tell = await Promise.race(underWay.values())
      signal?.throwIfAborted()
      work.until += Date.now() - from
      tell()
      return true
    },
    close() {
      signal?.removeEventListener('abort', close)
      close()
    },
  }
}
