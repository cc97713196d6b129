/**
 * html_template: pages to start from.
 * @module
 */
import type { JsonObject } from '../../round.ts'
import type { Tool } from '../../tools/tool.ts'

interface HtmlTemplateArgs {
  readonly mode: 'list' | 'read'
  readonly name?: string
}

/** Makes html_template. A template is one file without scripts; `value.html` of a read is shown in the page's preview. */
export function htmlTemplateTool(): Tool<HtmlTemplateArgs> {
  return {
    name: 'html_template',
    description:
      'HTML pages to start from: report, dashboard, comparison, timeline, slides, letter. mode list: what there is. mode read: one of them whole, with sample content to replace; fill it in and save it with edit_file.',
    inputSchema: {
      type: 'object',
      properties: {
        mode: { enum: ['list', 'read'] },
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'mode read: from the list.',
        },
      },
      required: ['mode'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    timeout: 30_000,
    async execute({ mode, name }) {
      const { templates } = await import('./templates.ts')
      if (mode === 'list') {
        return templates.map(({ html: _html, ...about }): JsonObject => ({ ...about }))
      }
      const found = templates.find((each) => each.name === name)
      if (!found) {
        const names = templates.map((each) => each.name).join(', ')
        throw new Error(`there is no template ${JSON.stringify(name ?? '')}; there are ${names}`)
      }
      return {
        content: [{ type: 'text', text: found.html }],
        structuredContent: { name: found.name, html: found.html },
      }
    },
  }
}
