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
import { chatBotTools } from './chat-bots/chat-bot-tools.ts'
import type { ChatPlatform } from './chat-bots/platform.ts'
import { chatHistoryTool } from './chat-history.ts'
import { currentTimeTool } from './current-time.ts'
import { downloadFileTool } from './download-file.ts'
import { editFileTool } from './edit-file.ts'
import { errorHistoryTool } from './error-history.ts'
import { fetchPageTool } from './fetch-page.ts'
import { fileHistoryTool } from './file-history.ts'
import { findFilesTool } from './find-files.ts'
import { htmlTemplateTool } from './guides/html-template.ts'
import { reasoningGuideTool } from './guides/reasoning-guide.ts'
import { httpRequestTool } from './http-request.ts'
import { type GenerateAudioOptions, generateAudioTool } from './media/generate-audio.ts'
import { type GenerateImageOptions, generateImageTool } from './media/generate-image.ts'
import { readFilesTool } from './read-files.ts'
import { readResultTool } from './read-result.ts'
import type { SearchProvider } from './search-providers.ts'
import { searchWebTool } from './search-web.ts'
import type { SecretStore } from './secrets.ts'
import { waitTool } from './wait.ts'
import { type WriteTodoOptions, writeTodoTool } from './write-todo.ts'

export interface StarterSetOptions {
  readonly workspace: Workspace
  /** A guarded fetch: whatever a model asks for goes through it. */
  readonly fetch: typeof fetch
  /** The dispatcher's own store, so that cut results can be read on. */
  readonly store: RunStore
  /** Services of search_web; default: none, and no such tool. */
  readonly search?: readonly SearchProvider[]
  /** Bots of list_chatbot and send_to_chatbot; default: none, and no such tools. */
  readonly bots?: readonly ChatPlatform[]
  /** Models of generate_image and generate_audio; default: none, and no such tools. */
  readonly imageModel?: GenerateImageOptions['model']
  readonly speechModel?: GenerateAudioOptions['model']
  /** How people are asked; default: nobody is, and there is no ask_user. */
  readonly ask?: Omit<AskUserOptions, 'secrets'>
  /** What happened in the session; default: nothing is kept, and there is no chat_history or error_history. */
  readonly history?: HistoryStore
  /** Where the checklists are; default: in memory. */
  readonly todos?: WriteTodoOptions['records']
  /** Where secret answers go, and where http_request has them from. */
  readonly secrets?: SecretStore
}

/** The tools that the options allow. */
export function starterSet({
  workspace,
  fetch,
  store,
  search,
  bots,
  imageModel,
  speechModel,
  ask,
  history,
  todos,
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
    fetchPageTool({ fetch, workspace }),
    fileHistoryTool({ workspace }),
    findFilesTool({ workspace }),
    ...(speechModel ? [generateAudioTool({ model: speechModel, workspace })] : []),
    ...(imageModel ? [generateImageTool({ model: imageModel, workspace })] : []),
    htmlTemplateTool(),
    httpRequestTool({ fetch, workspace, ...kept }),
    ...(bots ? chatBotTools({ platforms: bots, fetch }) : []),
    readFilesTool({ workspace }),
    readResultTool({ store }),
    reasoningGuideTool(),
    ...(search ? [searchWebTool({ fetch, providers: search })] : []),
    waitTool(),
    writeTodoTool(todos ? { records: todos } : {}),
  ]
}
