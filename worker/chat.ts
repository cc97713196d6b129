/**
 * The chat of a session: one turn at a time, each a run of its own, taken up again after a restart.
 * @module
 */
import type { UIMessage } from 'ai'
import {
  type AgentEvent,
  type AgentMessage,
  type AgentResult,
  type AgentRun,
  runAgent,
  saidBy,
  type UIStream,
  uiStream,
  withinBounds,
  withoutFiles,
} from '../src/agent/index.ts'
import { textOf } from '../src/agent/ui-messages.ts'
import type { TaskLog, TaskNote } from '../src/builtin/index.ts'
import type { RunEvent } from '../src/index.ts'
import { type ChatLog, chatLog } from './chat-log.ts'
import { assistantMessage } from './chat-messages.ts'
import type { ChatRecords, TurnRecord } from './chat-records.ts'
import type { Env } from './env.ts'
import type { LiveRounds } from './live-rounds.ts'
import { modelFromEnv } from './models.ts'
import { sessionOf } from './run-id.ts'
import type { RunSetup, SessionDispatchers } from './session-dispatchers.ts'

/** A turn under way. */
export interface LiveTurn {
  readonly record: TurnRecord
  readonly log: ChatLog
  readonly ui: UIStream
  /** Where the last response ended that was not to wait; its client reads on from here. */
  mark: number | undefined
  readonly over: () => boolean
  /** Ends it and resolves when that is recorded. */
  readonly abort: () => Promise<void>
}

export interface Chat {
  readonly turn: () => LiveTurn | undefined
  /** The messages of the page, and how many earlier turns are left out; of a turn under way only the person's. */
  readonly messages: () => Promise<{ messages: UIMessage[]; earlier: number }>
  /**
   * Begins a turn; one under way is aborted first, and what the page had not answered stays unanswered.
   * `replaces`: this turn and those behind it never were.
   */
  readonly start: (asked: AskedTurn) => Promise<LiveTurn>
  /** The record of the turn that a person's message began, or of the last one. */
  readonly find: (messageId?: string) => Promise<TurnRecord | undefined>
  readonly hear: (event: RunEvent) => void
  /** Goes on with a turn that a restart broke off; resolves when it is under way. */
  readonly revive: () => Promise<void>
}

export interface AskedTurn {
  readonly chatId: string
  readonly user: UIMessage
  readonly setup: Partial<RunSetup>
  readonly replaces?: TurnRecord | undefined
  /** The conversation that the page brings along; counts when the chat has none. */
  readonly before: readonly AgentMessage[]
}

export interface ChatParts {
  readonly env: Env
  readonly records: ChatRecords
  readonly live: LiveRounds
  readonly dispatchers: SessionDispatchers
  /** Records a new run of the session and gives its id. */
  readonly beginRun: (chatId: string, setup: Partial<RunSetup>) => Promise<string>
  readonly waitUntil: (work: Promise<unknown>) => void
  /** A turn has begun. */
  readonly onTurn: () => void
  /** Hears what turns were about and came to. */
  readonly tasks: Pick<TaskLog, 'note'>
}

/** Characters of JSON that are kept of the conversation for the model; each checkpoint stores all of it. */
const mostConversation = 4_000_000
/** Of the page's messages that are given at once. */
const mostShown = 8_000_000

const defaultSystem =
  'You are a helpful assistant. Use the tools where they help, call those that do not need each other at once, and answer in the language of the person.'

export function createChat({
  env,
  records,
  live,
  dispatchers,
  beginRun,
  waitUntil,
  onTurn,
  tasks,
}: ChatParts): Chat {
  let turn: LiveTurn | undefined
  let starting: Promise<unknown> = Promise.resolve()

  const launch = (
    record: TurnRecord,
    messages: readonly AgentMessage[],
    model: Model,
  ): LiveTurn => {
    const { runId, running, chunks } = record
    const stop = new AbortController()
    const log = chatLog(chunks)
    const ui = uiStream({ push: log.push, earlier: chunks })
    let over = false
    const done = runAgent({
      model,
      run: liveRun(runId),
      system: env.SYSTEM_PROMPT ?? defaultSystem,
      ...(running?.checkpoint ? { checkpoint: running.checkpoint } : { messages }),
      signal: stop.signal,
      onEvent: (event) => ui.agent(withoutDetails(event)),
      onCheckpoint: (checkpoint) =>
        records.saveTurn({ ...record, running: { checkpoint }, chunks: log.lasting() }),
    }).then(async (result) => {
      const taken = refusesPrompt(result)
        ? result.messages.map((message) => withoutFiles(message))
        : result.messages
      const all = withinBounds(taken, mostConversation)
      const { running: _running, ...kept } = record
      const chunks = log.lasting()
      const assistant = await assistantMessage(chunks)
      await records.saveTurn({ ...kept, chunks, ...(assistant && { assistant }) })
      const { turns } = await records.load()
      await records.save({ turns, messages: all })
      await tasks.note(noteOf(record, result.text))
    })
    const ended = done.catch(console.error).finally(() => {
      over = true
      if (turn === own) turn = undefined
      log.close()
      live.changes.notify()
    })
    const abort = () => {
      stop.abort(new DOMException('The turn was stopped.', 'AbortError'))
      return ended
    }
    const own: LiveTurn = { record, log, ui, mark: undefined, over: () => over, abort }
    turn = own
    waitUntil(ended)
    onTurn()
    return own
  }

  /** Rounds of a chat may ask, and outlive whoever listens. */
  const liveRun = (runId: string): AgentRun => {
    const run = dispatchers.open(runId)
    return {
      ...run,
      dispatch: (calls, { roundId = crypto.randomUUID(), ...options } = {}) =>
        live.start(run, { roundId, calls, asks: true, ...options }),
    }
  }

  const messagesOf = async (id: string): Promise<UIMessage[]> => {
    const turnRecord = await records.loadTurn(id)
    if (!turnRecord) return []
    const { user, assistant } = turnRecord
    return assistant ? [user, assistant] : [user]
  }

  const start = async ({ chatId, user, setup, replaces, before }: AskedTurn): Promise<LiveTurn> => {
    // First, so that a model that is not configured leaves everything as it was.
    const model = await modelFromEnv(env)
    await turn?.abort()
    const chat = await records.load()
    const kept = replaces ? chat.turns.slice(0, chat.turns.indexOf(replaces.id)) : chat.turns
    const earlier = replaces ? chat.messages.slice(0, replaces.before) : chat.messages
    const messages = kept.length === 0 && earlier.length === 0 ? before : earlier
    const runId = await beginRun(chatId, setup)
    const id = crypto.randomUUID()
    const chunks = [
      { type: 'start', messageId: id },
      { type: 'data-run', id: 'run', data: { runId } },
    ] as const
    const record = { id, runId, user, before: messages.length, setup, chunks, running: {} }
    await forgetChunks(kept.at(-1))
    await records.saveTurn(record)
    await records.save({ turns: [...kept, id], messages })
    return launch(record, [...messages, ...saidBy(user)], model)
  }

  /** Only of the last turn they may be asked for again. */
  const forgetChunks = async (turnId: string | undefined) => {
    const last = turnId === undefined ? undefined : await records.loadTurn(turnId)
    if (last) await records.saveTurn({ ...last, chunks: [] })
  }

  return {
    turn: () => turn,
    async messages() {
      const { turns } = await records.load()
      const shown: UIMessage[][] = []
      let size = 0
      for (const id of [...turns].reverse()) {
        const own = await messagesOf(id)
        size += JSON.stringify(own).length
        // The newest are always given, however large.
        if (size > mostShown && shown.length > 0) break
        shown.unshift(own)
      }
      return { messages: shown.flat(), earlier: turns.length - shown.length }
    },
    async find(messageId) {
      const { turns } = await records.load()
      if (messageId === undefined)
        return turns.length > 0 ? records.loadTurn(turns.at(-1) ?? '') : undefined
      for (const id of [...turns].reverse()) {
        const record = await records.loadTurn(id)
        if (record?.user.id === messageId || record?.assistant?.id === messageId) return record
      }
      return undefined
    },
    start(asked) {
      // One after another: of two messages at once the second aborts the turn of the first.
      const started = starting.then(() => start(asked))
      starting = started.catch(() => {})
      return started
    },
    hear(event) {
      if (event.runId === turn?.record.runId) turn.ui.run(event)
    },
    async revive() {
      const { turns, messages } = await records.load()
      const record = await records.loadTurn(turns.at(-1) ?? '')
      if (!record?.running) return
      const all = [...messages, ...saidBy(record.user)]
      const own = launch(record, all, await modelFromEnv(env))
      if (record.running.checkpoint?.pending) {
        await live.changes.until(() => own.over() || live.isLive(record.runId))
        await live.settled(record.runId)
      }
    },
  }
}

/** What the turn was about, for the history of the session. */
function noteOf({ runId, user }: TurnRecord, answer: string): TaskNote {
  return { runId, sessionId: sessionOf(runId) ?? '', objective: textOf(user), answer }
}

/** The model did not even begin, for a reason that a repetition meets again: a file that it cannot take. */
function refusesPrompt({ reason, steps, error }: AgentResult): boolean {
  if (reason !== 'error' || steps > 0) return false
  const { statusCode, isRetryable } = Object(error?.cause) as {
    statusCode?: unknown
    isRetryable?: unknown
  }
  return isRetryable !== true && [undefined, 400, 413, 415, 422].includes(statusCode as undefined)
}

type Model = Awaited<ReturnType<typeof modelFromEnv>>

/** What a vendor says of a failure may name keys and accounts: it is logged, and pages are told less. */
function withoutDetails(event: AgentEvent): AgentEvent {
  if (event.type !== 'finish' || !event.result.error) return event
  const { error } = event.result
  const { statusCode } = Object(error.cause) as { statusCode?: unknown }
  // Its text and status alone: the error object holds the whole conversation.
  console.error(`The model failed: ${error.message} (${statusCode ?? 'no status'})`)
  const status = typeof statusCode === 'number' ? `: its provider answered ${statusCode}` : ''
  return {
    type: 'finish',
    result: { ...event.result, error: new Error(`The model failed${status}.`) },
  }
}
