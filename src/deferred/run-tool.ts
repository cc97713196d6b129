/**
 * The run_tool tool: calls a tool whose schema was fetched. It has no handler; pass 1 unwraps it.
 * @module
 */
import { runToolName } from '../tools/registry.ts'
import type { ToolDefinition } from './exposure.ts'

export const runToolDefinition: ToolDefinition = {
  name: runToolName,
  description:
    'Calls a tool by name. Fetch its schema with find_tools first; args must fit that schema.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Exact name of the tool.' },
      args: { type: 'object', description: "The tool's arguments." },
    },
    required: ['name', 'args'],
    additionalProperties: false,
  },
}
