/** What the scripted models call: an odd name, keywords that vendors refuse, an image among its results. */
import type { AnyTool } from '../../../src/index.ts'

export const note: AnyTool = {
  name: 'notes/read:one',
  description: 'Reads a note.',
  readOnly: true,
  concurrent: true,
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where it is.' },
      rows: { type: 'integer', exclusiveMinimum: 0 },
      tags: { type: 'array', uniqueItems: true, items: { const: 'a' } },
    },
    required: ['path'],
    additionalProperties: false,
  },
  execute: ({ path }: { path: string }) =>
    path === '/pic'
      ? {
          content: [
            { type: 'text', text: 'a dot' },
            { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          ],
        }
      : `note ${path}`,
}
