import { expect, it } from 'vitest'
import { z } from 'zod'
import { createClientTools, createDispatcher } from '../../../src/index.ts'
import { callOf } from '../../support/gated-tool.ts'

it('a page tool is a plain tool here and a definition without code elsewhere', async () => {
  const page = createClientTools()
  const remove = page.registerClientTool({
    name: 'pick',
    description: 'Picks a colour.',
    inputSchema: z.object({ label: z.string() }),
    readOnly: true,
    timeout: 30_000,
    execute: ({ label }) => `picked ${label}`,
  })
  page.registerClientTool({ name: 'alert', description: 'Shows a text.', execute: () => 'shown' })
  expect(JSON.parse(JSON.stringify(page.definitions()))).toEqual([
    {
      name: 'alert',
      description: 'Shows a text.',
      inputSchema: { type: 'object', properties: {} },
    },
    {
      name: 'pick',
      description: 'Picks a colour.',
      inputSchema: expect.objectContaining({ properties: { label: { type: 'string' } } }),
      readOnly: true,
      timeout: 30_000,
    },
  ])
  const run = createDispatcher({ tools: page.tools() }).run()
  expect(run.tools.map((tool) => tool.name)).toEqual(['alert', 'find_tools', 'pick', 'run_tool'])
  const { results } = await run.dispatch([callOf('a', 'pick', { label: 'red' })])
  expect(results[0]).toMatchObject({ outcome: 'completed', content: 'picked red' })
  expect(() =>
    page.registerClientTool({ name: 'pick', description: '', execute: () => '' }),
  ).toThrowError(/already/)
  remove()
  page.registerClientTool({ name: 'pick', description: 'Another.', execute: () => '' })
  // The first one's removal, once more, does not take the new one away.
  remove()
  expect(page.definitions().map((each) => each.description)).toEqual(['Shows a text.', 'Another.'])
})

it('an outside definition is screened like any external schema', () => {
  const page = createClientTools()
  page.registerClientTool({
    name: 'slow',
    description: 'Has a pattern that could stall.',
    inputSchema: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
    execute: () => '',
  })
  const { diagnostics } = createDispatcher({ tools: page.tools() })
  expect(diagnostics).toMatchObject([{ tool: 'slow', code: 'repaired-schema' }])
})
