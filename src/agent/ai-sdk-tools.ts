/**
 * A run's tools for the AI SDK's own loop: `streamText({ tools: toAISDKTools(run) })`.
 * @module
 */
import type { LanguageModelV3ToolResultOutput } from '@ai-sdk/provider'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { ToolDefinition } from '../deferred/exposure.ts'
import { argumentsOf, callInput } from '../providers/call-input.ts'
import { objectRoot } from '../providers/object-root.ts'
import { wireNames } from '../providers/wire-names.ts'
import type { JsonObject, ToolCall, ToolResult } from '../round.ts'
import { outputOf } from './messages.ts'
import type { AgentRun } from './options.ts'

/** What the AI SDK hands to a tool beside its input. */
interface ExecuteOptions {
  readonly toolCallId: string
  readonly messages: readonly unknown[]
  readonly abortSignal?: AbortSignal | undefined
}

/** A tool as `generateText`, `streamText` and agents of the AI SDK take it. */
export interface AISDKTool {
  readonly description: string
  readonly inputSchema: StandardSchemaV1<JsonObject> & StandardJSONSchemaV1<JsonObject>
  readonly execute: (input: JsonObject, options: ExecuteOptions) => Promise<ToolResult>
  readonly toModelOutput: (given: { output: ToolResult }) => LanguageModelV3ToolResultOutput
}

/**
 * The run's tools array as a ToolSet. The calls of one step go through the dispatcher as one round, with
 * its limit, order, dedupe, cache, validation and approvals; a call resolves with its result, whatever
 * became of it, so the model reads why. Put `run.turnContext` into the system text, and pass
 * `repairToolCall` too, or arguments that are no JSON never reach the dispatcher.
 */
export function toAISDKTools(run: AgentRun): Record<string, AISDKTool> {
  const names = wireNames(run.tools.map(({ name }) => name))
  const gather = gatherRounds(run)
  return Object.fromEntries(
    run.tools.map(({ name, description, inputSchema }) => [
      names.toWire(name),
      {
        description,
        inputSchema: passAll(inputSchema),
        execute: (input, { toolCallId: id, messages, abortSignal }) =>
          gather({ id, name, arguments: argumentsOf(input) }, messages, abortSignal),
        toModelOutput: ({ output }) => outputOf(output),
      } satisfies AISDKTool,
    ]),
  )
}

/**
 * For `experimental_repairToolCall`: text that is no JSON goes to the dispatcher as it is, which repairs
 * it or tells the model what is wrong with it.
 */
export async function repairToolCall<Call extends { readonly input: string }>(given: {
  readonly toolCall: Call
  readonly error: Error
}): Promise<Call | null> {
  const { toolCall, error } = given
  if (error.name !== 'AI_InvalidToolInputError') return null
  return { ...toolCall, input: JSON.stringify(callInput(toolCall.input)) }
}

interface Gathered {
  readonly calls: ToolCall[]
  readonly round: Promise<readonly ToolResult[]>
}

/** Calls that are executed in one go and for the same messages are of one step. */
function gatherRounds(run: AgentRun) {
  const steps = new Map<readonly unknown[], Gathered>()
  return async (
    call: ToolCall,
    messages: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<ToolResult> => {
    let step = steps.get(messages)
    if (!step) {
      const calls: ToolCall[] = []
      const round = nextTask().then(async () => {
        steps.delete(messages)
        return (await run.dispatch(calls, signal ? { signal } : {})).results
      })
      step = { calls, round }
      steps.set(messages, step)
    }
    const at = step.calls.push(call) - 1
    const results = await step.round
    return results[at] as ToolResult
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** The dispatcher validates, with messages for the model; the AI SDK lets everything through. */
function passAll(schema: ToolDefinition['inputSchema']): AISDKTool['inputSchema'] {
  const shown = () => objectRoot(schema) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'threepass',
      validate: (value: unknown) => ({ value: value as JsonObject }),
      jsonSchema: { input: shown, output: shown },
    },
  }
}
