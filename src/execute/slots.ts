/**
 * Places of the concurrent calls: taken first come, first served, and lent to the rounds inside a call.
 * @module
 */

export interface Slots {
  readonly isFull: () => boolean
  /** `undefined` when there is a place at once. */
  readonly take: (call: object) => Promise<void> | undefined
  /** Gives its place, or what it waits for, which then resolves. False when the call has neither. */
  readonly leave: (call: object) => boolean
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
    leave(call) {
      if (held.delete(call)) {
        const next = queue.shift()
        if (next) {
          held.add(next.call)
          next.go()
        }
        return true
      }
      const at = queue.findIndex((waiting) => waiting.call === call)
      const [waiting] = at < 0 ? [] : queue.splice(at, 1)
      waiting?.go()
      return waiting !== undefined
    },
  }
}
