/**
 * What the planner says.
 * @module
 */
import { findToolsName, runToolName } from '../../tools/registry.ts'
import { parsedValue } from './parse-request.ts'
import { foundTools, type KnownTool, type PastCall } from './transcript.ts'

const longestResult = 1_500

export interface Told {
  readonly results: readonly PastCall[]
  readonly said: readonly string[]
  readonly remarks: readonly string[]
}

export function answerText({ results, said, remarks }: Told): string {
  // Who says what to say does not want to read the results as well; failures are told all the same.
  const shown = said.length > 0 ? results.filter(({ failed }) => failed) : results
  const told = shown.map((result) => resultText(result, results.length > 1))
  const all = [...told, ...said, ...remarks]
  return all.length > 0 ? all.join('\n\n') : 'There was nothing to do.'
}

function resultText(result: PastCall, several: boolean): string {
  const name = nameOf(result)
  const tools = name === findToolsName ? foundTools(result) : []
  const text = tools.length > 0 ? listText(tools) : shownText(result.text)
  if (result.failed) return `${name} gave no answer: ${text}`
  return several ? `**${name}**\n\n${text}` : text
}

/** JSON, and what is laid out by tabs, as a block, so that it can be read. */
function shownText(text: string): string {
  const value = parsedValue(text)
  if (typeof value !== 'object' || value === null) {
    return text.includes('\t') ? `\`\`\`\`\n${cut(text)}\n\`\`\`\`` : cut(text)
  }
  return `\`\`\`json\n${cut(JSON.stringify(value, null, 2))}\n\`\`\``
}

function listText(tools: readonly KnownTool[]): string {
  return tools.map(({ name, description }) => `- \`${name}\`: ${cut(description, 160)}`).join('\n')
}

/** The tool behind run_tool. */
function nameOf({ name, input }: PastCall): string {
  return name === runToolName ? String((Object(input) as { name?: unknown }).name ?? name) : name
}

function cut(text: string, most = longestResult): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

export function missingText(
  name: string,
  missing: readonly { readonly name: string; readonly description: string }[],
): string {
  const list = missing.map((each) =>
    each.description ? `- \`${each.name}\`: ${each.description}` : `- \`${each.name}\``,
  )
  return `\`${name}\` fits, but I need to know more:\n\n${list.join('\n')}\n\nSay it as \`/${name} ${missing.map((each) => `${each.name}=…`).join(' ')}\`.`
}

export function helpText(tools: readonly KnownTool[]): string {
  const names = tools.map(({ name }) => `\`${name}\``).join(', ')
  return `I am a planner without a language model: the same words always lead to the same calls.

- \`/tool key=value\` or \`/tool {"key": "value"}\` calls a tool
- \`;\` or a new line: one more call in the same round
- \`then\`: the next round; \`$last\`, \`$1\`, \`$2\` stand for earlier results
- \`/search words\` looks for tools, \`/say text\` says it
- anything else: I look for a tool that does it, and ask for what I am not told

In this request: ${names || 'no tools'}.`
}
