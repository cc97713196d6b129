/**
 * The starter set of the Worker: real tools, enough to show every pass.
 * @module
 */
import {
  braveSearch,
  duckDuckGoSearch,
  type SearchProvider,
  searxngSearch,
  starterSet,
  tavilySearch,
} from '../src/builtin/index.ts'
import type { AnyTool, RunStore } from '../src/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Env, listed } from './env.ts'

/** Tools of one session over its workspace. */
export function workerTools(env: Env, store: RunStore, workspace: Workspace): AnyTool[] {
  const fetch = guardedFetch({ allowHosts: listed(env.ALLOWED_HOSTS) })
  return starterSet({ workspace, fetch, store, search: searchProviders(env) })
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
