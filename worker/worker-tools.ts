/**
 * The starter set of the Worker: real tools, enough to show every pass.
 * @module
 */
import { type SubagentsOptions, subagentsTool } from '../src/agent/subagents.ts'
import {
  braveSearch,
  duckDuckGoSearch,
  type SearchProvider,
  type SecretStore,
  searxngSearch,
  starterSet,
  type Todo,
  tavilySearch,
} from '../src/builtin/index.ts'
import type { HistoryStore } from '../src/history/history.ts'
import type { AnyTool, ClientCalls, JsonObject, RunStore } from '../src/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import type { RecordStore } from '../src/run-state/records.ts'
import { testToolTool, workspaceScripts } from '../src/script/index.ts'
import { runCommandTool } from '../src/shell/index.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { botsOf } from './bots.ts'
import { answerTimeoutMs, type Env, listed } from './env.ts'
import { mediaModels } from './models.ts'
import { scriptSandbox } from './tool-sources.ts'

/** What the tools of one session work on. */
export interface ToolParts {
  readonly env: Env
  readonly store: RunStore
  readonly workspace: Workspace
  readonly secrets: SecretStore
  readonly history: HistoryStore
  readonly todos: RecordStore<readonly Todo[]>
  readonly calls: ClientCalls
  /** What manages the tools from outside. */
  readonly managing: readonly AnyTool[]
  /** What subagents work with; default: there are none. */
  readonly model?: Omit<SubagentsOptions, 'tools'>
}

export function workerTools(parts: ToolParts): AnyTool[] {
  const { env, store, workspace, secrets, history, todos, calls, managing, model } = parts
  const fetch = guardedFetch({ allowHosts: listed(env.ALLOWED_HOSTS) })
  const tools = starterSet({
    workspace,
    fetch,
    store,
    search: searchProviders(env),
    ...botsOf(env),
    ...mediaModels(env),
    secrets,
    history,
    todos,
    ask: {
      ask: (args, context) =>
        calls.ask({ name: 'ask_user', readOnly: true }, args as unknown as JsonObject, context),
      timeoutMs: answerTimeoutMs,
      remote: true,
    },
  })
  const all = [
    ...tools,
    runCommandTool({ workspace, fetch }),
    testToolTool({
      sandbox: scriptSandbox(env),
      scripts: workspaceScripts(workspace),
    }),
  ]
  return [...all, ...managing, ...(model ? [subagentsTool({ ...model, tools: all })] : [])]
}

/** What is configured; without anything the one that needs no key. */
function searchProviders(env: Env): SearchProvider[] {
  const { SEARCH_BRAVE_KEY: brave, SEARCH_TAVILY_KEY: tavily, SEARXNG_URL: searxng } = env
  const configured = [
    ...(brave ? [braveSearch({ key: brave })] : []),
    ...(tavily ? [tavilySearch({ key: tavily })] : []),
    ...(searxng ? [searxngSearch({ url: searxng })] : []),
  ]
  return configured.length > 0 ? configured : [duckDuckGoSearch()]
}
