/**
 * subagents: a task for a helper with a loop, a run and a conversation of its own.
 * @module
 */
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { createDispatcher, type Dispatcher } from '../dispatcher.ts'
import type { DispatcherOptions } from '../dispatcher-options.ts'
import { DispatchError } from '../errors.ts'
import { type Made, made } from '../made.ts'
import { positiveInteger } from '../option.ts'
import type { JsonObject } from '../round.ts'
import { memoryRecords, type RecordStore } from '../run-state/records.ts'
import { filteredSource } from '../tools/source.ts'
import type { AnyTool, Tool, ToolContext } from '../tools/tool.ts'
import type { AgentEvent, AgentMessage, AgentResult } from './agent-event.ts'
import type { AgentCheckpoint } from './checkpoint.ts'
import type { AgentRun, ModelSettings } from './options.ts'
import { runAgent } from './run-agent.ts'
import { type SubagentArgs, subagentsSchema } from './subagents-schema.ts'

export interface SubagentRole {
  /** One line, which the model chooses by. */
  readonly description: string
  /** What a subagent of this role is told first. */
  readonly system: string
}

/** What is kept of a subagent, as plain JSON. */
export interface SubagentRecord {
  /** Its run, and its name for `session_id`. */
  readonly runId: string
  /** The session it belongs to: no other goes on with it. */
  readonly sessionId: string
  readonly checkpoint?: AgentCheckpoint
  /** When it has ended: its conversation, to go on with. */
  readonly messages?: readonly AgentMessage[]
}

export interface SubagentsOptions {
  /** By the name that the model chooses one with; the first is the default. A function is called when it is needed. */
  readonly models: { readonly [name: string]: Made<LanguageModelV3> }
  /** What a subagent may call. `subagents`, interactive tools and the page's own are left out. */
  readonly tools: Made<readonly AnyTool[]>
  /** The rest of its dispatcher: give store, cache and approver of the one around. */
  readonly dispatcher?: Omit<DispatcherOptions, 'tools'>
  /** Default: one, `general`. */
  readonly roles?: { readonly [name: string]: SubagentRole }
  /** Model calls of one subagent; default 12. */
  readonly maxSteps?: number
  /** Tokens in and out of one subagent, after which it is stopped; default 200,000. */
  readonly maxTokens?: number
  /** Subagents of one run; default 16. */
  readonly maxPerRun?: number
  /**
   * Keeps where each subagent is. A durable one makes the tool safe to run again after a crash: it goes on
   * where it was. Default: in memory, and a crash leaves the call `interrupted`.
   */
  readonly records?: RecordStore<SubagentRecord>
  /** What the model's wish for more or less thought means; without it there is no such parameter. */
  readonly reasoning?: { readonly [level: string]: ModelSettings }
}

/** A subagent is not forgotten before that. */
const keepMs = 7 * 24 * 3_600_000
const timeoutMs = 1_800_000
const mostRuns = 1_000
const mostDispatchers = 8

const general: SubagentRole = {
  description: 'Works a task out with all tools at hand and reports what it found.',
  system:
    'You are a subagent: another agent gave you one task. Do it with the tools at hand, do not ask back, and answer with the result alone: what you found or did, where, and what remains open.',
}

/**
 * Makes subagents. Each works in a run of its own and in the session of the call: same files, same allow
 * rules, questions to people in the name of the round around it. Its rounds share the places of that
 * round, so more than `maxConcurrent` calls never run in all. It cannot call subagents.
 * Throws `THREEPASS_BAD_OPTION` without a model or with a bound that is none.
 */
export function subagentsTool(options: SubagentsOptions): Tool<SubagentArgs> {
  const own = checked(options)
  const dispatcherFor = dispatchers(options)
  const started = counter()
  return {
    name: 'subagents',
    description:
      'Gives a task to a subagent, which works on it in its own conversation with the same tools and files and answers with its result. It knows nothing of this conversation: put all it needs into the task. Several at once work side by side. mode list: the kinds of subagents.',
    inputSchema: subagentsSchema(
      Object.keys(options.models),
      Object.keys(own.roles),
      Object.keys(options.reasoning ?? {}),
    ),
    concurrent: true,
    confirm: false,
    dedupe: false,
    timeout: timeoutMs,
    idempotent: options.records !== undefined,
    async execute(args, context) {
      const { mode = args.task === undefined ? 'list' : 'invoke' } = args
      if (mode === 'list') return listed(own.roles)
      if (args.task === undefined) throw new Error('mode invoke needs a task')
      if (started.next(context) > own.maxPerRun) {
        throw new Error(`no more than ${own.maxPerRun} subagents a run: do the rest yourself`)
      }
      return invoke(args, args.task, context, { options, ...own, dispatcherFor })
    },
  }
}

function checked(options: SubagentsOptions) {
  if (Object.keys(options.models).length === 0) {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      'subagentsTool needs a model: models: { default: openai("gpt-5") }.',
    )
  }
  return {
    roles: options.roles ?? { general },
    maxSteps: positiveInteger('maxSteps', options.maxSteps ?? 12),
    maxTokens: positiveInteger('maxTokens', options.maxTokens ?? 200_000),
    maxPerRun: positiveInteger('maxPerRun', options.maxPerRun ?? 16),
    records: options.records ?? memoryRecords<SubagentRecord>(),
  }
}

interface Parts extends ReturnType<typeof checked> {
  readonly options: SubagentsOptions
  readonly dispatcherFor: (excluded: readonly string[]) => Promise<Dispatcher>
}

function listed(roles: NonNullable<SubagentsOptions['roles']>): string {
  return Object.entries(roles)
    .map(([name, { description }]) => `- ${name} — ${description}`)
    .join('\n')
}

async function invoke(
  args: SubagentArgs,
  task: string,
  context: ToolContext,
  { options, roles, records, maxSteps, maxTokens, dispatcherFor }: Parts,
): Promise<JsonObject> {
  const { idempotencyKey: key, sessionId, signal } = context
  const role = roles[args.name ?? Object.keys(roles)[0] ?? ''] ?? general
  const modelName = args.model ?? Object.keys(options.models)[0] ?? ''
  const dispatcher = await dispatcherFor(args.exclude_tools ?? [])
  const earlier = await earlierMessages(args.session_id, sessionId, records)
  const fresh: SubagentRecord = { runId: args.session_id ?? crypto.randomUUID(), sessionId }
  const record = (await records.load(key)) ?? fresh
  const save = (at: string, value: SubagentRecord) => {
    const now = Date.now()
    return records.save(at, value, { now, forgetAt: now + keepMs })
  }
  await save(key, record)
  const run = dispatcher.run({ runId: record.runId, sessionId })
  const inside: AgentRun = {
    ...run,
    dispatch: (calls, given) => run.dispatch(calls, { ...given, within: context }),
  }
  const budget = new AbortController()
  const result = await runAgent({
    model: await made(options.models[modelName] as Made<LanguageModelV3>),
    run: inside,
    system: args.system_prompt ?? role.system,
    messages: earlier,
    prompt: task,
    maxSteps,
    settings: options.reasoning?.[args.reasoning ?? ''] ?? {},
    signal: AbortSignal.any([signal, budget.signal]),
    ...(record.checkpoint && { checkpoint: record.checkpoint }),
    onCheckpoint: (checkpoint) => save(key, { ...record, checkpoint }),
    onEvent(event) {
      report(event, context)
      if (event.type === 'step_end' && total(event.usage) > maxTokens) budget.abort()
    },
  })
  signal.throwIfAborted()
  const { checkpoint: _checkpoint, ...known } = record
  await save(`session:${record.runId}`, { ...known, messages: result.messages })
  return answer(result, modelName, record.runId, budget.signal.aborted ? maxTokens : undefined)
}

async function earlierMessages(
  id: string | undefined,
  sessionId: string,
  records: RecordStore<SubagentRecord>,
): Promise<readonly AgentMessage[]> {
  if (id === undefined) return []
  const record = await records.load(`session:${id}`)
  if (record?.messages && record.sessionId === sessionId) return record.messages
  throw new Error(`there is no subagent with the session ${id}: leave session_id out`)
}

/** What a person who waits sees of it. */
function report(event: AgentEvent, { progress, text }: ToolContext): void {
  if (event.type === 'step_start') progress({ step: event.step })
  else if (event.type === 'text_delta') text(event.text)
  else if (event.type === 'round') {
    progress({
      calls: event.round.results.map(({ name, outcome }) => `${name}: ${outcome}`),
    })
  }
}

function total({ inputTokens, outputTokens }: AgentResult['usage']): number {
  return inputTokens + outputTokens
}

function answer(
  result: AgentResult,
  model: string,
  session: string,
  overBudget: number | undefined,
): JsonObject {
  const { reason, usage, steps } = result
  if (reason === 'error') throw new Error(result.error?.message ?? 'the model failed')
  if (reason === 'stopped') throw new Error('a person stopped it')
  const text = result.text.trim()
  const note = overBudget ? `\n[Stopped: its budget of ${overBudget} tokens is used up.]` : ''
  if (text === '' && !note) throw new Error(`it ended without an answer (${reason})`)
  const tokens = `in=${usage.inputTokens} out=${usage.outputTokens} cached=${usage.cachedInputTokens}`
  const head = `[subagent · ${model} · session=${session} · ${reason} after ${steps} ${steps === 1 ? 'step' : 'steps'} · usage: ${tokens}]`
  return {
    content: [{ type: 'text', text: `${head}\n${text}${note}` }],
    structuredContent: { session, model, reason, steps, usage: { ...usage }, text },
    partial: overBudget !== undefined,
  }
}

/** One dispatcher a set of left-out tools. */
function dispatchers({ tools, dispatcher }: SubagentsOptions): Parts['dispatcherFor'] {
  const kept = new Map<string, Promise<Dispatcher>>()
  return (excluded) => {
    const key = JSON.stringify([...new Set(excluded)].sort())
    const own =
      kept.get(key) ??
      made(tools).then((all) =>
        createDispatcher({
          mode: 'auto',
          ...dispatcher,
          tools: all.filter((tool) => mayCall(tool, excluded)),
          sources: (dispatcher?.sources ?? []).map((source) =>
            filteredSource(source, (tool) => mayCall(tool, excluded)),
          ),
        }),
      )
    kept.delete(key)
    kept.set(key, own)
    const [oldest] = kept.keys()
    if (kept.size > mostDispatchers && oldest !== undefined) kept.delete(oldest)
    own.catch(() => kept.delete(key))
    return own
  }
}

function mayCall({ name, interactive, origin }: AnyTool, excluded: readonly string[]): boolean {
  if (name === 'subagents' || interactive || origin === 'client') return false
  return !excluded.some((each) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name,
  )
}

/** Subagents started by each run of this process. */
function counter() {
  const counts = new Map<string, number>()
  return {
    next({ runId }: ToolContext): number {
      const count = (counts.get(runId) ?? 0) + 1
      counts.delete(runId)
      counts.set(runId, count)
      const [oldest] = counts.keys()
      if (counts.size > mostRuns && oldest !== undefined) counts.delete(oldest)
      return count
    },
  }
}
