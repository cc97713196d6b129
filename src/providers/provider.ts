/**
 * PORT ProviderFormat: calls out of a provider's message, results into its next request.
 * @module
 */
import type { Json, JsonObject, ToolCall, ToolResult } from '../round.ts'

/** The calls of one assistant message. */
export interface ReadCalls {
  /** In the model's order. */
  readonly calls: readonly ToolCall[]
  /** The provider's word, as `run.dispatch` takes it. */
  readonly finishReason?: string
}

/** `Message` is what the provider's official SDK takes in a request. */
export interface ProviderFormat<Message = object> {
  readonly name: string
  /** The calls of a message or whole response of this provider; `undefined` when the value is none. Pure. */
  readonly readCalls: (value: JsonObject) => ReadCalls | undefined
  /**
   * What the next request carries: one answer a call, in call order, in the provider's place and shape.
   * `calls`, as they were read: Gemini wants the name that it said, where a result has that of the tool.
   */
  readonly writeResults: (results: readonly ToolResult[], calls?: readonly ToolCall[]) => Message[]
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a list that are objects; none when it is no list. */
export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Calls with a finish reason, when the provider gave one. */
export function readOf(calls: readonly ToolCall[], finishReason: Json | undefined): ReadCalls {
  return typeof finishReason === 'string' ? { calls, finishReason } : { calls }
}

/** Arguments as they came; a missing member stays missing. */
export function callOf(
  id: Json | undefined,
  name: Json | undefined,
  args: Json | undefined,
): ToolCall {
  const given = textOf(id)
  return {
    ...(given !== undefined && { id: given }),
    name: textOf(name) ?? '',
    ...(args !== undefined && { arguments: args }),
  }
}

/** Images of a result as `data:` URLs. */
export function imageUrls({ media }: ToolResult): string[] {
  return (media ?? []).flatMap(({ type, mimeType, data, url }) => {
    if (type !== 'image') return []
    return data === undefined ? (url ?? []) : `data:${mimeType};base64,${data}`
  })
}
