/**
 * Text that leaves for the model: well formed, bounded, never empty.
 * @module
 */
import type { Truncation } from '../round.ts'

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Lone surrogates become U+FFFD, as UTF-8 encoders make of them. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\ufffd')
}

/** UTF-8 length without encoding. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x800) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2
    else if (unit >= 0x80) bytes += 1
  }
  return bytes
}

/** Share of the bound that the beginning gets: the end often holds the error. */
const headShare = 0.7

/**
 * The text within `maxBytes` UTF-8 bytes (the notice included): its beginning, a notice that says how
 * much was left out, its end. A character is never split. `more` ends the notice: how to get the rest.
 */
export function boundText(
  text: string,
  maxBytes: number,
  more = '',
): { text: string; truncated?: Truncation } {
  // A UTF-16 unit is at most three bytes, so most texts need no count.
  if (text.length * 3 <= maxBytes) return { text }
  const totalBytes = byteLength(text)
  if (totalBytes <= maxBytes) return { text }
  const bytes = new TextEncoder().encode(text)
  const notice = (omitted: number) =>
    `\n[… ${omitted} of ${totalBytes} bytes left out.${more && ` ${more}`}]\n`
  const room = Math.max(0, maxBytes - byteLength(notice(totalBytes)))
  const headEnd = boundary(bytes, Math.floor(room * headShare))
  const tailStart = boundary(bytes, totalBytes - (room - headEnd), 1)
  const omittedBytes = tailStart - headEnd
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false })
  const head = decoder.decode(bytes.subarray(0, headEnd))
  const tail = decoder.decode(bytes.subarray(tailStart))
  return { text: head + notice(omittedBytes) + tail, truncated: { totalBytes, omittedBytes } }
}

/** The nearest character boundary at or before (`step` -1) or after (1) a byte position. */
function boundary(bytes: Uint8Array, position: number, step: 1 | -1 = -1): number {
  let at = position
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += step
  return at
}

/**
 * Shares a round's bytes among its results: small ones whole, what is left in equal parts among the
 * large ones. Returns the bound of each.
 */
export function shareBytes(sizes: readonly number[], total: number): number[] {
  const bounds = [...sizes]
  let left = total
  let open = sizes.length
  const bySize = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size)
  for (const { size, index } of bySize) {
    const bound = Math.min(size, Math.floor(left / open))
    bounds[index] = bound
    left -= bound
    open -= 1
  }
  return bounds
}

/** Bytes as base64. */
export function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The bytes of a text whose characters stand for one byte each, as `atob` makes it. */
export function binaryBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

/** The text of bytes, when writing it gives the same bytes again and no NUL is among them. */
export function plainText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
