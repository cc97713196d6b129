/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, without its binary stream. */
import type { Json, JsonObject } from '../../../src/index.ts'
import { list, nameProblem } from './rules.ts'
import type { Protocol } from './server.ts'

export const bedrockProtocol: Protocol = {
  path: /\/model\/[^/]+\/converse$/,
  problem({ messages, toolConfig }, headers) {
    if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))
      return 'Missing Authentication Token'
    return messagesProblem(list(messages)) ?? toolsProblem(toolConfig as JsonObject | undefined)
  },
  error: (_status, message) => ({ message }),
  stream: () => '',
  whole: ({ text, calls = [] }) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ id, name, args }) => ({
            toolUse: { toolUseId: id, name, input: JSON.parse(args) as Json },
          })),
        ],
      },
    },
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 20, outputTokens: 5, totalTokens: 25 },
    metrics: { latencyMs: 1 },
  }),
}

function messagesProblem(messages: readonly JsonObject[]): string | undefined {
  let open: unknown[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return 'roles must alternate'
    const blocks = list(content)
    const answered = blocks.flatMap(({ toolResult }) =>
      toolResult ? [(toolResult as JsonObject).toolUseId] : [],
    )
    if (open.length !== answered.length || open.some((id) => !answered.includes(id as never))) {
      return `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join()}`
    }
    const calls = blocks.flatMap(({ toolUse }) => (toolUse ? [toolUse as JsonObject] : []))
    if (
      calls.some(({ input }) => typeof input !== 'object' || input === null || Array.isArray(input))
    ) {
      return 'The value at messages.content.toolUse.input is not an object'
    }
    const problem = nameProblem([...new Set(calls.map(({ name }) => name))])
    if (problem) return problem
    open = calls.map(({ toolUseId }) => toolUseId)
  }
  return undefined
}

function toolsProblem(config: JsonObject | undefined): string | undefined {
  const specs = list(config?.tools).map(({ toolSpec }) => toolSpec as JsonObject)
  const schemas = specs.map(({ inputSchema }) => (inputSchema as JsonObject).json as JsonObject)
  if (schemas.some(({ type }) => type !== 'object')) return 'inputSchema.json.type must be object'
  if (specs.some(({ description }) => description === '')) return 'description is too short'
  return nameProblem(specs.map(({ name }) => name))
}
