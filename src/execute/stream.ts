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
  for await (const chunk of chunksOf(stream)) {
    if (signal().aborted) break
    const text =
      chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : pieceOf(chunk)
    pieces.push(text)
    bytes += byteLength(text)
    onChunk(wellFormed(text))
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
): AsyncGenerator<unknown> {
  if (!(stream instanceof ReadableStream)) {
    yield* stream
    return
  }
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
