/**
 * A run's events as server-sent events (WHATWG HTML, section 9.2): `id` is the sequence number.
 * @module
 */
import type { RoundResult, Run, RunEvent } from '../src/index.ts'
import { isDispatchError } from '../src/index.ts'

export function wantsStream(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/event-stream')
}

export interface StreamOptions {
  /** Only events after this sequence number. */
  readonly after: number
  readonly follow?: boolean
  /** Only this round's events, then its results (`round_result`), then the end. */
  readonly roundId?: string
  readonly done?: Promise<RoundResult>
}

/** Milliseconds a browser waits before it reconnects. */
const reconnectMs = 1_000

export function streamEvents(run: Run, options: StreamOptions): Response {
  return streamFrames((signal) => framesOf(run, options, signal))
}

/** Frames as a response; the signal aborts when its reader goes away. */
export function streamFrames(
  framesFor: (signal: AbortSignal) => AsyncGenerator<string, void, void>,
  more: Record<string, string> = {},
): Response {
  const stop = new AbortController()
  const encoder = new TextEncoder()
  const frames = framesFor(stop.signal)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => stop.abort(),
  })
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    ...more,
  }
  return new Response(body, { headers })
}

async function* framesOf(
  run: Run,
  { after, follow = true, roundId, done }: StreamOptions,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  yield `retry: ${reconnectMs}\n\n`
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  // A round that is answered from the store has no events of its own to end the stream.
  done?.then(
    (result) => replayed(result, run, after).then((old) => old && over.abort()),
    () => over.abort(),
  )
  for await (const event of run.events({ after, follow, signal: either })) {
    if (roundId !== undefined && event.roundId !== roundId) continue
    yield frame(event)
    if (roundId !== undefined && event.type === 'round_end') break
  }
  if (done && !signal.aborted) yield await lastFrame(done)
}

async function replayed({ roundId }: RoundResult, run: Run, after: number): Promise<boolean> {
  for await (const event of run.events({ after, follow: false })) {
    if (event.roundId === roundId) return false
  }
  return true
}

function frame(event: RunEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

async function lastFrame(done: Promise<RoundResult>): Promise<string> {
  try {
    return `event: round_result\ndata: ${JSON.stringify(await done)}\n\n`
  } catch (error) {
    const [code, detail] = isDispatchError(error)
      ? [error.code, error.message]
      : ['INTERNAL', 'The round failed for a reason that is not its own.']
    return `event: problem\ndata: ${JSON.stringify({ code, detail })}\n\n`
  }
}
