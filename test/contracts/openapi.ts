/** threepass/api and threepass/openapi, in any runtime, against the real Worker by its own document. Web APIs only. */
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { apiSource, workspaceApiDefinitions } from '../../src/api/index.ts'
import { createDispatcher, type JsonObject } from '../../src/index.ts'
import { guardedFetch } from '../../src/net/guarded-fetch.ts'
import { importOpenApi } from '../../src/openapi/index.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { openApiDocument } from '../../worker/openapi.ts'

export function openApiContract(runtime: string, api: () => string): void {
  const options = () => ({
    fetch: guardedFetch({ allowHosts: [new URL(api()).host] }),
    secrets: (name: string) => (name === 'TOKEN' ? 'the-api-token' : undefined),
  })

  async function caller(document: unknown) {
    const { definitions, problems } = await importOpenApi(document, {
      secrets: { bearer: 'TOKEN' },
    })
    expect(problems).toEqual([])
    const workspace = memoryWorkspace()
    for (const definition of definitions) {
      await workspace.write(`/tools/${definition.name}/api.json`, JSON.stringify(definition))
    }
    const source = apiSource({ definitions: workspaceApiDefinitions(workspace), ...options() })
    await source.load?.()
    expect(source.health().problems).toEqual([])
    const { dispatch } = createDispatcher({
      tools: [],
      sources: [source],
      mode: 'full',
      unattended: 'allow',
    }).run()
    return async (name: string, args: JsonObject = {}) => {
      const { results } = await dispatch([{ id: crypto.randomUUID(), name, arguments: args }])
      return results[0]
    }
  }

  describe(`API tools in ${runtime}`, () => {
    it('call the Worker as its document says', async () => {
      const call = await caller(stringify(openApiDocument(api())))
      const created = await call('api_create_run', {})
      expect(created?.content).toContain('runId')
      const { runId: run } = Object(created?.value) as { runId: string }
      const calls = [{ id: '1', name: 'log', arguments: {} }]
      const round = await call('api_dispatch_round', { run, calls })
      expect(round?.value).toMatchObject({ results: [{ outcome: 'completed', content: 'logged' }] })
      const wrong = await call('api_dispatch_round', { run, calls: 'none' })
      expect(wrong?.outcome).toBe('invalid')
      const gone = await call('api_read_run', { run: `${run}/../x` })
      expect(gone?.outcome).toBe('failed')
      expect(gone?.content).toContain('HTTP 404')
    })
  })
}
