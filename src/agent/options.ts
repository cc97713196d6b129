/**
 * Options of the loop, checked.
 * @module
 */
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { pause } from '../clock.ts'
import type { Dispatcher, Run } from '../dispatcher.ts'
import { DispatchError } from '../errors.ts'
import { positiveInteger } from '../option.ts'
import type { AgentEvent, AgentMessage } from './agent-event.ts'
import type { RetryOptions } from './call-model.ts'
import type { AgentCheckpoint } from './checkpoint.ts'

/** What the loop needs of a run: one of a dispatcher, or one on a Worker (`threepass/client`). */
export type AgentRun = Pick<Run, 'runId' | 'tools' | 'turnContext' | 'dispatch'>

/** Passed to the model as they are. */
export type ModelSettings = Pick<
  LanguageModelV3CallOptions,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'headers'
  | 'providerOptions'
>

export interface AgentOptions {
  /** Any language model of the AI SDK's third specification (`@ai-sdk/provider` 3). */
  readonly model: LanguageModelV3
  /** Opens a run of its own; or give `run`. */
  readonly dispatcher?: Dispatcher
  readonly run?: AgentRun
  /** With `dispatcher`: the conversation, and the run to open or resume. */
  readonly sessionId?: string
  readonly runId?: string
  /** Stands in front of every request, the run's `turnContext` behind it. */
  readonly system?: string
  /** What the user says; behind `messages` when both are given. */
  readonly prompt?: string
  /** The conversation so far. Calls without a result and results without a call are put right. */
  readonly messages?: readonly AgentMessage[]
  /** Model calls; 1 or more, default 20. The last one is made without tools, so that it answers. */
  readonly maxSteps?: number
  /** Steps in a row in which the same call fails before the model must answer without tools; default 3. */
  readonly doomLimit?: number
  /** Repetitions of a model call that failed in passing and had given nothing out; 0 or more, default 2. */
  readonly maxRetries?: number
  /** Milliseconds before the first repetition, doubled each time, less up to half by chance; default 500. A provider's `retry-after` up to a minute goes first. */
  readonly retryBaseMs?: number
  readonly settings?: ModelSettings
  /** Ends the model call and the round under way; `runAgent` still resolves. */
  readonly signal?: AbortSignal
  /** Hears the loop's events. What it throws is swallowed. */
  readonly onEvent?: (event: AgentEvent) => void
  /** Goes on where this one was, in the place of `prompt` and `messages`. */
  readonly checkpoint?: AgentCheckpoint
  /** Awaited before and after each round: store it, and nothing runs twice over a crash. */
  readonly onCheckpoint?: (checkpoint: AgentCheckpoint) => void | Promise<void>
  /** For tests: waits, and chance from 0 to 1. */
  readonly sleep?: RetryOptions['sleep']
  readonly random?: RetryOptions['random']
}

export interface LoopOptions extends RetryOptions {
  readonly model: LanguageModelV3
  readonly run: AgentRun
  readonly system: string
  readonly maxSteps: number
  readonly doomLimit: number
  readonly settings: ModelSettings
  readonly signal: AbortSignal
  readonly tell: (event: AgentEvent) => void
  readonly save: (checkpoint: AgentCheckpoint) => Promise<void>
}

/** Defaults of the loop's numbers. */
export const agentDefaults = { maxSteps: 20, doomLimit: 3, maxRetries: 2, retryBaseMs: 500 }

export function loopOptions(given: AgentOptions): LoopOptions {
  const { onEvent, onCheckpoint, signal = new AbortController().signal } = given
  const { maxRetries = agentDefaults.maxRetries } = given
  checkModel(given.model)
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw badOption(`maxRetries must be a whole number from 0, not ${String(maxRetries)}`)
  }
  const run = runOf(given)
  return {
    model: given.model,
    run,
    system: [given.system, run.turnContext].filter(Boolean).join('\n\n'),
    maxSteps: positiveInteger('maxSteps', given.maxSteps ?? agentDefaults.maxSteps),
    doomLimit: positiveInteger('doomLimit', given.doomLimit ?? agentDefaults.doomLimit),
    maxRetries,
    retryBaseMs: positiveInteger('retryBaseMs', given.retryBaseMs ?? agentDefaults.retryBaseMs),
    settings: given.settings ?? {},
    signal,
    sleep: given.sleep ?? pause,
    random: given.random ?? Math.random,
    tell(event) {
      // A listener never changes the loop, whether it throws or rejects.
      void (async () => onEvent?.(event))().catch(() => {})
    },
    save: async (checkpoint) => onCheckpoint?.(checkpoint),
  }
}

function checkModel(model: unknown): void {
  const { specificationVersion, doStream } = (model ?? {}) as Partial<LanguageModelV3>
  if (specificationVersion === 'v3' && typeof doStream === 'function') return
  throw badOption(
    'model must be a language model of the AI SDK, specification v3: createOpenAICompatible({ … })("a-model"), offlineModel()',
  )
}

function runOf({ run, dispatcher, runId, sessionId }: AgentOptions): AgentRun {
  if (run && dispatcher) throw badOption('give a run or a dispatcher, not both')
  if (run) return run
  if (!dispatcher) throw badOption('give a dispatcher (createDispatcher) or a run of one')
  return dispatcher.run({
    ...(runId !== undefined && { runId }),
    ...(sessionId !== undefined && { sessionId }),
  })
}

export function badOption(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `runAgent: ${what}.`)
}
