/**
 * What the tools that fetch have in common.
 * @module
 */

/**
 * The name under which the dispatcher orders and voids requests: a request that changes something
 * (`web:host`) covers every read of that host (`web:host/path`).
 */
export function webResource(link: unknown, part: 'host' | 'path'): string[] {
  if (typeof link !== 'string') return []
  try {
    const { host, pathname } = new URL(link)
    return [`web:${host}${part === 'path' ? pathname : ''}`]
  } catch {
    return []
  }
}

/** The text's first `maxBytes` UTF-8 bytes, no character split, and a notice when there was more. */
export function headOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return text
  const head = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
  return `${head}\n[Cut: the first ${maxBytes} of ${bytes.length} bytes.]`
}
