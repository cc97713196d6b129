/**
 * What the prompt says has happened since the person spoke last.
 * @module
 */
import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import type { JsonSchema } from '../../tools/tool.ts'
import { parsedValue } from './parse-request.ts'

export interface PastCall {
  readonly name: string
  readonly input: unknown
  /** What the model was told. */
  readonly text: string
  readonly failed: boolean
}

export interface Transcript {
  readonly request: string
  readonly rounds: readonly (readonly PastCall[])[]
}

export function readTranscript(prompt: LanguageModelV3Prompt): Transcript {
  const from = prompt.length - 1 - [...prompt].reverse().findIndex(isRequest)
  const user = prompt[from]
  const request = user?.role === 'user' ? user.content.map(textOf).join('\n') : ''
  const rounds: PastCall[][] = []
  for (const { role, content } of prompt.slice(from)) {
    if (role === 'assistant') {
      const calls = content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
      if (calls.length > 0) {
        rounds.push(
          calls.map(({ toolName: name, input }) => ({ name, input, text: '', failed: true })),
        )
      }
    }
    if (role === 'tool') {
      const results = content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      const round = rounds.at(-1) ?? []
      rounds[rounds.length - 1] = round.map((call, index) => ({ ...call, ...told(results[index]) }))
    }
  }
  return { request, rounds }
}

/** The loop's own note is none. */
function isRequest({ role, providerOptions }: LanguageModelV3Message): boolean {
  return role === 'user' && providerOptions?.threepass?.note !== true
}

function textOf(part: { type: string; text?: string }): string {
  return part.type === 'text' ? (part.text ?? '') : ''
}

function told(output: LanguageModelV3ToolResultOutput | undefined): {
  text: string
  failed: boolean
} {
  if (!output) return { text: '', failed: true }
  const failed = output.type.startsWith('error') || output.type === 'execution-denied'
  if (output.type === 'content') return { text: output.value.map(textOf).join('\n'), failed }
  if (output.type === 'execution-denied') return { text: output.reason ?? 'Denied.', failed }
  const { value } = output
  return { text: typeof value === 'string' ? value : JSON.stringify(value), failed }
}

export interface KnownTool {
  readonly name: string
  readonly description: string
  readonly inputSchema?: JsonSchema
}

/** The tools that a `find_tools` result shows, best first. */
export function foundTools({ text, failed }: PastCall): KnownTool[] {
  const value = failed ? undefined : parsedValue(text)
  const { tools } = Object(value) as { tools?: unknown }
  return Array.isArray(tools) ? (tools as KnownTool[]) : []
}

/** The schema that came back in the place of a result: gate 5 says so in its first line. */
export function shownSchema({ text, failed }: PastCall): KnownTool | undefined {
  const [first = '', ...rest] = text.split('\n')
  const told = /^\S+ (?:was called before|has changed since) its schema was fetched/.test(first)
  if (failed || !told) return undefined
  const tool = Object(parsedValue(rest.join('\n'))) as Partial<KnownTool>
  return tool.name !== undefined && tool.inputSchema ? (tool as KnownTool) : undefined
}
