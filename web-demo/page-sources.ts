/**
 * Tools from outside, in the page: API definitions and scripts of its files, extensions, MCP servers that a
 * person has named.
 * @module
 */
import { apiSource, workspaceApiDefinitions } from '../src/api/index.ts'
import type { SecretStore } from '../src/builtin/index.ts'
import { extensionSource, extensionsTool, workspaceExtensions } from '../src/extension/index.ts'
import type { AnyTool, ToolSource } from '../src/index.ts'
import { type McpSource, mcpSource } from '../src/mcp/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import { type ScriptSandbox, scriptSource, workspaceScripts } from '../src/script/index.ts'
import { indexedDBWorkspace } from '../src/workspace/indexeddb.ts'
import type { Workspace } from '../src/workspace/workspace.ts'

export interface McpServer {
  readonly name: string
  readonly url: string
}

export interface PageSources {
  readonly sources: () => readonly ToolSource[]
  /** What manages extensions. */
  readonly tools: readonly AnyTool[]
  readonly servers: () => readonly McpServer[]
  /** Throws what is wrong with the name or the address. */
  readonly addServer: (server: McpServer) => void
  readonly removeServer: (name: string) => void
}

export interface PageSourcesOptions {
  readonly workspace: Workspace
  readonly sandbox: ScriptSandbox
  readonly secrets: SecretStore
  readonly sessionId: string
}

const serversKey = 'threepass-mcp-servers'

export function pageSources(options: PageSourcesOptions): PageSources {
  const { workspace, sandbox, sessionId } = options
  const fetch = guardedFetch({})
  const secrets = (name: string) => options.secrets.load(`${sessionId}:${name}`)
  // Apart from the files that tools write: an extension comes in by consent alone.
  const store = workspaceExtensions(indexedDBWorkspace({ database: 'threepass-extensions' }))
  const fetchFor = (onlyHosts: readonly string[]) => guardedFetch({ onlyHosts })
  const ext = extensionSource({ store, fetchFor, sandbox, secrets })
  const api = apiSource({
    definitions: workspaceApiDefinitions(workspace),
    fetch,
    secrets,
    workspace,
  })
  const script = scriptSource({ sandbox, scripts: workspaceScripts(workspace), fetch })
  const mcp = new Map<string, { readonly server: McpServer; readonly source: McpSource }>()
  const open = (server: McpServer) => {
    const { host } = new URL(server.url)
    // The person has named this host, private or not; redirects to others are refused.
    const own = guardedFetch({ allowHosts: [host], onlyHosts: [host] })
    const source = mcpSource({ server: server.name, url: server.url, fetch: own })
    if ([...mcp.values()].some((each) => each.source.prefix === source.prefix)) {
      throw new Error(`There is a server named ${server.name} already.`)
    }
    mcp.set(server.name, { server, source })
  }
  const servers = () => [...mcp.values()].map(({ server }) => server)
  for (const server of kept()) {
    try {
      open(server)
    } catch {
      // One that was written by hand.
    }
  }
  return {
    sources: () => [api, script, ext, ...[...mcp.values()].map(({ source }) => source)],
    tools: [extensionsTool({ store, source: ext, fetch, workspace })],
    servers,
    addServer(server) {
      open(server)
      keep(servers())
    },
    removeServer(name) {
      void mcp.get(name)?.source.close()
      mcp.delete(name)
      keep(servers())
    },
  }
}

function kept(): McpServer[] {
  try {
    const list = JSON.parse(localStorage.getItem(serversKey) ?? '[]') as unknown
    return Array.isArray(list) ? (list as McpServer[]) : []
  } catch {
    return []
  }
}

function keep(servers: readonly McpServer[]): void {
  try {
    localStorage.setItem(serversKey, JSON.stringify(servers))
  } catch {
    // Private modes: they last as long as the page.
  }
}
