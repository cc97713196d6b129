/**
 * A server's list as tools of the dispatcher.
 * @module
 */
import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from '../dedupe/call-key.ts'
import { isDispatchError } from '../errors.ts'
import type { Json, JsonObject } from '../round.ts'
import { cfworkerValidator } from '../schema/cfworker.ts'
import type { CompiledSchema } from '../schema/validator.ts'
import type { SourceProblem } from '../tools/source.ts'
import type { AnyTool, JsonSchema, ToolContext } from '../tools/tool.ts'
import type { CalledTool } from './call.ts'
import { toolNames } from './names.ts'
import type { CheckedOptions } from './options.ts'

/** Tools of one server; more are left out. */
const mostTools = 1_000
const longestDescription = 8_192

export interface ToolList {
  readonly tools: readonly AnyTool[]
  readonly problems: readonly SourceProblem[]
}

export type Execute = (
  called: CalledTool,
  args: JsonObject,
  context: ToolContext,
) => Promise<JsonObject>

/** What was made of a definition; no tool when it cannot be used. */
interface Made {
  readonly tool?: AnyTool
  readonly problems: readonly string[]
}

/**
 * Makes tools of lists. One that cannot be used is a problem, and the others are not touched by it; one
 * that has not changed since the last list stays the same object.
 */
export function toolMaker(
  prefix: string,
  options: CheckedOptions,
  execute: Execute,
): (given: readonly Tool[]) => ToolList {
  let earlier = new Map<string, Made>()
  return (given) => {
    const { chosen, problems } = choose(given)
    const names = toolNames(prefix, [...chosen.keys()])
    const made = new Map<string, Made>()
    const tools: AnyTool[] = []
    for (const [own, tool] of chosen) {
      const name = names.get(own)
      const key = canonicalJson([name ?? null, tool as unknown as Json])
      const one = earlier.get(key) ?? (name ? make(tool, name, options, execute) : unnamed)
      made.set(key, one)
      if (one.tool) tools.push(one.tool)
      problems.push(...one.problems.map((message) => ({ definition: own, message })))
    }
    earlier = made
    return { tools, problems }
  }
}

const unnamed: Made = {
  problems: ['Its name cannot be told from that of another tool: the server must change it.'],
}

function choose(given: readonly Tool[]): { chosen: Map<string, Tool>; problems: SourceProblem[] } {
  const problems: SourceProblem[] = []
  const chosen = new Map<string, Tool>()
  for (const tool of given) {
    const { name: definition } = tool
    if (chosen.has(definition)) {
      problems.push({ definition, message: 'Its name comes twice: the first one stands.' })
    } else if (chosen.size < mostTools) chosen.set(definition, tool)
  }
  const left = given.length - problems.length - chosen.size
  if (left > 0) {
    const message = `It has more than ${mostTools} tools: ${left} were left out.`
    problems.push({ definition: 'tools/list', message })
  }
  return { chosen, problems }
}

const validator = cfworkerValidator()

function make(tool: Tool, name: string, options: CheckedOptions, execute: Execute): Made {
  const problems: string[] = []
  const compile = (schema: unknown, or: string): CompiledSchema | undefined => {
    try {
      const compiled = validator.compile(schema as JsonSchema, 'external')
      problems.push(...compiled.warnings)
      return compiled
    } catch (error) {
      if (!isDispatchError(error)) throw error
      problems.push(or + error.message)
      return undefined
    }
  }
  if (!compile(tool.inputSchema, 'Its inputSchema cannot be used: ')) return { problems }
  const output =
    tool.outputSchema &&
    compile(tool.outputSchema, 'Its answers are not checked: its outputSchema cannot be used: ')
  const { description = '' } = tool
  if (description.length > longestDescription) {
    problems.push(
      `Its description has ${description.length} characters: ${longestDescription} were kept.`,
    )
  }
  return { tool: toolOf(tool, name, output, options, execute), problems }
}

function toolOf(
  tool: Tool,
  name: string,
  output: CompiledSchema | undefined,
  { server, url, timeoutMs, trustHints }: CheckedOptions,
  execute: Execute,
): AnyTool {
  const { title = null, annotations = {}, description, outputSchema = null } = tool
  const readOnly = trustHints && annotations.readOnlyHint === true
  const idempotent = trustHints && annotations.idempotentHint === true
  const called: CalledTool = { tool, output, repeatable: readOnly || idempotent }
  const told = description?.trim() || title || annotations.title
  return {
    name,
    description: told?.slice(0, longestDescription) || `The tool ${tool.name} of ${server}.`,
    inputSchema: tool.inputSchema as JsonSchema,
    // Part of the fingerprint: a remembered approval ends with any change of what the server says.
    version: canonicalJson([
      url.origin + url.pathname,
      tool.name,
      title,
      annotations as Json,
      outputSchema as Json,
    ]),
    trust: 'external',
    timeout: timeoutMs,
    ...(readOnly && { readOnly, concurrent: true, reads: () => [`mcp:${server}`] }),
    ...(idempotent && !readOnly && { idempotent }),
    execute: (args: JsonObject, context: ToolContext) => execute(called, args, context),
  }
}
