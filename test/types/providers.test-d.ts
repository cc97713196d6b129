/** Checked by tsc: what goes into a request is what the official SDKs take. Nothing here runs. */
import type Anthropic from '@anthropic-ai/sdk'
import type {
  ConverseCommandOutput,
  ConverseStreamOutput,
  Message,
  Tool,
} from '@aws-sdk/client-bedrock-runtime'
import type { Content, Tool as GeminiTool, GenerateContentResponse } from '@google/genai'
import type OpenAI from 'openai'
import {
  anthropic,
  bedrock,
  gemini,
  openAIChat,
  openAIResponses,
  readCalls,
  readStream,
  repairHistory,
  toolsFor,
  wireNames,
} from '../../src/providers/index.ts'
import type { ToolResult } from '../../src/round.ts'

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam
type InputItem = OpenAI.Responses.ResponseInputItem

declare const results: readonly ToolResult[]
const names = wireNames(['a'])
const tools = [{ name: 'a', description: 'A.', inputSchema: { type: 'object' } }]

// Results.
openAIChat.writeResults(results) satisfies ChatMessage[]
openAIResponses.writeResults(results) satisfies InputItem[]
anthropic.writeResults(results) satisfies Anthropic.MessageParam[]
gemini.writeResults(results) satisfies Content[]
bedrock.writeResults(results) satisfies Message[]
bedrock.writeCalls([{ id: 'a', name: 'a', arguments: '{' }], names) satisfies Message
// @ts-expect-error: each provider has its own
openAIChat.writeResults(results) satisfies Anthropic.MessageParam[]
// @ts-expect-error: a call without an id cannot be replayed
bedrock.writeCalls([{ name: 'a' }], names)

// The tools array.
toolsFor('openai-chat', tools, names) satisfies OpenAI.Chat.ChatCompletionTool[]
toolsFor('openai-responses', tools, names) satisfies OpenAI.Responses.Tool[]
toolsFor('anthropic', tools, names) satisfies Anthropic.Tool[]
toolsFor('bedrock', tools, names) satisfies Tool[]
// Gemini's SDK types `type` as an enum of its own, which only the SDK's values fit: the schema is left out here.
for (const { functionDeclarations } of toolsFor('gemini', tools, names)) {
  const declarations = functionDeclarations.map(({ parameters: _, ...rest }) => rest)
  ;({ functionDeclarations: declarations }) satisfies GeminiTool
}
// @ts-expect-error: each provider has its own
toolsFor('openai-chat', tools, names) satisfies Anthropic.Tool[]

// Histories.
declare const chat: ChatMessage[]
declare const input: InputItem[]
declare const claude: Anthropic.MessageParam[]
declare const contents: Content[]
declare const converse: Message[]
repairHistory(chat, 'openai-chat') satisfies ChatMessage[]
repairHistory(input, 'openai-responses') satisfies InputItem[]
repairHistory(claude, 'anthropic') satisfies Anthropic.MessageParam[]
repairHistory(contents, 'gemini') satisfies Content[]
repairHistory(converse, 'bedrock') satisfies Message[]
// @ts-expect-error: a history of another provider
repairHistory(chat, 'anthropic') satisfies ChatMessage[]
// @ts-expect-error: the library's own list of calls is no history
repairHistory([], 'threepass')

// Messages and chunks of the SDKs.
declare const completion: OpenAI.Chat.ChatCompletion
declare const response: OpenAI.Responses.Response
declare const message: Anthropic.Message
declare const generated: GenerateContentResponse
declare const output: ConverseCommandOutput
for (const given of [completion, response, message, generated, output]) readCalls(given)
declare const chunk: OpenAI.Chat.ChatCompletionChunk
declare const event: OpenAI.Responses.ResponseStreamEvent
declare const block: Anthropic.RawMessageStreamEvent
declare const piece: ConverseStreamOutput
readStream('openai-chat').push(chunk)
readStream('openai-responses').push(event)
readStream('anthropic').push(block)
readStream('gemini').push(generated)
readStream('bedrock').push(piece)
// @ts-expect-error: not streamed by a provider
readStream('threepass')
