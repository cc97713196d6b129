import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { expiring } from '../../src/clock.ts'

/** Node's own collector, which no flag of the test run asks for. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

describe('expiring', () => {
  it('fires also when the garbage was collected meanwhile', async () => {
    const collect = collector()
    const signal = expiring(60, new AbortController().signal)
    const fired = new Promise((resolve) => signal.addEventListener('abort', resolve))
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      collect()
    }
    await fired
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts with its own signal, before and after', () => {
    const stop = new AbortController()
    const signal = expiring(60_000, stop.signal)
    expect(signal.aborted).toBe(false)
    stop.abort('why')
    expect([signal.reason, expiring(60_000, stop.signal).reason]).toEqual(['why', 'why'])
  })
})
