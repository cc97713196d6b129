/** Reads server-sent events of a response, one at a time. */
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'

export interface Frames {
  /** The next event; `undefined` at the end. */
  readonly next: () => Promise<EventSourceMessage | undefined>
  /** All up to and with the first that fits. */
  readonly until: (fits: (event: EventSourceMessage) => boolean) => Promise<EventSourceMessage[]>
  readonly cancel: () => Promise<void>
}

export function framesOf(response: Response): Frames {
  if (!response.body) throw new Error('the response has no body')
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  const next = async () => (await reader.read()).value
  return {
    next,
    async until(fits) {
      const seen: EventSourceMessage[] = []
      for (let event = await next(); event; event = await next()) {
        seen.push(event)
        if (fits(event)) break
      }
      return seen
    },
    cancel: () => reader.cancel(),
  }
}
