/**
 * Places of the concurrent calls: taken first come, first served, and lent to the rounds inside a call.
 * @module
 */

export interface Slots {
  readonly isFull: () => boolean
  /** `undefined` when there is a place at once. */
  readonly take: (call: object) => Promise<void> | undefined
  /** False when the call has none. */
  readonly give: (call: object) => boolean
}

export function createSlots(count: number): Slots {
  const held = new Set<object>()
  const queue: { readonly call: object; readonly go: () => void }[] = []
  const isFull = () => held.size >= count
  return {
    isFull,
    take(call) {
      if (!isFull()) {
        held.add(call)
        return undefined
      }
      return new Promise((go) => {
        queue.push({ call, go })
      })
    },
    give(call) {
      if (!held.delete(call)) return false
      const next = queue.shift()
      if (next) {
        held.add(next.call)
        next.go()
      }
      return true
    },
  }
}
