/**
 * The dispatcher in this page: IndexedDB for cache and runs, page tools beside the built-in ones.
 * @module
 */
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url'
import { type FinishedTurn, offlineModel } from '../src/agent/index.ts'
import { subagentsTool } from '../src/agent/subagents.ts'
import { errorHints, starterSet, taskLog } from '../src/builtin/index.ts'
import { indexedDBHistory } from '../src/history/indexeddb.ts'
import {
  type AnyTool,
  type Approver,
  createDispatcher,
  type Dispatcher,
  type EventListener,
  type Json,
  type Mode,
  type Run,
} from '../src/index.ts'
import { guardedFetch } from '../src/net/guarded-fetch.ts'
import { indexedDBCacheStore } from '../src/result-cache/indexeddb.ts'
import { indexedDBRunStore } from '../src/run-state/indexeddb.ts'
import { memoryRecords } from '../src/run-state/records.ts'
import { quickJSSandbox, testToolTool, workspaceScripts } from '../src/script/index.ts'
import { runCommandTool } from '../src/shell/index.ts'
import { indexedDBWorkspace } from '../src/workspace/indexeddb.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import type { AskForm } from './ask-form.ts'
import { type PageSources, pageSources } from './page-sources.ts'

export interface LocalRuns {
  /** A run in this mode; its rounds share the dedupe map and the loaded set. */
  open(mode: Mode, onEvent: EventListener): Run
  dispatcher(mode: Mode): Dispatcher
  readonly sessionId: string
  /** Its tools from outside. */
  readonly outside: PageSources
  /** Notes what a turn of the chat came to, for chat_history. */
  readonly onFinish: (turn: FinishedTurn) => Promise<void>
}

const sessionKey = 'threepass-session'

export function localRuns(
  pageTools: () => readonly AnyTool[],
  approver: Approver,
  form: Pick<AskForm, 'ask'>,
): LocalRuns {
  const store = indexedDBRunStore()
  const cache = indexedDBCacheStore()
  const workspace = pageWorkspace()
  const history = indexedDBHistory()
  const fetch = guardedFetch({})
  const tasks = taskLog({ history, store })
  const shared = { store, cache, approver, hints: errorHints({ history }) }
  // They live as long as the page: nothing that a script could read lies in its storage.
  const secrets = memoryRecords<string>()
  const sandbox = quickJSSandbox({
    wasm: () => WebAssembly.compileStreaming(globalThis.fetch(wasmUrl)),
  })
  const session = sessionId()
  const outside = pageSources({ workspace, sandbox, secrets, sessionId: session })
  const builtin = starterSet({
    workspace,
    fetch,
    store,
    history,
    secrets,
    ask: {
      ask: async (args, { idempotencyKey, signal }) =>
        (await form.ask(args, idempotencyKey, signal)) as unknown as Json,
    },
  })
  const fixed = [
    ...builtin,
    runCommandTool({ workspace, fetch }),
    testToolTool({ sandbox, scripts: workspaceScripts(workspace) }),
    ...outside.tools,
  ]
  const models = { offline: offlineModel() }
  const dispatcher = (mode: Mode) => {
    const own = [...pageTools(), ...fixed]
    const withSources = { ...shared, sources: outside.sources() }
    const tools = [...own, subagentsTool({ models, tools: own, dispatcher: withSources })]
    return createDispatcher({ ...withSources, tools, mode, onEvent: tasks.onEvent })
  }
  return {
    dispatcher,
    open: (mode, onEvent) => dispatcher(mode).run({ sessionId: session, onEvent }),
    sessionId: session,
    outside,
    onFinish: ({ runId, objective, result }) =>
      tasks.note({ runId, sessionId: session, objective, answer: result.text }),
  }
}

/** One session a tab: its cache entries and allow rules survive a reload. */
function sessionId(): string {
  try {
    const kept = sessionStorage.getItem(sessionKey)
    if (kept) return kept
    const fresh = crypto.randomUUID()
    sessionStorage.setItem(sessionKey, fresh)
    return fresh
  } catch {
    return crypto.randomUUID()
  }
}

/** Files that survive a reload; a first one says what it is. */
function pageWorkspace(): Workspace {
  const workspace = indexedDBWorkspace()
  const welcome = async () => {
    const [change] = await workspace.history({ limit: 1 })
    if (!change)
      await workspace.write('/notes/welcome.md', '# Welcome\nThis note lives in the page.')
  }
  // Without IndexedDB (private modes) the file tools say so when they are called.
  void welcome().catch(() => {})
  return workspace
}
