/**
 * The Durable Object of one session: a dispatcher around its own storage.
 * @module
 */
import { DurableObject } from 'cloudflare:workers'
import type { SubagentRecord } from '../src/agent/subagents.ts'
import { errorHints, type Todo, taskLog } from '../src/builtin/index.ts'
import { type InstalledExtension, recordExtensions } from '../src/extension/index.ts'
import { durableObjectHistory } from '../src/history/durable-object.ts'
import {
  type Approver,
  type ClientCallRecord,
  type ClientCalls,
  clientCalls,
  createDispatcher,
  type PromptApprover,
  promptApprover,
  type QuestionRecord,
  type RunEvent,
} from '../src/index.ts'
import type { McpToolList } from '../src/mcp/index.ts'
import { kvCacheStore } from '../src/result-cache/kv.ts'
import { durableObjectRecords, durableObjectRunStore } from '../src/run-state/durable-object.ts'
import { durableObjectWorkspace } from '../src/workspace/durable-object.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Chat, createChat } from './chat.ts'
import { chatRecords } from './chat-records.ts'
import { chatRoutes } from './chat-routes.ts'
import { answerTimeoutMs, type Env, maxConcurrent } from './env.ts'
import { type LiveRounds, liveRounds } from './live-rounds.ts'
import { mcpRoutes } from './mcp-routes.ts'
import { modelFromEnv } from './models.ts'
import { newRunId } from './run-id.ts'
import { beginRun, runRoutes } from './run-routes.ts'
import { dropBody } from './security.ts'
import { sessionDispatchers } from './session-dispatchers.ts'
import { outside } from './tool-sources.ts'
import { workerTools } from './worker-tools.ts'

/** While a page is waited for or a turn goes on, the object looks again at least this often: leases and
 * deadlines pass, and a turn that a restart broke off goes on without a request. */
const watchMs = 30_000

export class SessionObject extends DurableObject<Env> {
  readonly #routes: ReturnType<typeof runRoutes>
  readonly #live: LiveRounds
  readonly #prompt: PromptApprover
  readonly #calls: ClientCalls
  readonly #chat: Chat
  readonly #mcp: (request: Request) => Promise<Response>
  readonly #revive: () => Promise<void>
  #revived: Promise<void> | undefined

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    const { storage } = state
    const store = durableObjectRunStore(storage)
    const waitUntil = (work: Promise<unknown>) => state.waitUntil(work)
    const onChange = () => {
      this.#live.changes.notify()
      waitUntil(this.#setAlarm())
    }
    this.#prompt = promptApprover({
      timeoutMs: answerTimeoutMs,
      store: durableObjectRecords<QuestionRecord>(storage, 'approval'),
      onChange,
    })
    this.#calls = clientCalls({
      store: durableObjectRecords<ClientCallRecord>(storage, 'client call'),
      onChange,
    })
    this.#live = liveRounds({
      kv: storage.kv,
      prompt: this.#prompt,
      calls: this.#calls,
      waitUntil,
    })
    const approver: Approver = (batch) =>
      this.#live.asks(batch.runId, batch.roundId) ? this.#prompt.approver(batch) : []
    const history = durableObjectHistory(storage)
    const tasks = taskLog({ history, store })
    const onEvent = (event: RunEvent) => {
      this.#live.hear(event)
      this.#chat.hear(event)
      tasks.onEvent(event)
    }
    const hints = errorHints({ history })
    const shared = { store, approver, hints, waitUntil, maxConcurrent: maxConcurrent(env) }
    const cache = kvCacheStore(env.RESULTS, { waitUntil })
    const workspace = sessionWorkspace(state, env)
    const { sources, tools: managing } = outside({
      env,
      workspace,
      extensions: recordExtensions(
        durableObjectRecords<readonly InstalledExtension[]>(storage, 'extension'),
      ),
      toolLists: durableObjectRecords<McpToolList>(storage, 'mcp tools'),
    })
    const tools = workerTools({
      env,
      store,
      workspace,
      managing,
      secrets: durableObjectRecords<string>(storage, 'secret'),
      history,
      todos: durableObjectRecords<readonly Todo[]>(storage, 'todo'),
      calls: this.#calls,
      model: {
        models: { default: () => modelFromEnv(env) },
        dispatcher: { ...shared, cache, sources },
        records: durableObjectRecords<SubagentRecord>(storage, 'subagent'),
      },
    })
    const dispatchers = sessionDispatchers({
      env,
      kv: storage.kv,
      store,
      tools,
      sources,
      approver,
      clientCalls: this.#calls,
      waitUntil,
      onEvent,
      hints,
      cache,
      liveRuns: () => [...this.#live.runIds(), this.#chat.turn()?.record.runId ?? []].flat(),
    })
    const parts = {
      store,
      prompt: this.#prompt,
      calls: this.#calls,
      live: this.#live,
      dispatchers,
      sources,
    }
    this.#chat = createChat({
      env,
      records: chatRecords(durableObjectRecords(storage, 'chat')),
      live: this.#live,
      dispatchers,
      async beginRun(chatId, setup) {
        const runId = newRunId(chatId)
        await beginRun(parts, runId, setup)
        return runId
      },
      waitUntil,
      onTurn: () => waitUntil(this.#setAlarm()),
      tasks,
    })
    this.#revive = async () => {
      // First the chat: its rounds are heard from their first event on.
      await this.#chat.revive().catch(console.error)
      await this.#live.revive(dispatchers.open)
    }
    this.#mcp = mcpRoutes(env, (approver) =>
      createDispatcher({ ...shared, cache, tools, sources, mode: 'full', approver, onEvent }),
    )
    this.#routes = runRoutes(parts).route('/', chatRoutes(this.#chat, parts))
  }

  override async fetch(request: Request): Promise<Response> {
    await this.#awake()
    const isMcp = new URL(request.url).pathname === '/mcp'
    const response = await (isMcp ? this.#mcp(request) : this.#routes.fetch(request))
    await dropBody(request)
    return response
  }

  /** Questions expire and leases pass on also when nobody calls. */
  override async alarm(): Promise<void> {
    await this.#awake()
    // What is over now is closed by timers of this object; rounds that it releases go on.
    await new Promise((resolve) => setTimeout(resolve, 0))
    await this.#live.quiet()
    await this.#setAlarm()
  }

  /** Once in this object's life: what a restart broke off is taken up again. */
  #awake(): Promise<void> {
    this.#revived ??= this.#revive()
    return this.#revived
  }

  async #setAlarm(): Promise<void> {
    const expiries = this.#prompt.pending().flatMap(({ expiresAt }) => expiresAt ?? [])
    if (this.#calls.pending().length > 0 || this.#chat.turn()) expiries.push(Date.now() + watchMs)
    if (expiries.length > 0) await this.ctx.storage.setAlarm(Math.min(...expiries))
  }
}

/** The session's files, large ones in R2 when it is bound; a first one says what it is. */
function sessionWorkspace({ storage, id }: DurableObjectState, { FILES }: Env): Workspace {
  const far = FILES ? { bucket: FILES, prefix: `${id}/` } : {}
  const workspace = durableObjectWorkspace(storage, far)
  const welcome = async () => {
    const [change] = await workspace.history({ limit: 1 })
    if (!change)
      await workspace.write('/notes/welcome.md', '# Welcome\nThis note lives in the session.')
  }
  void welcome().catch(console.error)
  return workspace
}
