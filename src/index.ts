/**
 * threepass: checks, runs and records one round of an LLM's tool calls in three passes.
 * @module
 */
export type {
  AnswerReview,
  ApprovalAnswer,
  ApprovalBatch,
  ApprovalRequest,
  Approver,
} from './approval/approver.ts'
export {
  type AnswerOutcome,
  type AnswerReceipt,
  type PendingApproval,
  type PromptApprover,
  type PromptOptions,
  promptApprover,
  type QuestionRecord,
} from './approval/prompt.ts'
export type { Clock } from './clock.ts'
export type { Mode, ToolDefinition } from './deferred/exposure.ts'
export {
  createDispatcher,
  type Dispatcher,
  type Run,
  type RunOptions,
  type SourceEntry,
} from './dispatcher.ts'
export type { DispatcherOptions } from './dispatcher-options.ts'
export { DispatchError, type DispatchErrorCode, isDispatchError } from './errors.ts'
export type { ApprovalQuestion, EventBody, EventListener, RunEvent } from './events.ts'
export type { Failure, Hints } from './execute/hints.ts'
export type { CacheEntry, CacheStore, CacheWrite } from './result-cache/store.ts'
export {
  type Coercion,
  isAnswer,
  type Json,
  type JsonObject,
  type MediaPart,
  type Outcome,
  type RoundResult,
  type ToolCall,
  type ToolResult,
  type Truncation,
} from './round.ts'
export type { DispatchOptions, UnfinishedRound } from './run.ts'
export type { ReadEvents } from './run-state/event-log.ts'
export type { Lifetime, RecordStore } from './run-state/records.ts'
export type {
  AllowRule,
  HistoryEntry,
  JournalEntry,
  LedgerEntry,
  RoundRecord,
  RoundRequest,
  RunState,
  SessionChange,
  SessionState,
} from './run-state/run-state.ts'
export type { RunChange, RunStore } from './run-state/store.ts'
export type { CompiledSchema, Issue, SchemaValidator } from './schema/validator.ts'
export type { CatalogueEntry } from './tools/catalogue.ts'
export {
  type ClientAnswer,
  type ClientAnswerReceipt,
  type ClientCallOptions,
  type ClientCallRecord,
  type ClientCalls,
  clientCalls,
  type Lease,
  type LeaseOutcome,
  type PendingClientCall,
} from './tools/client-calls.ts'
export {
  type ClientToolDefinition,
  type ClientTools,
  createClientTools,
} from './tools/client-tools.ts'
export type { Diagnostic } from './tools/registry.ts'
export type { SourceHealth, SourceProblem, ToolSource } from './tools/source.ts'
export {
  type AnyTool,
  type CacheTrait,
  type ConfirmVerdict,
  defineTool,
  type Grants,
  type JsonSchema,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolTraits,
} from './tools/tool.ts'
