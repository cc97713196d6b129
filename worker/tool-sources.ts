/**
 * Tools from outside: API definitions and scripts of the session's files, extensions, MCP servers.
 * @module
 */
import quickJS from 'quickjs-wasi/quickjs.wasm'
import { type ApiSecrets, apiSource, workspaceApiDefinitions } from '../src/api/index.ts'
import { DispatchError } from '../src/errors.ts'
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
  const secrets = secretsOf(env)
  const store = env.EXTENSIONS ? kvExtensions(env.EXTENSIONS) : extensions
  const ext = extensionSource({
    store,
    fetchFor: (onlyHosts) => guardedFetch({ allowHosts, onlyHosts }),
    sandbox,
    secrets,
  })
  return {
    sources: [
      apiSource({ definitions: workspaceApiDefinitions(workspace), fetch, secrets, workspace }),
      scriptSource({ sandbox, scripts: workspaceScripts(workspace), fetch }),
      ext,
      ...mcpSources(env, { fetch, store: toolLists }, secrets),
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

/** A secret goes to its own hosts and nowhere else, whoever wrote the definition that names it. */
function secretsOf(env: Env): ApiSecrets {
  const all = parsed<Record<string, { value: string; hosts: string[] }>>(env, 'TOOL_SECRETS', {})
  return (name, { host }) => {
    const own = Object.hasOwn(all, name) ? all[name] : undefined
    return own?.hosts.includes(host) ? own.value : undefined
  }
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
    servers = parsed<McpServer[]>(env, 'MCP_SERVERS', [])
    if (!Array.isArray(servers)) throw new Error('MCP_SERVERS must be a list')
  } catch (error) {
    return [brokenSource('mcp', errorText(error))]
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
      sources.push(brokenSource(`mcp:${at}`, errorText(error)))
    }
  }
  return sources
}

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

/** The text itself may be secret: no error shows it. */
function parsed<T>(env: Env, name: 'TOOL_SECRETS' | 'MCP_SERVERS', fallback: T): T {
  const text = env[name]
  if (text === undefined || text.trim() === '') return fallback
  try {
    return JSON.parse(text) as T
  } catch {
    throw new DispatchError('THREEPASS_BAD_OPTION', `${name} is no JSON.`)
  }
}
