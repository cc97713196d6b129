/**
 * Plays a story of test/rounds: tools, rounds and what must come of them, as data. Web APIs only, so
 * that one file runs in Node, workerd and Chromium.
 */
import type { expect as vitestExpect } from 'vitest'
import {
  type AnyTool,
  type ApprovalAnswer,
  createDispatcher,
  type DispatcherOptions,
  type JsonObject,
  type RunEvent,
  type RunStore,
  type ToolCall,
} from '../../src/index.ts'

export interface StoryTool {
  readonly name: string
  readonly description?: string
  readonly schema?: JsonObject
  readonly traits?: Partial<AnyTool>
  /** Resource templates: `file:{path}` takes the argument. */
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
  readonly does: Behaviour
}

type Behaviour =
  | { readonly kind: 'return'; readonly value: unknown }
  | { readonly kind: 'echo' }
  | { readonly kind: 'throw'; readonly message: string }
  /** Gives how often this tool has run, itself included. */
  | { readonly kind: 'count' }
  | { readonly kind: 'read' }
  | { readonly kind: 'write' }
  | { readonly kind: 'hang' }

export interface StoryRound {
  readonly calls: readonly ToolCall[]
  readonly roundId?: string
  readonly finishReason?: string
  /** Aborts before the dispatch. */
  readonly aborted?: boolean
  /** Answers of the person, by call id. Without it there is no approver. */
  readonly answers?: { readonly [callId: string]: Omit<ApprovalAnswer, 'callId'> & JsonObject }
  readonly expect: readonly StoryResult[]
  /** Which calls the person was asked about. */
  readonly asked?: readonly string[]
  /** Event types of the round, in order; events of concurrent calls interleave, so only stories of serial calls say this. */
  readonly events?: readonly string[]
}

export interface StoryResult {
  readonly callId?: string
  readonly outcome: string
  readonly code?: string
  readonly content?: string
  readonly includes?: readonly string[]
  readonly value?: unknown
  readonly coerced?: readonly string[]
}

export interface Story {
  readonly name: string
  /** Claims (test/claims) that the story proves. */
  readonly proves?: readonly string[]
  readonly options?: Partial<DispatcherOptions>
  readonly tools: readonly StoryTool[]
  readonly rounds: readonly StoryRound[]
  /** How often each tool's code ran in the whole story. */
  readonly ran?: { readonly [tool: string]: number }
}

export async function playStory(
  story: Story,
  expect: typeof vitestExpect,
  store?: RunStore,
): Promise<void> {
  const ran = new Map<string, number>()
  const files = new Map<string, string>()
  const asked: string[] = []
  let answers: StoryRound['answers']
  const events: RunEvent[] = []
  const dispatcher = createDispatcher({
    tools: story.tools.map((tool) => storyTool(tool, ran, files)),
    ...story.options,
    ...(store && { store }),
    ...(story.rounds.some((round) => round.answers) && {
      approver: ({ requests }) => {
        asked.push(...requests.map((request) => request.callId))
        return requests.flatMap(({ callId }) =>
          answers?.[callId] ? [{ callId, ...answers[callId] } as ApprovalAnswer] : [],
        )
      },
    }),
  })
  const run = dispatcher.run({ onEvent: (event) => events.push(event) })
  for (const round of story.rounds) {
    answers = round.answers
    asked.length = 0
    events.length = 0
    const { results } = await run.dispatch(round.calls, {
      ...(round.roundId && { roundId: round.roundId }),
      ...(round.finishReason && { finishReason: round.finishReason }),
      ...(round.aborted && { signal: AbortSignal.abort() }),
    })
    const seen = results.map((result, index) => pick(result, round.expect[index]))
    expect(seen).toEqual(round.expect.map((each) => ({ ...each, includes: each.includes ?? [] })))
    if (round.asked) expect(asked).toEqual(round.asked)
    if (round.events) expect(events.map((event) => event.type)).toEqual(round.events)
  }
  for (const [tool, times] of Object.entries(story.ran ?? {})) {
    expect({ tool, times: ran.get(tool) ?? 0 }).toEqual({ tool, times })
  }
}

/** The parts of a result that the story speaks of. */
function pick(result: JsonObject | object, expected: StoryResult | undefined): object {
  const actual = result as { content: string; coerced?: { path: string }[] } & Record<
    string,
    unknown
  >
  const seen: Record<string, unknown> = { includes: [] }
  for (const key of Object.keys(expected ?? {})) {
    if (key === 'includes') {
      seen.includes = (expected?.includes ?? []).filter((part) => actual.content.includes(part))
    } else if (key === 'coerced') seen.coerced = actual.coerced?.map((each) => each.path)
    else seen[key] = actual[key]
  }
  return expected ? seen : result
}

function storyTool(tool: StoryTool, ran: Map<string, number>, files: Map<string, string>): AnyTool {
  const resources = (templates: readonly string[] | undefined) =>
    templates && ((args: JsonObject) => templates.map((each) => fill(each, args)))
  const reads = resources(tool.reads)
  const writes = resources(tool.writes)
  return {
    name: tool.name,
    description: tool.description ?? tool.name,
    ...(tool.schema && { inputSchema: tool.schema }),
    ...tool.traits,
    ...(reads && { reads }),
    ...(writes && { writes }),
    execute(args: JsonObject) {
      ran.set(tool.name, (ran.get(tool.name) ?? 0) + 1)
      return behave(tool.does, args, ran.get(tool.name) ?? 0, files)
    },
  }
}

async function behave(
  does: Behaviour,
  args: JsonObject,
  times: number,
  files: Map<string, string>,
): Promise<unknown> {
  const path = String(args.path)
  // One turn of the event loop, so that calls really overlap where they may.
  await new Promise((resolve) => setTimeout(resolve))
  switch (does.kind) {
    case 'return':
      return does.value
    case 'echo':
      return args
    case 'throw':
      throw new Error(does.message)
    case 'count':
      return `run ${times}`
    case 'read':
      return files.get(path) ?? 'empty'
    case 'write':
      files.set(path, String(args.text))
      return `wrote ${path}`
    case 'hang':
      return new Promise(() => {})
  }
}

function fill(template: string, args: JsonObject): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(args[name]))
}
