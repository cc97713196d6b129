/**
 * The loop as a stream of its events.
 * @module
 */
import type { AgentEvent, AgentResult } from './agent-event.ts'
import type { AgentOptions } from './options.ts'
import { runAgent } from './run-agent.ts'

/**
 * The loop's events as they happen, `finish` last, and the result as the generator's return value.
 * Who stops reading aborts it. Throws `THREEPASS_BAD_OPTION` at the first read.
 */
export async function* streamAgent(
  options: AgentOptions,
): AsyncGenerator<AgentEvent, AgentResult, void> {
  const stop = new AbortController()
  const signals = options.signal ? [stop.signal, options.signal] : [stop.signal]
  const events: AgentEvent[] = []
  let wake = () => {}
  const onEvent = (event: AgentEvent) => {
    events.push(event)
    wake()
    options.onEvent?.(event)
  }
  let over = false
  const result = runAgent({ ...options, signal: AbortSignal.any(signals), onEvent })
  const ended = result.then(
    () => {},
    () => {},
  )
  void ended.then(() => {
    over = true
    wake()
  })
  try {
    for (;;) {
      for (let event = events.shift(); event; event = events.shift()) yield event
      if (over) return await result
      await new Promise<void>((resolve) => {
        wake = resolve
        if (events.length > 0 || over) resolve()
      })
    }
  } finally {
    stop.abort(new DOMException('Nobody reads the loop any more.', 'AbortError'))
    await ended
  }
}
