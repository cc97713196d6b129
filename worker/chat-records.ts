/**
 * What is kept of a chat: its turns, and the conversation that the model sees.
 * @module
 */
import type { UIMessage } from 'ai'
import type { AgentCheckpoint, AgentMessage, UIChunk } from '../src/agent/index.ts'
import type { RecordStore } from '../src/index.ts'
import type { RunSetup } from './session-dispatchers.ts'

/** One message of a person and what became of it. */
export interface TurnRecord {
  readonly id: string
  readonly runId: string
  readonly user: UIMessage
  /** How many of the chat's messages came before it. */
  readonly before: number
  readonly setup: Partial<RunSetup>
  /** While it runs: what a restart goes on from. */
  readonly running?: { readonly checkpoint?: AgentCheckpoint }
  /** Its stream, as of the checkpoint while it runs: what came later comes again. */
  readonly chunks: readonly UIChunk[]
  /** When it is over: the whole answer. */
  readonly assistant?: UIMessage
}

export interface ChatRecord {
  /** In order. */
  readonly turns: readonly string[]
  readonly messages: readonly AgentMessage[]
}

export interface ChatRecords {
  readonly load: () => Promise<ChatRecord>
  readonly save: (chat: ChatRecord) => Promise<void>
  readonly loadTurn: (id: string) => Promise<TurnRecord | undefined>
  readonly saveTurn: (turn: TurnRecord) => Promise<void>
}

/** Where a chat lives as long as its object does. */
export function chatRecords(store: RecordStore<ChatRecord | TurnRecord>): ChatRecords {
  const put = (key: string, value: ChatRecord | TurnRecord) =>
    store.save(key, value, { now: 0, forgetAt: Number.MAX_SAFE_INTEGER })
  return {
    load: async () =>
      ((await store.load('chat')) as ChatRecord | undefined) ?? { turns: [], messages: [] },
    save: (chat) => put('chat', chat),
    loadTurn: async (id) => (await store.load(`turn:${id}`)) as TurnRecord | undefined,
    saveTurn: (turn) => put(`turn:${turn.id}`, turn),
  }
}
