/**
 * The tools of a dispatcher, or those that a search finds, with where they come from and how that is.
 * @module
 */
import type { Dispatcher } from '../src/index.ts'

const longestQuery = 500

export async function toolsOf(dispatcher: Dispatcher, query = ''): Promise<Response> {
  const { catalogue, sources, diagnostics } = dispatcher
  const wanted = query.trim().slice(0, longestQuery)
  if (wanted === '') {
    return Response.json({ tools: catalogue, total: catalogue.length, sources, diagnostics })
  }
  const names = await dispatcher.search(wanted)
  const byName = new Map(catalogue.map((tool) => [tool.name, tool]))
  const tools = names.flatMap((name) => byName.get(name) ?? [])
  return Response.json({ tools, total: tools.length, sources, diagnostics })
}
