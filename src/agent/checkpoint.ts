/**
 * Where a loop is, as plain JSON: enough to go on in another process.
 * @module
 */
import type { AgentMessage, AgentUsage } from './agent-event.ts'
import type { Failures } from './doom-loop.ts'
import { type AssistantPart, takeMessages } from './messages.ts'
import { badOption } from './options.ts'
import type { ModelCall } from './read-answer.ts'

/** The model's answer whose round has no results yet: its id makes the run take it up where it was. */
export interface PendingAnswer {
  readonly roundId: string
  readonly calls: readonly ModelCall[]
  readonly finishReason: string
  readonly content: readonly AssistantPart[]
}

export interface AgentCheckpoint {
  readonly format: 1
  /** Model calls that were answered. */
  readonly steps: number
  readonly messages: readonly AgentMessage[]
  readonly usage: AgentUsage
  readonly failures: Failures
  readonly pending?: PendingAnswer
}

export function checkCheckpoint(given: AgentCheckpoint): AgentCheckpoint {
  // Checked as any messages are: it comes out of somebody's storage.
  if (given.format === 1) return { ...given, messages: takeMessages(given.messages) }
  throw badOption('checkpoint must be one that onCheckpoint was given (format 1)')
}
