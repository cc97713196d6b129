/**
 * Tools from outside: API definitions and scripts of the session's files, extensions, MCP servers.
 * @module
 */
import quickJS from 'quickjs-wasi/quickjs.wasm'
import { type ApiSecrets, apiSource, workspaceApiDefinitions } from '../src/api/index.ts'
import { errorText } from '../src/execute/render-result.ts'
import {
  type ExtensionStore,
  extensionSource,
  extensionsTool,
  kvExtensions,
} from '../src/extension/index.ts'
import type { AnyTool, RecordStore, ToolSource } from '../src/index.ts'
import { type McpSourceOptions, type McpToolList, mcpSource } from '../src/mcp/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import {
  quickJSSandbox,
  type ScriptSandbox,
  scriptSource,
  workerLoaderSandbox,
  workspaceScripts,
} from '../src/script/index.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Env, listed } from './env.ts'
import { readToolSecrets } from './tool-secrets.ts'

export interface SourceParts {
  readonly env: Env
  readonly workspace: Workspace
  /** The session's own extensions, unless `EXTENSIONS` is bound. */
  readonly extensions: ExtensionStore
  /** The last tool lists of MCP servers. */
  readonly toolLists: RecordStore<McpToolList>
}

export interface Outside {
  readonly sources: readonly ToolSource[]
  /** What manages them. */
  readonly tools: readonly AnyTool[]
}

export function outside({ env, workspace, extensions, toolLists }: SourceParts): Outside {
  const allowHosts = listed(env.ALLOWED_HOSTS)
  const fetch = guardedFetch({ allowHosts })
  const sandbox = scriptSandbox(env)
  const { secrets, problem } = readToolSecrets(env.TOOL_SECRETS)
  const store = env.EXTENSIONS ? kvExtensions(env.EXTENSIONS) : extensions
  const ext = extensionSource({
    store,
    fetchFor: (onlyHosts) => guardedFetch({ allowHosts, onlyHosts }),
    sandbox,
    secrets,
    workspace,
  })
  return {
    sources: [
      apiSource({ definitions: workspaceApiDefinitions(workspace), fetch, secrets, workspace }),
      scriptSource({ sandbox, scripts: workspaceScripts(workspace), fetch }),
      ext,
      ...mcpSources(env, { fetch, store: toolLists }, secrets),
      ...(problem === undefined ? [] : [brokenSource('TOOL_SECRETS', problem)]),
    ],
    tools: [extensionsTool({ store, source: ext, fetch, workspace })],
  }
}

/** V8 in Workers of their own where the loader is bound, QuickJS otherwise. */
export function scriptSandbox({ LOADER: loader }: Env): ScriptSandbox {
  return loader
    ? workerLoaderSandbox({ loader, compatibilityDate: '2026-04-26' })
    : quickJSSandbox({ wasm: () => quickJS })
}

interface McpServer {
  readonly server: string
  readonly url: string
  /** The name of its bearer token in `TOOL_SECRETS`. */
  readonly secret?: string
  readonly trustHints?: boolean
}

/** A server that is configured wrongly is a source that says so. */
function mcpSources(
  env: Env,
  shared: Pick<McpSourceOptions, 'fetch' | 'store'>,
  secrets: ApiSecrets,
): ToolSource[] {
  let servers: readonly McpServer[]
  try {
    servers = serversIn(env.MCP_SERVERS)
  } catch (error) {
    return [brokenSource('MCP_SERVERS', errorText(error))]
  }
  const sources: ToolSource[] = []
  for (const [at, given] of servers.entries()) {
    const { secret, ...server } = Object(given) as McpServer
    try {
      const auth = secret === undefined ? {} : { auth: () => bearer(secret, server.url, secrets) }
      // Six connections at once are all that a Worker has.
      const source = mcpSource({ ...server, ...shared, ...auth, listen: false })
      if (sources.some(({ prefix }) => prefix === source.prefix)) {
        throw new Error(`another server has the prefix ${source.prefix}`)
      }
      sources.push(source)
    } catch (error) {
      sources.push(brokenSource(`MCP_SERVERS/${at}`, errorText(error)))
    }
  }
  return sources
}

/** Named by its variable: no source that works is. */
function brokenSource(name: string, message: string): ToolSource {
  const health = { status: 'failed' as const, message, problems: [] }
  // A prefix that no tool has.
  return { name, prefix: `${name} `, tools: () => none, health: () => health }
}

const none: readonly AnyTool[] = []

async function bearer(secret: string, url: string, secrets: ApiSecrets): Promise<string> {
  const value = await secrets(secret, { tool: 'mcp', host: new URL(url).host })
  if (value === undefined) throw new Error(`TOOL_SECRETS has no ${secret} for ${new URL(url).host}`)
  return value
}

function serversIn(text = ''): readonly McpServer[] {
  if (text.trim() === '') return []
  let servers: unknown
  try {
    servers = JSON.parse(text)
  } catch {
    // Somebody may have written a secret into it: no error shows it.
  }
  if (!Array.isArray(servers)) throw new Error('MCP_SERVERS must be a JSON list')
  return servers
}
