/**
 * The loop: the model answers, its calls go through the dispatcher as one round, the results go back,
 * until it answers without calls.
 *
 * ```ts
 * const { text } = await runAgent({ model, dispatcher, prompt: 'What is 2^64?' })
 * ```
 * @module
 */
import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider'
import { exactCallInput } from '../providers/call-input.ts'
import { objectRoot } from '../providers/object-root.ts'
import { type WireNames, wireNames } from '../providers/wire-names.ts'
import type { AgentMessage, AgentReason, AgentResult, AgentUsage } from './agent-event.ts'
import { type CallIds, callIds } from './call-ids.ts'
import { callModel, messageOf } from './call-model.ts'
import { type AgentCheckpoint, checkCheckpoint, type PendingAnswer } from './checkpoint.ts'
import { countFailures, type Failures, isDoomed } from './doom-loop.ts'
import { type AssistantPart, promptOf, resultsMessage, takeMessages } from './messages.ts'
import { type AgentOptions, badOption, type LoopOptions, loopOptions } from './options.ts'
import { type ModelAnswer, readAnswer } from './read-answer.ts'
import { addUsage, noUsage, usageOf } from './usage.ts'

interface Loop {
  readonly options: LoopOptions
  readonly names: WireNames
  readonly tools: LanguageModelV3FunctionTool[]
  readonly messages: AgentMessage[]
  readonly ids: CallIds
  steps: number
  usage: AgentUsage
  failures: Failures
  pending: PendingAnswer | undefined
  text: string
}

interface Ending {
  readonly reason: AgentReason
  readonly error?: unknown
}

/**
 * Runs the loop and resolves with how it ended, on every path: what a model or a network does wrong is
 * a `reason`. Rejects only with `THREEPASS_BAD_OPTION`.
 */
export async function runAgent(given: AgentOptions): Promise<AgentResult> {
  const loop = openLoop(given)
  const { reason, error } = await work(loop).catch((thrown): Ending => failed(loop, thrown))
  const result: AgentResult = {
    reason,
    text: loop.text,
    steps: loop.steps,
    usage: loop.usage,
    messages: loop.messages,
    ...(reason === 'error' && { error: errorOf(error) }),
  }
  loop.options.tell({ type: 'finish', result })
  return result
}

function openLoop(given: AgentOptions): Loop {
  const options = loopOptions(given)
  const names = wireNames(options.run.tools.map(({ name }) => name))
  const at: Omit<AgentCheckpoint, 'format'> = given.checkpoint
    ? checkCheckpoint(given.checkpoint)
    : { steps: 0, messages: conversation(given), usage: noUsage, failures: {} }
  return {
    options,
    names,
    tools: options.run.tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name: names.toWire(name),
      description,
      inputSchema: objectRoot(inputSchema),
    })),
    messages: [...at.messages],
    ids: callIds(at.messages),
    steps: at.steps,
    usage: at.usage,
    failures: at.failures,
    pending: at.pending,
    text: '',
  }
}

function conversation({ messages = [], prompt }: AgentOptions): AgentMessage[] {
  const said = prompt === undefined ? [] : [{ role: 'user', content: prompt }]
  const all = [...takeMessages(messages), ...takeMessages(said)]
  if (all.length === 0) throw badOption('give a prompt or messages')
  return all
}

async function work(loop: Loop): Promise<Ending> {
  for (;;) {
    const { pending, options } = loop
    const ended = pending ? await dispatch(loop, pending) : await step(loop)
    if (ended) return ended
    if (options.signal.aborted && !loop.pending) return { reason: 'aborted' }
  }
}

/** Why this step must be the last, if it must. */
function lastStep({ steps, failures, options }: Loop): 'steps' | 'doom_loop' | undefined {
  if (isDoomed(failures, options.doomLimit)) return 'doom_loop'
  return steps >= options.maxSteps - 1 ? 'steps' : undefined
}

const notes = {
  steps: 'No more tools can be called in this turn. Answer with what you have.',
  doom_loop:
    'The same tool call has failed several times, so no more tools can be called in this turn. Say what failed, and answer with what you have.',
}

async function step(loop: Loop): Promise<Ending | undefined> {
  const { options, names, messages, tools, ids } = loop
  const last = lastStep(loop)
  options.tell({ type: 'step_start', step: loop.steps + 1 })
  const reply = await callModel(
    options.model,
    {
      ...options.settings,
      prompt: promptOf(options.system, messages, names, last ? notes[last] : ''),
      ...(tools.length > 0 && { tools, toolChoice: { type: last ? 'none' : 'auto' } }),
      abortSignal: options.signal,
    },
    () => readAnswer(names, (id) => !last && !ids.has(id), options.tell),
    options,
    options.tell,
  )
  const { answer } = reply
  loop.text = answer.text
  if (!reply.ok || answer.finish.unified === 'error') {
    keepText(loop, answer)
    return failed(
      loop,
      reply.ok ? new Error('The model ended its answer with an error.') : reply.error,
    )
  }
  loop.steps += 1
  loop.usage = addUsage(loop.usage, usageOf(answer.usage))
  if (answer.calls.length > 0 && !last) return suspend(loop, answer)
  conclude(loop, answer)
  return { reason: reasonOf(answer, last) }
}

function reasonOf({ finish }: ModelAnswer, last: 'steps' | 'doom_loop' | undefined): AgentReason {
  if (finish.unified === 'length') return 'length'
  if (finish.unified === 'content-filter') return 'content_filter'
  return last ?? 'answer'
}

/** The answer's round is about to begin: what a crash must not lose is stored first. */
async function suspend(loop: Loop, answer: ModelAnswer): Promise<undefined> {
  loop.pending = {
    roundId: crypto.randomUUID(),
    calls: answer.calls.map(loop.ids.own),
    finishReason: answer.finish.unified,
    content: answer.content,
  }
  await save(loop)
}

async function dispatch(loop: Loop, pending: PendingAnswer): Promise<Ending | undefined> {
  const { run, signal, tell } = loop.options
  const { roundId, calls, finishReason } = pending
  const round = await run.dispatch(calls, { roundId, finishReason, signal })
  loop.pending = undefined
  for (const part of pending.content) {
    if (part.type === 'tool-call' && part.providerExecuted) loop.ids.reserve(part)
  }
  const callIds = loop.ids.take(
    calls,
    round.results.map(({ callId }) => callId),
  )
  const content = await underIds(pending, callIds)
  loop.messages.push({ role: 'assistant', content }, resultsMessage(calls, callIds, round.results))
  loop.failures = await countFailures(loop.failures, calls, round.results)
  tell({ type: 'round', round })
  endStep(loop)
  await save(loop)
  return round.stopped ? { reason: 'stopped' } : undefined
}

/** The model's message under the ids that the results have. */
function underIds(
  { content, calls }: PendingAnswer,
  ids: readonly string[],
): Promise<AssistantPart[]> {
  let at = 0
  return Promise.all(
    answered(content).map(async (part) => {
      if (part.type !== 'tool-call' || part.providerExecuted) return part
      const index = at
      at += 1
      const input = await exactCallInput(calls[index]?.arguments ?? '')
      return { ...part, toolCallId: ids[index] ?? part.toolCallId, input }
    }),
  )
}

/** Without calls that the provider made itself and gave no result of. */
function answered(content: readonly AssistantPart[]): AssistantPart[] {
  const results = new Set(
    content.flatMap((part) => (part.type === 'tool-result' ? part.toolCallId : [])),
  )
  return content.filter(
    (part) => part.type !== 'tool-call' || !part.providerExecuted || results.has(part.toolCallId),
  )
}

function conclude(loop: Loop, { content }: ModelAnswer): void {
  // Calls that are made all the same, in a step without tools, never were.
  const said = answered(content).filter(
    (part) => part.type !== 'tool-call' || part.providerExecuted,
  )
  // A thought alone is no answer, and providers refuse it as one.
  if (said.some(({ type }) => type !== 'reasoning')) {
    loop.messages.push({ role: 'assistant', content: said })
  }
  endStep(loop)
}

function endStep({ options, steps, usage }: Loop): void {
  options.tell({ type: 'step_end', step: steps, usage })
}

/** What a broken answer said; its calls were not complete, so they never were. */
function keepText({ messages }: Loop, { content }: ModelAnswer): void {
  const said = content.filter(({ type }) => type === 'text')
  if (said.length > 0) messages.push({ role: 'assistant', content: said })
}

function failed(loop: Loop, error: unknown): Ending {
  const { pending, messages, options } = loop
  loop.pending = undefined
  if (pending) {
    // The history repair answers them.
    messages.push({ role: 'assistant', content: answered(pending.content) })
    messages.splice(0, messages.length, ...takeMessages(messages))
  }
  return options.signal.aborted ? { reason: 'aborted' } : { reason: 'error', error }
}

function save({ options, steps, messages, usage, failures, pending }: Loop): Promise<void> {
  return options.save({
    format: 1,
    steps,
    messages: [...messages],
    usage,
    failures,
    ...(pending && { pending }),
  })
}

function errorOf(cause: unknown): Error {
  return new Error(messageOf(cause), { cause })
}
