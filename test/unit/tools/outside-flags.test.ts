/** What runs beside other calls, of the tools from outside. */
import { afterAll, expect, it } from 'vitest'
import { apiSource } from '../../../src/api/index.ts'
import { extensionSource, integrityOf, recordExtensions } from '../../../src/extension/index.ts'
import { createDispatcher } from '../../../src/index.ts'
import { mcpSource } from '../../../src/mcp/index.ts'
import { mcpHandler } from '../../../src/mcp-server/index.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import { quickJSSandbox, scriptSource, workspaceScripts } from '../../../src/script/index.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { serveFetch } from '../../support/mcp-serve.ts'
import { quickJSWasm } from '../../support/quickjs-wasm.ts'

const endings: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(endings.map((end) => end())))

it('api_, script_ and ext_ tools only where they declare it; MCP tools never, but for those of a server whose hints are trusted [spec.outside-tools]', async () => {
  const sandbox = quickJSSandbox({ wasm: quickJSWasm })
  const api = (name: string, concurrent?: boolean) => ({
    name,
    description: `Gets ${name}.`,
    endpoint: { url: `https://api.example.com/${name}`, method: 'GET' },
    ...(concurrent !== undefined && { concurrent }),
  })
  const code = 'export default () => 1'
  const script = (name: string, concurrent?: boolean) => ({
    name,
    description: `Does ${name}.`,
    ...(concurrent !== undefined && { concurrent }),
  })
  const kinds = [
    ['plain', undefined],
    ['declared', true],
    ['refused', false],
  ] as const
  const workspace = memoryWorkspace()
  for (const [name, concurrent] of kinds) {
    await workspace.write(`/tools/${name}/tool.json`, JSON.stringify(script(name, concurrent)))
    await workspace.write(`/tools/${name}/script.js`, code)
  }
  const store = recordExtensions(memoryRecords())
  const text = JSON.stringify({
    name: 'e',
    version: '1.0.0',
    description: 'An extension.',
    capabilities: { hosts: ['api.example.com'] },
    apis: kinds.map(([name, concurrent]) => api(`api_${name}`, concurrent)),
    scripts: kinds.map(([name, concurrent]) => ({ ...script(name, concurrent), code })),
  })
  const integrity = await integrityOf(text)
  await store.put({ name: 'e', text, integrity, from: '', installedAt: 0 })

  // A server whose tools all say that they only read.
  const looks = { name: 'look', description: 'Looks.', readOnly: true, concurrent: true }
  const handler = mcpHandler({
    dispatcher: createDispatcher({ tools: [{ ...looks, execute: () => 1 }], mode: 'full' }),
  })
  const http = await serveFetch(handler)
  endings.push(handler.close, http.stop)
  const server = { url: `${http.url}/mcp`, fetch }
  const sources = [
    apiSource({ definitions: kinds.map(([name, concurrent]) => api(name, concurrent)), fetch }),
    scriptSource({ sandbox, scripts: workspaceScripts(workspace) }),
    extensionSource({ store, sandbox, fetchFor: () => fetch }),
    mcpSource({ ...server, server: 'plain' }),
    mcpSource({ ...server, server: 'trusted', trustHints: true }),
  ]
  await Promise.all(sources.map(({ load }) => load?.()))
  const { catalogue } = createDispatcher({ tools: [], sources })
  const tagged = (flag: boolean) =>
    catalogue
      .filter(({ concurrent, source }) => source && concurrent === flag)
      .map(({ name }) => name)
  expect(tagged(true)).toEqual([
    'api_declared',
    'ext_e_api_declared',
    'ext_e_declared',
    'mcp__trusted__look',
    'script_declared',
  ])
  expect(tagged(false)).toEqual([
    'api_plain',
    'api_refused',
    'ext_e_api_plain',
    'ext_e_api_refused',
    'ext_e_plain',
    'ext_e_refused',
    'mcp__plain__look',
    'script_plain',
    'script_refused',
  ])
})
