/**
 * The chunks of a turn, for whoever reads it: from any place on, then as they come.
 * @module
 */
import type { UIChunk } from '../src/agent/index.ts'

export interface ChatLog {
  readonly push: (chunk: UIChunk) => void
  readonly length: () => number
  /** What outlives the process: chunks that are not transient. */
  readonly lasting: () => readonly UIChunk[]
  /** Nothing comes any more. */
  readonly close: () => void
  /** From `from` on, until the turn is over or `pause` resolves. */
  readonly read: (
    from: number,
    signal: AbortSignal,
    pause?: Promise<unknown>,
  ) => AsyncGenerator<UIChunk, 'over' | 'paused' | 'left', void>
}

export function chatLog(earlier: readonly UIChunk[] = []): ChatLog {
  const chunks = [...earlier]
  let over = false
  let waiting: (() => void)[] = []
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const each of woken) each()
  }
  return {
    push(chunk) {
      chunks.push(chunk)
      wake()
    },
    length: () => chunks.length,
    lasting: () => merged(chunks.filter((chunk) => !('transient' in chunk))),
    close() {
      over = true
      wake()
    },
    async *read(from, signal, pause) {
      let paused = false
      void pause?.then(() => {
        paused = true
        wake()
      })
      signal.addEventListener('abort', wake, { once: true })
      for (let at = from; ; ) {
        for (; at < chunks.length && !signal.aborted; at += 1) yield chunks[at] as UIChunk
        if (signal.aborted) return 'left'
        if (over) return 'over'
        if (paused) return 'paused'
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}

/** Pieces of one text in a row are one piece. */
function merged(chunks: readonly UIChunk[]): UIChunk[] {
  const whole: UIChunk[] = []
  for (const chunk of chunks) {
    const last = whole.at(-1)
    const grown = last && joined(last, chunk)
    if (grown) whole[whole.length - 1] = grown
    else whole.push(chunk)
  }
  return whole
}

function joined(one: UIChunk, other: UIChunk): UIChunk | undefined {
  if (one.type === 'tool-input-delta' && other.type === 'tool-input-delta') {
    const inputTextDelta = one.inputTextDelta + other.inputTextDelta
    return one.toolCallId === other.toolCallId ? { ...one, inputTextDelta } : undefined
  }
  if (one.type !== 'text-delta' && one.type !== 'reasoning-delta') return undefined
  if (one.type !== other.type || one.id !== other.id) return undefined
  return { ...one, delta: one.delta + other.delta }
}
