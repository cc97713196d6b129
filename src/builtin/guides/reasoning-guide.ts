/**
 * reasoning_guide: how to go about a kind of work.
 * @module
 */
import type { Tool } from '../../tools/tool.ts'

/** Written out: the schema must not load the texts. A test holds it against them. */
const topics = [
  'tool_generate',
  'tool_error',
  'rag_web',
  'market_analysis',
  'targeted_read',
  'ask_user',
  'subagent_dispatch',
  'write_todo',
  'html_render',
]

/** Makes reasoning_guide. Several topics come in one answer. */
export function reasoningGuideTool(): Tool<{ topics: string[] }> {
  return {
    name: 'reasoning_guide',
    description:
      'Short guides on how to do a kind of work well. Read one before you begin: tool_generate (making tools), tool_error (a call failed), rag_web (answers from the web), market_analysis, targeted_read (finding the place in files), ask_user, subagent_dispatch, write_todo, html_render (pages to look at).',
    inputSchema: {
      type: 'object',
      properties: {
        topics: {
          type: 'array',
          minItems: 1,
          maxItems: topics.length,
          items: { enum: topics },
          description: 'One or more.',
        },
      },
      required: ['topics'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    async execute(args) {
      const { guides } = await import('./topics.ts')
      return [...new Set(args.topics)].map((topic) => guides[topic]).join('\n\n---\n\n')
    },
  }
}
