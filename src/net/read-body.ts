/**
 * Reads a response's body within bounds and decodes its text.
 * @module
 */
import { positiveInteger } from '../option.ts'
import { decodeText } from './charset.ts'

export interface ReadBodyOptions {
  /** Most decoded bytes (after gzip and the like) to keep; default 1,048,576. */
  readonly maxBytes?: number
  /** One deadline for the whole request: give the same signal to `fetch`. */
  readonly signal?: AbortSignal
}

export interface Body {
  /** The decoded bytes, at most `maxBytes`. */
  readonly bytes: Uint8Array
  /** Absent when the body is not text. */
  readonly text?: string
  /** WHATWG name of the encoding that was used (`utf-8`, `gbk`, …); `binary` when there is no text. */
  readonly charset: string
  /** There was more: see `cutBy`. Such an answer must not be cached. */
  readonly truncated: boolean
  /** Why it is not whole: the cap, a time-out, or a connection that broke. */
  readonly cutBy?: 'size' | 'deadline' | 'connection'
  /** Most of what is not ASCII could not be decoded: the text is garbled and must not be cached. */
  readonly replaced: boolean
}

/**
 * Reads at most `maxBytes` and cancels the rest. A time-out or a broken connection after the first
 * byte gives what has come, marked `truncated`; before it, and on any other abort, it rejects.
 * Throws `THREEPASS_BAD_OPTION` for a bad `maxBytes`.
 */
export async function readBody(response: Response, options: ReadBodyOptions = {}): Promise<Body> {
  const maxBytes = positiveInteger('maxBytes', options.maxBytes ?? 1_048_576)
  const { chunks, size, cutBy } = await readChunks(response, maxBytes, options.signal)
  const bytes = join(chunks, size)
  const decoded = decodeText(bytes, response.headers.get('content-type') ?? '', cutBy !== undefined)
  return { bytes, ...decoded, truncated: cutBy !== undefined, ...(cutBy && { cutBy }) }
}

interface Chunks {
  readonly chunks: readonly Uint8Array[]
  readonly size: number
  readonly cutBy?: 'size' | 'deadline' | 'connection'
}

async function readChunks(
  response: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Chunks> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  if (!reader) return { chunks, size: 0 }
  const aborted = whenAborted(signal)
  let size = 0
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted.promise])
      if (done) return { chunks, size }
      const room = maxBytes - size
      chunks.push(value.length > room ? value.subarray(0, room) : value)
      size += Math.min(value.length, room)
      if (value.length > room) return { chunks, size, cutBy: 'size' }
    }
  } catch (error) {
    const late = isTimeout(signal?.reason) || isTimeout(error)
    if (size === 0 || (signal?.aborted && !late)) throw error
    return { chunks, size, cutBy: late ? 'deadline' : 'connection' }
  } finally {
    aborted.release()
    // Not awaited: a source that never settles must not hold the answer up.
    reader.cancel().catch(() => {})
  }
}

/** Rejects when the signal aborts: some bodies do not notice it by themselves. */
function whenAborted(signal: AbortSignal | undefined): {
  readonly promise: Promise<never>
  readonly release: () => void
} {
  let onAbort = () => {}
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
  // Seen through the race; alone it must not count as unhandled.
  promise.catch(() => {})
  return { promise, release: () => signal?.removeEventListener('abort', onAbort) }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
