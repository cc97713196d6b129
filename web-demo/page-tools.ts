/**
 * Tools that only a page can have: plain registrations, no transport between.
 * @module
 */
import { type ClientTools, createClientTools, type JsonObject } from '../src/index.ts'
import { setTheme, type Theme } from './theme.ts'

export interface PageParts {
  /** Shows the form and resolves with what the person sends. */
  readonly askForm: (question: string, signal: AbortSignal) => Promise<JsonObject>
  readonly drawChart: (title: string, labels: string[], values: number[]) => Promise<void>
  readonly onTheme: () => void
}

export function pageTools({ askForm, drawChart, onTheme }: PageParts): ClientTools {
  const tools = createClientTools()
  const { registerClientTool } = tools
  registerClientTool({
    name: 'read_selection',
    description: 'Reads the text that the person has selected on the page.',
    readOnly: true,
    dedupe: false,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    execute: () => String(document.getSelection() ?? '') || 'Nothing is selected.',
  })
  registerClientTool<{ theme: Theme }>({
    name: 'set_theme',
    description: 'Sets the theme of the page.',
    confirm: false,
    writes: () => ['page:theme'],
    inputSchema: {
      type: 'object',
      properties: { theme: { type: 'string', enum: ['light', 'dark', 'system'] } },
      required: ['theme'],
      additionalProperties: false,
    },
    execute({ theme }) {
      setTheme(theme)
      onTheme()
      return `The theme is ${theme}.`
    },
  })
  registerClientTool<{ title: string; labels: string[]; values: number[] }>({
    name: 'draw_chart',
    description: 'Draws a bar chart on the page.',
    confirm: false,
    writes: () => ['page:chart'],
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', description: 'Heading of the chart.' },
        labels: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 100 },
        values: {
          type: 'array',
          items: { type: 'number' },
          minItems: 1,
          maxItems: 100,
          description: 'One a label.',
        },
      },
      required: ['title', 'labels', 'values'],
      additionalProperties: false,
    },
    async execute({ title, labels, values }) {
      if (labels.length !== values.length) {
        throw new Error(
          `${labels.length} labels but ${values.length} values: give one value a label`,
        )
      }
      await drawChart(title, labels, values)
      return `Drew "${title}" with ${values.length} bars.`
    },
  })
  registerClientTool<{ question: string }>({
    name: 'ask_form',
    description: "Asks the person to fill in the page's form and returns what they sent.",
    readOnly: true,
    interactive: true,
    dedupe: false,
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string', description: 'What to ask, one sentence.' } },
      required: ['question'],
      additionalProperties: false,
    },
    execute: ({ question }, { signal }) => askForm(question, signal),
  })
  return tools
}
