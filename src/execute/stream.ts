/**
 * A tool may return a stream: its pieces are reported while it runs, its whole text is the result.
 * @module
 */
import { byteLength, wellFormed } from './text.ts'

/** True for a `ReadableStream` or any other async iterable. */
export function isStream(
  value: unknown,
): value is AsyncIterable<unknown> | ReadableStream<unknown> {
  if (value === null || typeof value !== 'object') return false
  return value instanceof ReadableStream || Symbol.asyncIterator in value
}

const chunksPerTurn = 256

/** Reads a stream of text or bytes to its end, or to `maxBytes`, and cancels what is left. */
export async function readStream(
  stream: AsyncIterable<unknown> | ReadableStream<unknown>,
  maxBytes: number,
  onChunk: (text: string) => void,
  signal: () => AbortSignal,
): Promise<unknown> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  let chunks = 0
  for await (const chunk of chunksOf(stream, signal())) {
    if (signal().aborted) break
    chunks += 1
    // A stream that never waits would keep every timer, its own deadline too, from firing.
    if (chunks % chunksPerTurn === 0) await new Promise((resolve) => setTimeout(resolve))
    const text =
      chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : pieceOf(chunk)
    pieces.push(text)
    bytes += byteLength(text)
    if (text !== '') onChunk(wellFormed(text))
    if (bytes > maxBytes)
      return { content: [{ type: 'text', text: pieces.join('') }], partial: true }
  }
  return pieces.join('') + decoder.decode()
}

function pieceOf(chunk: unknown): string {
  return typeof chunk === 'string' ? chunk : `${JSON.stringify(chunk) ?? ''}\n`
}

/** Chromium and older browsers cannot iterate a `ReadableStream` everywhere; a reader works in all. */
async function* chunksOf(
  stream: AsyncIterable<unknown> | ReadableStream<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  if (!(stream instanceof ReadableStream)) {
    yield* stream
    return
  }
  const reader = stream.getReader()
  // A silent stream is let go when the call is given up on, not when its next chunk comes.
  const letGo = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', letGo, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', letGo)
    await reader.cancel().catch(() => {})
  }
}
