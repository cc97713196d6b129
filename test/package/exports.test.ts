/** Every subpath builds, and gives the names it is known by: a new or a lost one is a decision. */
import { describe, expect, it } from 'vitest'
import { bundle, subpaths } from '../support/subpaths.ts'

describe('what each subpath exports', () => {
  it('is this list', async () => {
    const names: Record<string, string[]> = {}
    for (const subpath of subpaths()) {
      const { metafile } = await bundle(subpath)
      const entry = Object.values(metafile.outputs).find((output) => output.entryPoint)
      names[subpath.name] = [...(entry?.exports ?? [])].sort()
    }
    expect(names).toMatchInlineSnapshot(`
      {
        ".": [
          "DispatchError",
          "clientCalls",
          "createClientTools",
          "createDispatcher",
          "defineTool",
          "isAnswer",
          "isDispatchError",
          "promptApprover",
        ],
        "./agent": [
          "agentTransport",
          "browserModel",
          "browserModelAvailability",
          "offlineModel",
          "repairToolCall",
          "runAgent",
          "saidBefore",
          "saidBy",
          "streamAgent",
          "toAISDKTools",
          "uiStream",
          "withinBounds",
          "withoutFiles",
        ],
        "./api": [
          "apiSource",
          "readApiDefinition",
          "workspaceApiDefinitions",
        ],
        "./builtin": [
          "askUserTool",
          "braveSearch",
          "calculateTool",
          "chatBotTools",
          "chatHistoryTool",
          "currentTimeTool",
          "discordBot",
          "downloadFileTool",
          "duckDuckGoSearch",
          "editFileTool",
          "errorHints",
          "errorHistoryTool",
          "fetchPageTool",
          "fileHistoryTool",
          "findFilesTool",
          "generateAudioTool",
          "generateImageTool",
          "htmlTemplateTool",
          "httpRequestTool",
          "readFilesTool",
          "readResultTool",
          "reasoningGuideTool",
          "searchWebTool",
          "searxngSearch",
          "slackBot",
          "starterSet",
          "taskLog",
          "tavilySearch",
          "telegramBot",
          "waitTool",
          "writeTodoTool",
        ],
        "./cache/indexeddb": [
          "indexedDBCacheStore",
        ],
        "./cache/kv": [
          "kvCacheStore",
          "kvLimits",
        ],
        "./cache/memory": [
          "memoryCacheStore",
        ],
        "./client": [
          "createClient",
          "requestProblem",
        ],
        "./extension": [
          "extensionSource",
          "extensionsTool",
          "installExtension",
          "integrityOf",
          "kvExtensions",
          "readExtension",
          "recordExtensions",
          "workspaceExtensions",
        ],
        "./history/durable-object": [
          "durableObjectHistory",
        ],
        "./history/indexeddb": [
          "indexedDBHistory",
        ],
        "./history/memory": [
          "memoryHistory",
        ],
        "./mcp": [
          "mcpSource",
        ],
        "./mcp-server": [
          "mcpHandler",
        ],
        "./net": [
          "guardedFetch",
        ],
        "./openapi": [
          "importOpenApi",
        ],
        "./providers": [
          "anthropic",
          "bedrock",
          "gemini",
          "geminiSchema",
          "openAIChat",
          "openAIResponses",
          "openAIStrictSchema",
          "readCalls",
          "readStream",
          "repairHistory",
          "toolsFor",
          "wireNames",
        ],
        "./script": [
          "quickJSSandbox",
          "readScript",
          "scriptSource",
          "scriptTool",
          "testToolTool",
          "workerLoaderSandbox",
          "workspaceScripts",
        ],
        "./shell": [
          "isReadOnlyCommand",
          "isReadOnlyScript",
          "runCommandTool",
        ],
        "./shell/no-zlib": [
          "constants",
          "gunzipSync",
          "gzipSync",
        ],
        "./store/durable-object": [
          "durableObjectRecords",
          "durableObjectRunStore",
        ],
        "./store/indexeddb": [
          "indexedDBRunStore",
        ],
        "./store/memory": [
          "memoryRunStore",
        ],
        "./subagents": [
          "subagentsTool",
        ],
        "./testing": [
          "cacheStoreContract",
          "extensionStoreContract",
          "historyContract",
          "recordStoreContract",
          "runStoreContract",
          "workspaceContract",
        ],
        "./webmcp": [
          "bridgeModelContext",
          "findModelContext",
          "offerTools",
        ],
        "./workspace/durable-object": [
          "durableObjectWorkspace",
        ],
        "./workspace/indexeddb": [
          "indexedDBWorkspace",
        ],
        "./workspace/memory": [
          "memoryWorkspace",
          "workspaceOver",
        ],
      }
    `)
  })
})
