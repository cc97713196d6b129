/**
 * A request's tools array in each vendor's shape.
 * @module
 */
import type { ToolDefinition } from '../deferred/exposure.ts'
import type { Json } from '../round.ts'
import { isObject } from '../schema/pointer.ts'
import { geminiSchema } from './gemini-schema.ts'
import { objectRoot } from './object-root.ts'
import { openAIStrictSchema } from './openai-schema.ts'
import type { ProviderName } from './read-calls.ts'
import type { WireNames } from './wire-names.ts'

/** The tools of a request as OpenAI Chat Completions takes them. */
interface ChatTool {
  readonly type: 'function'
  readonly function: FunctionOf
}
interface FunctionOf {
  readonly name: string
  readonly description: string
  readonly parameters: ToolDefinition['inputSchema']
  readonly strict: boolean
}
interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: ToolDefinition['inputSchema'] & { readonly type: 'object' }
}
interface GeminiTool {
  readonly functionDeclarations: {
    readonly name: string
    readonly description: string
    readonly parameters?: ToolDefinition['inputSchema']
  }[]
}
interface BedrockTool {
  readonly toolSpec: {
    readonly name: string
    readonly description?: string
    readonly inputSchema: { readonly json: Json }
  }
}

/** The element of the tools array by provider. */
export interface WireTools {
  readonly 'openai-chat': ChatTool
  readonly 'openai-responses': { readonly type: 'function' } & FunctionOf
  readonly anthropic: AnthropicTool
  readonly gemini: GeminiTool
  /** The members of `toolConfig.tools`. */
  readonly bedrock: BedrockTool
}

/**
 * The tools array to put into the request, sorted by name: the same bytes for the same tools in any order.
 * Calls come back under wire names: `names.fromWire` gives the tool's own.
 *
 * Sources: https://platform.openai.com/docs/guides/function-calling, https://docs.claude.com/en/api/messages,
 * https://ai.google.dev/api/caching#FunctionDeclaration,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html.
 */
export function toolsFor<P extends Exclude<ProviderName, 'threepass'>>(
  provider: P,
  tools: readonly ToolDefinition[],
  names: WireNames,
): WireTools[P][] {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return writers[provider](sorted, names)
}

const writers: {
  readonly [P in keyof WireTools]: (
    tools: readonly ToolDefinition[],
    names: WireNames,
  ) => WireTools[P][]
} = {
  'openai-chat': (tools, names) =>
    tools.map((tool) => ({ type: 'function', function: functionOf(tool, names) })),
  'openai-responses': (tools, names) =>
    tools.map((tool) => ({ type: 'function', ...functionOf(tool, names) })),
  anthropic: (tools, names) =>
    tools.map(({ name, description, inputSchema }) => ({
      name: names.toWire(name),
      description,
      input_schema: { ...objectRoot(inputSchema), type: 'object' },
    })),
  gemini: (tools, names) =>
    tools.length === 0
      ? []
      : [{ functionDeclarations: tools.map((tool) => declarationOf(tool, names)) }],
  bedrock: (tools, names) =>
    tools.map(({ name, description, inputSchema }) => ({
      toolSpec: {
        name: names.toWire(name),
        // Bedrock refuses an empty description.
        ...(description !== '' && { description }),
        inputSchema: { json: objectRoot(inputSchema) as Json },
      },
    })),
}

/** `strict` is always said: Responses takes its absence for true. */
function functionOf(
  { name, description, inputSchema }: ToolDefinition,
  names: WireNames,
): FunctionOf {
  const { schema, strict } = openAIStrictSchema(inputSchema)
  return { name: names.toWire(name), description, parameters: schema, strict }
}

function declarationOf(
  { name, description, inputSchema }: ToolDefinition,
  names: WireNames,
): GeminiTool['functionDeclarations'][number] {
  const parameters = geminiSchema(inputSchema)
  const { additionalProperties: rest } = inputSchema
  // Gemini refuses a root object without properties; "no parameters" is said by leaving them out.
  const none = parameters.properties === undefined && !(rest === true || isObject(rest))
  return { name: names.toWire(name), description, ...(!none && { parameters }) }
}
