/**
 * The chat over HTTP, in the AI SDK's UI message stream protocol: `useChat` works with it as it is.
 * https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 * @module
 */
import type { UIMessage } from 'ai'
import { Hono } from 'hono'
import { saidBefore, saidBy, type UIChunk } from '../src/agent/index.ts'
import type { ClientAnswer, ClientToolDefinition, Json, Mode } from '../src/index.ts'
import type { Chat, LiveTurn } from './chat.ts'
import { answersIn, type PageAnswer } from './chat-messages.ts'
import type { TurnRecord } from './chat-records.ts'
import { errorResponse, problemResponse } from './problem.ts'
import type { SessionParts } from './run-routes.ts'
import { streamFrames } from './sse.ts'

/** What `DefaultChatTransport` sends, and what its `body` may add. */
interface ChatBody {
  readonly id: string
  readonly messages: readonly UIMessage[]
  readonly trigger?: 'submit-message' | 'regenerate-message'
  readonly messageId?: string
  readonly mode?: Mode
  readonly clientTools?: readonly ClientToolDefinition[]
  readonly follow?: boolean
}

export function chatRoutes(chat: Chat, parts: SessionParts): Hono {
  const app = new Hono()
  app.onError((error) => errorResponse(error))

  app.post('/v1/chat', async ({ req }) => {
    const body = (await req.json()) as ChatBody
    const last = body.messages.at(-1)
    if (last?.role === 'assistant' && body.trigger !== 'regenerate-message') {
      return goOn(last, body, chat, parts)
    }
    return begin(body, chat, parts)
  })

  app.get('/v1/chat/:id', async ({ req }) => {
    const turn = chat.turn()
    const { messages, earlier } = await chat.messages()
    const runId = turn ? { runId: turn.record.runId } : {}
    const left = earlier > 0 ? { earlierTurns: earlier } : {}
    const active = turn !== undefined
    return Response.json({ id: req.param('id'), messages, active, ...left, ...runId })
  })

  app.get('/v1/chat/:id/stream', ({ req }) => {
    const turn = chat.turn()
    if (!turn) return new Response(null, { status: 204 })
    return streamTurn(turn, { from: 0, follow: req.query('follow') === 'true' }, parts)
  })

  app.post('/v1/chat/:id/stop', async () => {
    const turn = chat.turn()
    await turn?.abort()
    return Response.json({ stopped: turn !== undefined })
  })

  return app
}

async function begin(body: ChatBody, chat: Chat, parts: SessionParts): Promise<Response> {
  const { id: chatId, messages, trigger, messageId, mode, clientTools, follow = false } = body
  const again = trigger === 'regenerate-message'
  const last = messages.at(-1)
  const known = await chat.find(again ? messageId : last?.id)
  // The same message once more, after a broken connection: its turn is there, and is not run again.
  if (!again && messageId === undefined && known && known.id === (await chat.find())?.id) {
    const turn = chat.turn()
    return turn ? streamTurn(turn, { from: 0, follow }, parts) : replayTurn(known)
  }
  if (!again && messageId === undefined && known) return answeredBefore()
  const user = again ? (known?.user ?? last) : last
  if (user?.role !== 'user' || saidBy(user).length === 0) {
    return problemResponse({
      status: 400,
      code: 'BAD_BODY',
      title: 'The body does not fit',
      detail:
        "The last message must be a person's, with a text or a file, or an answer to what waits.",
    })
  }
  const setup = { ...(mode && { mode }), ...(clientTools && { clientTools }) }
  const before = saidBefore(messages.slice(0, -1))
  const started = await chat.start({ chatId, user, setup, replaces: known, before })
  return streamTurn(started, { from: 0, follow }, parts)
}

/** Run anew it would end all that came after: that is for an edit, which says so. */
function answeredBefore(): Response {
  return problemResponse({
    status: 409,
    code: 'ALREADY_ANSWERED',
    title: 'Already answered',
    detail:
      'This message was answered, and others came after it. To edit it, send its id as messageId.',
  })
}

/** The page's answers to what the turn waits for; then the rest of the stream. */
async function goOn(
  message: UIMessage,
  { follow = false }: ChatBody,
  chat: Chat,
  parts: SessionParts,
): Promise<Response> {
  const turn = chat.turn()
  const from = turn?.mark ?? turn?.log.length() ?? 0
  const given: { callId: string; receipt: string }[] = []
  for (const answer of answersIn(message)) {
    const receipt = await take(answer, turn, parts)
    if (receipt) given.push({ callId: answer.callId, receipt })
  }
  const refused = given.filter(({ receipt }) => receipt !== 'taken' && receipt !== 'repeated')
  if (turn && given.length > 0 && refused.length === 0)
    return streamTurn(turn, { from, follow }, parts)
  return problemResponse({
    status: 409,
    code: 'NOTHING_WAITS',
    title: 'Nothing waits for this',
    detail:
      given.length === 0
        ? 'Nothing waits for an answer in this message.'
        : refused.map(({ callId, receipt }) => `${callId}: ${receipt}`).join('; '),
    answers: given,
  })
}

/** Results of earlier steps come along with every message: only what waits counts. */
async function take(
  answer: PageAnswer,
  turn: LiveTurn | undefined,
  { prompt, calls }: SessionParts,
): Promise<string | undefined> {
  const { callId } = answer
  const runId = turn?.record.runId
  if (answer.kind === 'approval') {
    const decision = answer.approved ? ('approve' as const) : ('deny' as const)
    const reason = answer.reason === undefined ? {} : { reason: answer.reason.slice(0, 2_000) }
    const reply = { callId, decision, ...(answer.approved ? {} : reason) }
    return (await prompt.answer(reply, answer.token, runId ?? '')).receipt
  }
  const pending = calls.pending().find((each) => each.runId === runId && each.callId === callId)
  return pending && calls.answer(pending.key, clientAnswer(answer))
}

function clientAnswer(answer: Exclude<PageAnswer, { kind: 'approval' }>): ClientAnswer {
  if (answer.kind === 'error') return { error: answer.error.slice(0, 4_000) }
  return { result: (answer.output ?? null) as Json }
}

interface Reading {
  readonly from: number
  /** Stays open while the turn waits for people and pages. */
  readonly follow: boolean
}

const headers = { 'x-vercel-ai-ui-message-stream': 'v1' }
const done = 'data: [DONE]\n\n'

function streamTurn(turn: LiveTurn, reading: Reading, parts: SessionParts): Response {
  return streamFrames((signal) => framesOf(turn, reading, parts, signal), headers)
}

/** A turn that is over. */
function replayTurn({ chunks }: TurnRecord): Response {
  return streamFrames(async function* () {
    for (const chunk of chunks) yield frame(chunk)
    yield done
  }, headers)
}

async function* framesOf(
  turn: LiveTurn,
  { from, follow }: Reading,
  { live }: SessionParts,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const left = () => turn.over() || signal.aborted
  const pause = follow ? undefined : live.waits(turn.record.runId, left)
  // A response that goes on with a message says so.
  if (from > 0) yield frame({ type: 'start', messageId: turn.record.id })
  const chunks = turn.log.read(from, signal, pause)
  let at = from
  let next = await chunks.next()
  for (; !next.done; next = await chunks.next()) {
    at += 1
    yield frame(next.value)
  }
  if (next.value === 'paused') {
    turn.mark = at
    for (const chunk of turn.ui.pause()) yield frame(chunk)
  }
  if (next.value !== 'left') yield done
}

function frame(chunk: UIChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}
