/**
 * Amazon Bedrock Converse: `toolUse` blocks in, one user message of `toolResult` blocks out.
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html.
 * @module
 */
import { binaryBytes } from '../execute/text.ts'
import { isAnswer, type JsonObject, type ToolCall, type ToolResult } from '../round.ts'
import { argumentsOf, callInput } from './call-input.ts'
import { callOf, isObject, objects, type ProviderFormat, readOf } from './provider.ts'
import type { BedrockCalls, BedrockImage, WireMessages } from './wire-messages.ts'
import type { WireNames } from './wire-names.ts'

export interface BedrockFormat extends ProviderFormat<WireMessages['bedrock']> {
  /**
   * Calls of another provider, or of a stream, as an assistant's message to replay. The input is always an object:
   * text that is none stands whole under `rawArguments`, from where `readCalls` takes it back.
   */
  readonly writeCalls: (
    calls: readonly (ToolCall & { readonly id: string })[],
    names: WireNames,
  ) => BedrockCalls
}

export const bedrock: BedrockFormat = {
  name: 'bedrock',
  readCalls(value) {
    const output = isObject(value.output) ? value.output : value
    const message = isObject(output.message) ? output.message : value
    const blocks = isObject(value.toolUse) ? [value] : objects(message.content)
    // Anthropic's blocks have a `type`; the ones of Converse are named by their only key.
    const own = blocks.some((block) => isObject(block.toolUse)) || isTextAnswer(message, blocks)
    if (!own && typeof value.stopReason !== 'string') return undefined
    const calls = blocks.flatMap(({ toolUse }) =>
      isObject(toolUse)
        ? [callOf(toolUse.toolUseId, toolUse.name, argumentsOf(toolUse.input))]
        : [],
    )
    return readOf(calls, value.stopReason)
  },
  writeResults(results) {
    return [{ role: 'user', content: results.map((result) => ({ toolResult: resultOf(result) })) }]
  },
  writeCalls(calls, names) {
    const content = calls.map(({ id, name, arguments: given }) => ({
      toolUse: { toolUseId: id, name: names.toWire(name), input: callInput(given) },
    }))
    return { role: 'assistant', content }
  },
}

function isTextAnswer({ role }: JsonObject, blocks: readonly JsonObject[]): boolean {
  const named = ({ type, text, reasoningContent }: JsonObject) =>
    type === undefined && (typeof text === 'string' || isObject(reasoningContent))
  return role === 'assistant' && blocks.length > 0 && blocks.every(named)
}

type Result = WireMessages['bedrock']['content'][number]['toolResult']

function resultOf(result: ToolResult): Result {
  // A schema that is shown instead of running is news for the model, not its error.
  const fine = isAnswer(result.outcome) || result.outcome === 'schema'
  return {
    toolUseId: result.callId,
    content: [{ text: result.content }, ...imagesOf(result)],
    status: fine ? 'success' : 'error',
  }
}

const imageTypes: Readonly<Record<string, BedrockImage['image']['format']>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Images that Bedrock takes, as bytes. */
function imagesOf({ media = [] }: ToolResult): BedrockImage[] {
  return media.flatMap(({ type, mimeType, data }) => {
    const format = Object.hasOwn(imageTypes, mimeType) ? imageTypes[mimeType] : undefined
    if (type !== 'image' || data === undefined || format === undefined) return []
    const bytes = binaryBytes(atob(data))
    return [{ image: { format, source: { bytes } } }]
  })
}
