/**
 * A run's events from the API: one connection for all who listen, taken up again where it broke.
 * @module
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { RunEvent } from '../events.ts'
import { isPassing, type Requests } from './request.ts'

export interface EventStream {
  /** Hears every event once, in order, from the first on or after `after`. */
  readonly listen: (listener: (event: RunEvent) => void, after?: number) => () => void
  /** Ends the connection. */
  readonly close: () => void
}

export interface StreamHandlers {
  /** The API refused the stream for good (a token that has expired, a run that is gone). */
  readonly onError: (error: unknown) => void
}

interface Listener {
  readonly tell: (event: RunEvent) => void
  last: number
}

/** Connects when somebody listens; a listener that begins earlier than the others gets what they have had. */
export function eventStream(
  path: string,
  requests: Requests,
  { onError }: StreamHandlers,
): EventStream {
  const listeners = new Set<Listener>()
  let connection: AbortController | undefined

  const earliest = () => Math.min(...[...listeners].map(({ last }) => last))

  const connect = () => {
    const controller = new AbortController()
    connection = controller
    follow(controller.signal).catch((error) => {
      if (controller.signal.aborted) return
      connection = undefined
      onError(error)
    })
  }

  const follow = async (signal: AbortSignal) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const after = earliest()
        const response = await requests.send(`${path}?after=${after}`, {
          headers: { accept: 'text/event-stream' },
          signal,
        })
        for await (const { data } of messagesOf(response)) {
          attempt = 0
          tellAll(JSON.parse(data) as RunEvent)
        }
      } catch (error) {
        if (signal.aborted || !(isPassing(error) || isBroken(error))) throw error
      }
      await requests.pause(attempt, signal)
    }
  }

  const tellAll = (event: RunEvent) => {
    for (const listener of [...listeners]) {
      if (event.seq <= listener.last) continue
      listener.last = event.seq
      listener.tell(event)
    }
  }

  const close = () => {
    connection?.abort()
    connection = undefined
  }

  return {
    listen(tell, after = 0) {
      const listener = { tell, last: after }
      const behind = listeners.size > 0 && after < earliest()
      listeners.add(listener)
      if (behind) close()
      if (!connection) connect()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) close()
      }
    },
    close,
  }
}

/** The body of a stream broke off: not a refusal of the API. */
function isBroken(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof DOMException && error.name !== 'AbortError')
  )
}

/** Server-sent events of a response, as they come. */
export async function* messagesOf(
  response: Response,
): AsyncGenerator<EventSourceMessage, void, void> {
  const ready: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (message) => void ready.push(message) })
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* ready.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
