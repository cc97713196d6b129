/**
 * The tools that the Worker and the page of this project start with: enough to show every pass.
 * @module
 */
import type { HistoryStore } from '../history/history.ts'
import type { RunStore } from '../run-state/store.ts'
import type { AnyTool } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type AskUserOptions, askUserTool } from './ask-user.ts'
import { calculateTool } from './calculate.ts'
import { chatHistoryTool } from './chat-history.ts'
import { currentTimeTool } from './current-time.ts'
import { downloadFileTool } from './download-file.ts'
import { editFileTool } from './edit-file.ts'
import { errorHistoryTool } from './error-history.ts'
import { fetchPageTool } from './fetch-page.ts'
import { fileHistoryTool } from './file-history.ts'
import { findFilesTool } from './find-files.ts'
import { httpRequestTool } from './http-request.ts'
import { readFilesTool } from './read-files.ts'
import { readResultTool } from './read-result.ts'
import type { SearchProvider } from './search-providers.ts'
import { searchWebTool } from './search-web.ts'
import type { SecretStore } from './secrets.ts'
import { waitTool } from './wait.ts'
import { writeTodoTool } from './write-todo.ts'

export interface StarterSetOptions {
  readonly workspace: Workspace
  /** A guarded fetch: whatever a model asks for goes through it. */
  readonly fetch: typeof fetch
  /** The dispatcher's own store, so that cut results can be read on. */
  readonly store: RunStore
  /** Services of search_web; default: none, and no such tool. */
  readonly search?: readonly SearchProvider[]
  /** How people are asked; default: nobody is, and there is no ask_user. */
  readonly ask?: Omit<AskUserOptions, 'secrets'>
  /** What happened in the session; default: nothing is kept, and there is no chat_history or error_history. */
  readonly history?: HistoryStore
  /** Where secret answers go, and where http_request has them from. */
  readonly secrets?: SecretStore
}

/** The tools that the options allow, in name order. */
export function starterSet({
  workspace,
  fetch,
  store,
  search,
  ask,
  history,
  secrets,
}: StarterSetOptions): AnyTool[] {
  const kept = secrets && { secrets }
  return [
    ...(ask ? [askUserTool({ ...ask, ...kept })] : []),
    calculateTool(),
    ...(history ? [chatHistoryTool({ history, store })] : []),
    currentTimeTool(),
    downloadFileTool({ workspace, fetch }),
    editFileTool({ workspace }),
    ...(history ? [errorHistoryTool({ history })] : []),
    fetchPageTool({ fetch }),
    fileHistoryTool({ workspace }),
    findFilesTool({ workspace }),
    httpRequestTool({ fetch, workspace, ...kept }),
    readFilesTool({ workspace }),
    readResultTool({ store }),
    ...(search ? [searchWebTool({ fetch, providers: search })] : []),
    waitTool(),
    writeTodoTool(),
  ]
}
