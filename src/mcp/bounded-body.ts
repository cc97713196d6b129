/**
 * A response whose body breaks off where it becomes too large.
 * @module
 */

/**
 * The same response; its body errors beyond `most` bytes: of all of it, or of one event of an event
 * stream. `onEnd` is called once when the body ends, breaks, or is let go.
 */
export function boundedBody(
  response: Response,
  most: number,
  onEnd: () => void = () => {},
): Response {
  if (!response.body) {
    onEnd()
    return response
  }
  const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  const reader = response.body.getReader()
  let over = false
  const end = () => {
    if (!over) onEnd()
    over = true
  }
  let size = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          end()
          return controller.close()
        }
        size = isEvents ? sizeOfLastEvent(size, value) : size + value.length
        if (size > most) throw new Error(`its answer is larger than ${most} bytes`)
        controller.enqueue(value)
      } catch (error) {
        end()
        reader.cancel().catch(() => {})
        controller.error(error)
      }
    },
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

const newline = 10
const carriageReturn = 13

/** Bytes since the last empty line, which ends an event. */
function sizeOfLastEvent(before: number, chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at -= 1) {
    if (chunk[at] !== newline) continue
    const previous = chunk[at - 1] === carriageReturn ? at - 2 : at - 1
    if (chunk[previous] === newline) return chunk.length - at - 1
  }
  return before + chunk.length
}
