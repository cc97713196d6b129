/**
 * Provider formats: calls out of assistant messages, results into the next request.
 * @module
 */
export { anthropic } from './anthropic.ts'
export { gemini } from './gemini.ts'
export { openAIChat, openAIResponses } from './openai.ts'
export type { ProviderFormat, ReadCalls } from './provider.ts'
export { type ProviderName, readCalls } from './read-calls.ts'
