/**
 * Histories that a provider takes: each call with its one result, in the right place.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { repairBlocks } from './history-blocks.ts'
import {
  aiSdkHistory,
  anthropicHistory,
  bedrockHistory,
  chatHistory,
  geminiHistory,
  responsesHistory,
} from './history-formats.ts'
import { repairItems } from './history-items.ts'
import { objects } from './provider.ts'
import type { WireMessages } from './wire-messages.ts'

const repairs: Readonly<
  Record<keyof WireMessages, (messages: readonly JsonObject[]) => JsonObject[]>
> = {
  'openai-chat': (messages) => repairItems(messages, chatHistory),
  'openai-responses': (messages) => repairItems(messages, responsesHistory),
  anthropic: (messages) => repairBlocks(messages, anthropicHistory),
  gemini: (messages) => repairBlocks(messages, geminiHistory),
  bedrock: (messages) => repairBlocks(messages, bedrockHistory),
  'ai-sdk': (messages) => repairBlocks(messages, aiSdkHistory),
}

/**
 * The whole history (`messages`, Responses' `input`, Gemini's `contents`, the AI SDK's model messages) as the provider takes it. Every call has one
 * result right behind the message with the call, in call order; a call without one gets a result that says
 * "interrupted"; a result without a call is dropped, and the second one of a call too. Ids that repeat where the
 * provider wants them unique get a number behind, in the call and in its result. For Bedrock, names and inputs of
 * replayed calls are made legal.
 *
 * Pure: the given messages stay as they are, and repairing twice changes nothing more. Not for a Responses request
 * with `previous_response_id`: its calls lie on the server, and their results would be dropped.
 */
export function repairHistory<Provider extends keyof WireMessages, Message extends object>(
  messages: readonly Message[],
  provider: Provider,
): (Message | WireMessages[Provider])[] {
  // The provider's own messages are JSON, but for images as bytes, which nothing here looks into.
  const repaired = repairs[provider](objects(messages as unknown as Json))
  return repaired as unknown as (Message | WireMessages[Provider])[]
}
