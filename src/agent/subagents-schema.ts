/**
 * What subagents is called with.
 * @module
 */
import type { JsonSchema } from '../tools/tool.ts'

export interface SubagentArgs {
  readonly mode?: 'invoke' | 'list'
  readonly task?: string
  readonly name?: string
  readonly session_id?: string
  readonly model?: string
  readonly reasoning?: string
  readonly system_prompt?: string
  readonly exclude_tools?: readonly string[]
}

/** The choices are those of the host; a level of reasoning only where it has any. */
export function subagentsSchema(
  models: readonly string[],
  roles: readonly string[],
  levels: readonly string[],
): JsonSchema {
  return {
    type: 'object',
    properties: {
      mode: { enum: ['invoke', 'list'], description: 'Default: invoke when there is a task.' },
      task: {
        type: 'string',
        minLength: 1,
        maxLength: 100_000,
        description:
          'What to do, with all it must know: paths, addresses, what the answer must hold.',
      },
      name: { enum: roles, description: `Kind of subagent. Default: ${roles[0]}.` },
      session_id: {
        type: 'string',
        minLength: 1,
        maxLength: 512,
        description:
          'Goes on with the conversation of an earlier subagent: the session of its answer.',
      },
      model: { enum: models, description: `Default: ${models[0]}.` },
      ...(levels.length > 0 && {
        reasoning: { enum: levels, description: 'How much thought it takes.' },
      }),
      system_prompt: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        description: 'What it is told first, in the place of its kind’s own words.',
      },
      exclude_tools: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 256 },
        maxItems: 100,
        description: 'Tools that it may not call; a * at the end stands for any rest.',
      },
    },
    additionalProperties: false,
  }
}
