import { type AnyTool, createDispatcher, type ToolResult } from '../../../src/index.ts'

/** Runs one call through a dispatcher that asks nobody: schema, traits and rendering are the real ones. */
export async function call(tool: AnyTool, args: unknown): Promise<ToolResult> {
  const run = createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow' }).run()
  const { results } = await run.dispatch([{ id: 'c', name: tool.name, arguments: args }])
  const [result] = results
  if (!result) throw new Error('no result')
  return result
}
