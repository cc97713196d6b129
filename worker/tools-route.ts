/**
 * GET /v1/tools: the registered tools, or those that a search finds.
 * @module
 */
import type { Context } from 'hono'
import { memoryHistory } from '../src/history/memory.ts'
import { clientCalls, createDispatcher, type Dispatcher } from '../src/index.ts'
import { memoryRunStore } from '../src/run-state/memory.ts'
import { memoryRecords } from '../src/run-state/records.ts'
import { memoryWorkspace } from '../src/workspace/memory.ts'
import type { Env } from './env.ts'
import { modelFromEnv } from './models.ts'
import { workerTools } from './worker-tools.ts'

let catalogue: Dispatcher | undefined

export async function toolsRoute({ req, env }: Context<{ Bindings: Env }>): Promise<Response> {
  // Only looked at, never run: it needs no storage of its own.
  catalogue ??= createDispatcher({
    tools: workerTools({
      env,
      store: memoryRunStore(),
      workspace: memoryWorkspace(),
      secrets: memoryRecords(),
      history: memoryHistory(),
      todos: memoryRecords(),
      model: { models: { default: () => modelFromEnv(env) } },
      calls: clientCalls(),
    }),
    cache: false,
  })
  const all = catalogue.catalogue
  const query = req.query('query')?.trim()
  if (!query) return Response.json({ tools: all, total: all.length })
  const names = await catalogue.search(query.slice(0, 500))
  const byName = new Map(all.map((tool) => [tool.name, tool]))
  const tools = names.flatMap((name) => byName.get(name) ?? [])
  return Response.json({ tools, total: tools.length })
}
