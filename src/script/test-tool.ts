/**
 * test_tool: a script tool's definition against sample input.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import { formatIssues } from '../schema/issues.ts'
import type { JsonSchema, Tool, ToolContext } from '../tools/tool.ts'
import type { LoadedScript, Scripts } from './definition.ts'
import type { ScriptOutcome, ScriptSandbox } from './sandbox.ts'

export interface TestToolOptions {
  readonly sandbox: ScriptSandbox
  /** Where scripts are looked up, such as `workspaceScripts(workspace)`. */
  readonly scripts: Scripts
}

interface TestToolArgs {
  readonly name: string
  readonly input?: string
}

/**
 * Makes test_tool. It shows what is wrong with the definition, whether the input fits its schema, and
 * output, logs and error of the script, which runs in the sandbox and can change nothing.
 */
export function testToolTool({ sandbox, scripts }: TestToolOptions): Tool<TestToolArgs> {
  return {
    name: 'test_tool',
    description:
      'Runs a script tool of the workspace (/tools/<name>/tool.json and script.js) once with sample input, in a sandbox, and shows what is wrong with its definition, whether the input fits, its output, its logs, and errors with their line.',
    inputSchema,
    readOnly: true,
    concurrent: true,
    reads: ({ name }) => [`file:/tools/${String(name)}`],
    async execute({ name, input = '{}' }, context) {
      const read = await scripts.read(name.replace(/^script_/, ''))
      if (!read)
        throw new Error(`there is no script tool ${name}: /tools/${name}/tool.json is missing`)
      if (!read.ok)
        throw new Error(`the definition of ${name} cannot be used: ${read.problems.join('; ')}`)
      return tryOut(read.script, parsed(input), sandbox, context)
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 64, description: 'Without script_ in front.' },
    input: {
      type: 'string',
      maxLength: 100_000,
      default: '{}',
      description: 'The input, as JSON text.',
    },
  },
  required: ['name'],
  additionalProperties: false,
}

function parsed(input: string): JsonObject {
  let value: Json
  try {
    value = JSON.parse(input) as Json
  } catch (error) {
    throw new Error(`the input is no JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('the input must be a JSON object')
  }
  return value
}

async function tryOut(
  { definition, code, schema }: LoadedScript,
  input: JsonObject,
  sandbox: ScriptSandbox,
  { signal }: ToolContext,
): Promise<JsonObject> {
  const checked = schema.check(input)
  if (!checked.ok) throw new Error(formatIssues(definition.name, checked.issues))
  const outcome = await sandbox.run({ code, input: checked.args, signal })
  const { output, error, logs, steps } = outcome
  return {
    content: [{ type: 'text', text: shown(outcome) }],
    structuredContent: {
      name: definition.name,
      input: checked.args,
      ...(output !== undefined && { output }),
      ...(error !== undefined && { error }),
      logs: [...logs],
      steps,
    },
    isError: error !== undefined,
  }
}

function shown({ output, error, logs }: ScriptOutcome): string {
  const result = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
  return [
    error === undefined ? `output:\n${result}` : `error: ${error}`,
    ...(logs.length > 0 ? [`logs:\n${logs.join('\n')}`] : []),
  ].join('\n\n')
}
