/**
 * Messages that go into the next request, in each vendor's own shape: what the official SDKs' types take.
 * @module
 */
import type { JsonObject } from '../round.ts'

interface ChatResult {
  role: 'tool'
  tool_call_id: string
  content: string
}
interface ChatImages {
  role: 'user'
  content: { type: 'image_url'; image_url: { url: string } }[]
}
interface ResponsesResult {
  type: 'function_call_output'
  call_id: string
  output:
    | string
    | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string })[]
}
interface AnthropicImage {
  type: 'image'
  source: {
    type: 'base64'
    media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
    data: string
  }
}
interface AnthropicResults {
  role: 'user'
  content: {
    type: 'tool_result'
    tool_use_id: string
    content: string | ({ type: 'text'; text: string } | AnthropicImage)[]
    is_error?: boolean
  }[]
}
interface GeminiResults {
  role: 'user'
  parts: (
    | { functionResponse: { id?: string; name: string; response: JsonObject } }
    | { inlineData: { mimeType: string; data: string } }
  )[]
}

/** An image as the AWS SDK takes it: bytes, which it encodes itself. */
export interface BedrockImage {
  image: { format: 'png' | 'jpeg' | 'gif' | 'webp'; source: { bytes: Uint8Array } }
}
interface BedrockResults {
  role: 'user'
  content: {
    toolResult: {
      toolUseId: string
      content: ({ text: string } | BedrockImage)[]
      status: 'success' | 'error'
    }
  }[]
}
/** An assistant's message of calls, as it is replayed. */
export interface BedrockCalls {
  role: 'assistant'
  content: { toolUse: { toolUseId: string; name: string; input: JsonObject } }[]
}

interface AISDKResults {
  role: 'tool'
  content: {
    type: 'tool-result'
    toolCallId: string
    toolName: string
    output: { type: 'error-text'; value: string }
  }[]
}

/** The messages that carry results, by provider. */
export interface WireMessages {
  readonly 'openai-chat': ChatResult | ChatImages
  readonly 'openai-responses': ResponsesResult
  readonly anthropic: AnthropicResults
  readonly gemini: GeminiResults
  readonly bedrock: BedrockResults
  readonly 'ai-sdk': AISDKResults
}
