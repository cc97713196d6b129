/**
 * threepass/agent: the loop over any language model of the AI SDK, and back.
 * @module
 */
export type {
  AgentEvent,
  AgentMessage,
  AgentReason,
  AgentResult,
  AgentUsage,
} from './agent-event.ts'
export {
  type AgentTransport,
  type AgentTransportOptions,
  agentTransport,
  type FinishedTurn,
} from './agent-transport.ts'
export { type AISDKTool, repairToolCall, toAISDKTools } from './ai-sdk-tools.ts'
export {
  type Availability,
  type BrowserModelOptions,
  browserModel,
  browserModelAvailability,
  type PromptApi,
} from './browser-model.ts'
export type { PromptMessage } from './browser-prompts.ts'
export type { AgentCheckpoint } from './checkpoint.ts'
export { offlineModel } from './offline/offline-model.ts'
export type { AgentOptions, AgentRun, ModelSettings } from './options.ts'
export { runAgent } from './run-agent.ts'
export { streamAgent } from './stream-agent.ts'
export type { FinishReason, PendingOutput, RoundCall, UIChunk } from './ui-chunk.ts'
export {
  type PageMessage,
  saidBefore,
  saidBy,
  withinBounds,
  withoutFiles,
} from './ui-messages.ts'
export { type UIStream, type UIStreamOptions, uiStream } from './ui-stream.ts'
