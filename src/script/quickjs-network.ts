/**
 * `fetch` in the engine, where it was granted.
 * @module
 */
import type { QuickJS } from 'quickjs-wasi'
import type { Work } from './quickjs.ts'
import { fetchInside, scriptFetch } from './script-fetch.ts'

export interface Network {
  /** Waits for the next answer, which is then told to the script. False when none is under way. */
  readonly wait: () => Promise<boolean>
  /** Ends what is under way. */
  readonly close: () => void
}

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
  const hostAsk = vm.newFunction('ask', (request) => {
    const { handle, resolve } = vm.newPromise()
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
