/**
 * Provider formats: calls out of assistant messages, results into the next request.
 * @module
 */
export { anthropic } from './anthropic.ts'
export { type BedrockFormat, bedrock } from './bedrock.ts'
export { gemini } from './gemini.ts'
export { geminiSchema } from './gemini-schema.ts'
export { repairHistory } from './history.ts'
export { openAIChat, openAIResponses } from './openai.ts'
export { openAIStrictSchema } from './openai-schema.ts'
export type { ProviderFormat, ReadCalls } from './provider.ts'
export { type ProviderName, readCalls } from './read-calls.ts'
export { type CallStream, readStream } from './stream.ts'
export { toolsFor, type WireTools } from './tools-for.ts'
export type { WireMessages } from './wire-messages.ts'
export { type WireNames, wireNames } from './wire-names.ts'
