/**
 * The built-in tools, each made by a factory that is given what it may use.
 *
 * ```ts
 * const fetch = guardedFetch()
 * createDispatcher({ tools: [calculateTool(), fetchPageTool({ fetch }), httpRequestTool({ fetch })] })
 * ```
 * @module
 */
export {
  type AskUserArgs,
  type AskUserOptions,
  askUserTool,
  type UserQuestion,
  type UserReply,
} from './ask-user.ts'
export { calculateTool } from './calculate.ts'
export { type ChatBotOptions, chatBotTools } from './chat-bots/chat-bot-tools.ts'
export { discordBot } from './chat-bots/discord.ts'
export type { BotChat, BotIo, BotMessage, BotOptions, ChatPlatform } from './chat-bots/platform.ts'
export { slackBot } from './chat-bots/slack.ts'
export { telegramBot } from './chat-bots/telegram.ts'
export { type ChatHistoryOptions, chatHistoryTool } from './chat-history.ts'
export { currentTimeTool } from './current-time.ts'
export { type DownloadFileOptions, downloadFileTool } from './download-file.ts'
export { editFileTool } from './edit-file.ts'
export { type ErrorHistoryOptions, errorHints, errorHistoryTool } from './error-history.ts'
export { type FetchPageOptions, fetchPageTool } from './fetch-page.ts'
export { fileHistoryTool } from './file-history.ts'
export { findFilesTool } from './find-files.ts'
export { htmlTemplateTool } from './guides/html-template.ts'
export { reasoningGuideTool } from './guides/reasoning-guide.ts'
export { type HttpRequestOptions, httpRequestTool } from './http-request.ts'
export { type GenerateAudioOptions, generateAudioTool } from './media/generate-audio.ts'
export { type GenerateImageOptions, generateImageTool } from './media/generate-image.ts'
export { readFilesTool } from './read-files.ts'
export { readResultTool } from './read-result.ts'
export {
  braveSearch,
  duckDuckGoSearch,
  type KeyedOptions,
  type SearchHit,
  type SearchProvider,
  type SearchQuery,
  searxngSearch,
  type TimeRange,
  tavilySearch,
} from './search-providers.ts'
export { type SearchWebOptions, searchWebTool } from './search-web.ts'
export type { SecretStore } from './secrets.ts'
export { type StarterSetOptions, starterSet } from './starter-set.ts'
export {
  type TaskLog,
  type TaskLogOptions,
  type TaskNote,
  type TaskRecord,
  taskLog,
} from './task-log.ts'
export { waitTool } from './wait.ts'
export {
  type Todo,
  type WriteTodoOptions,
  type WriteTodoTool,
  writeTodoTool,
} from './write-todo.ts'
