/**
 * The starter set of the Worker: real tools, enough to show every pass.
 * @module
 */
import { starterSet } from '../src/builtin/index.ts'
import type { AnyTool, RunStore } from '../src/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Env, listed } from './env.ts'

/** Tools of one session over its workspace. */
export function workerTools(env: Env, store: RunStore, workspace: Workspace): AnyTool[] {
  const fetch = guardedFetch({ allowHosts: listed(env.ALLOWED_HOSTS) })
  return starterSet({ workspace, fetch, store })
}
