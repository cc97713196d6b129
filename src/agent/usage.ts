/**
 * Token counts, added up.
 * @module
 */
import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import type { AgentUsage } from './agent-event.ts'

export const noUsage: AgentUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
}

export function usageOf(usage: LanguageModelV3Usage | undefined): AgentUsage {
  return {
    inputTokens: usage?.inputTokens?.total ?? 0,
    outputTokens: usage?.outputTokens?.total ?? 0,
    cachedInputTokens: usage?.inputTokens?.cacheRead ?? 0,
    reasoningTokens: usage?.outputTokens?.reasoning ?? 0,
  }
}

export function addUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  }
}
