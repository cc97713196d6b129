/**
 * The starter set of the Worker: real tools, enough to show every pass.
 * @module
 */
import { starterSet } from '../src/builtin/index.ts'
import type { AnyTool, RunStore } from '../src/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import { memoryWorkspace } from '../src/workspace/memory.ts'
import { type Env, listed } from './env.ts'

/** Tools of one session: its workspace is its own and lives as long as the object does. */
export function workerTools(env: Env, store: RunStore): AnyTool[] {
  const workspace = memoryWorkspace()
  void workspace.write('/notes/welcome.md', '# Welcome\nThis note lives in the session.')
  const fetch = guardedFetch({ allowHosts: listed(env.ALLOWED_HOSTS) })
  return starterSet({ workspace, fetch, store })
}
