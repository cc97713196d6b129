/**
 * What a round costs.
 *
 * Rules. 64 calls of 20 tools (schemas with required, enum and integer), trivial async handlers, all
 * concurrent and read-only, `full` mode; arguments are JSON text, no two calls alike. Each figure is
 * the ratio of medians over alternations in one process (threepass, the other, threepass, …), so that
 * what the machine does meanwhile falls on both. `fresh`: a run of its own for every round; `50th`: the
 * 50th round of one run. The two others: p-limit(5) with @cfworker/json-schema, validators kept,
 * JSON.parse, and an object a result; the AI SDK's generateText with a mock model that makes the same
 * calls at once, the same tools, one step (it builds messages and checks the same schemas with the
 * same validator, but keeps no run: its `50th` is the same as its `fresh`). Only threepass has dedupe,
 * cache, journal, events and limits. Cost a call by registered tools: rounds of 64 calls, median, the
 * four sizes in turn. Memory: heap after gc, 1,000 runs of one round of 4 calls each, less what the
 * dispatcher weighs. createDispatcher: the catalogue of shared/data, median of 15.
 * @module
 */
import { Validator } from '@cfworker/json-schema'
import { generateText, jsonSchema, type Tool as SdkTool, tool as sdkTool, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import pLimit from 'p-limit'
import { type AnyTool, createDispatcher, type JsonSchema, type ToolCall } from '../src/index.ts'
import { handedData } from './ranking.ts'

const callsInRound = 64

/** Every tool has a schema of its own, as registered tools have. */
function schemaOf(n: number): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 0 },
      state: { type: 'string', enum: ['open', 'closed', `only_${n}`] },
      query: { type: 'string', description: `What to look for in ${n}` },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
    },
    required: ['id', 'state', 'query'],
    additionalProperties: false,
  }
}

const handler = async ({ id }: { id: number }) => `found ${id}`

function makeTools(count: number): AnyTool[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `tool_${n}`,
    description: `Looks things up in collection ${n}.`,
    inputSchema: schemaOf(n),
    execute: handler,
    concurrent: true,
    readOnly: true,
  }))
}

let serial = 0
interface TextCall extends ToolCall {
  readonly id: string
  readonly arguments: string
}

function makeCalls(tools: number): TextCall[] {
  return Array.from({ length: callsInRound }, (_, n) => {
    serial += 1
    const args = { id: serial, state: 'open', query: `things of kind ${n}`, limit: 10 }
    return { id: `call_${serial}`, name: `tool_${n % tools}`, arguments: JSON.stringify(args) }
  })
}

/** Both libraries type schemas narrower than the plain object that they take. */
function schemaIn(tool: AnyTool): object {
  return tool.inputSchema as object
}

type Play = (calls: TextCall[]) => Promise<unknown>

const tools = makeTools(20)
const dispatcher = createDispatcher({ tools, mode: 'full' })

function plain(): Play {
  const kept = new Map(
    tools.map((tool) => [
      tool.name,
      { execute: tool.execute, validator: new Validator(schemaIn(tool), '2020-12') },
    ]),
  )
  return (calls) => {
    const limit = pLimit(5)
    return Promise.all(
      calls.map((call) =>
        limit(async () => {
          const tool = kept.get(call.name)
          const args = JSON.parse(call.arguments)
          if (!tool?.validator.validate(args).valid) return { id: call.id, error: 'invalid' }
          return { id: call.id, content: await tool.execute(args, {} as never) }
        }),
      ),
    )
  }
}

function aiSdk(): Play {
  const same: { [name: string]: SdkTool } = {}
  for (const each of tools) {
    const validator = new Validator(schemaIn(each), '2020-12')
    const inputSchema = jsonSchema<{ id: number }>(schemaIn(each), {
      validate: (value) =>
        validator.validate(value).valid
          ? { success: true, value: value as { id: number } }
          : { success: false, error: new Error('invalid') },
    })
    const { name, description } = each
    same[name] = sdkTool({ description, inputSchema, execute: handler }) as SdkTool
  }
  return (calls) => {
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: calls.map(({ id, name, arguments: input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          input,
        })),
        finishReason: { unified: 'tool-calls' as const, raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      }),
    })
    return generateText({ model, tools: same, prompt: 'go', stopWhen: stepCountIs(1) })
  }
}

async function time(play: Play, calls: TextCall[]): Promise<number> {
  const start = performance.now()
  await play(calls)
  return performance.now() - start
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0
}

const fresh: Play = (calls) => dispatcher.run().dispatch(calls)

/** A run that has 49 rounds behind it, as `fresh` is given new ones. */
async function fiftieth(): Promise<number> {
  const run = dispatcher.run()
  for (let round = 1; round < 50; round += 1) await run.dispatch(makeCalls(20))
  return time((calls) => run.dispatch(calls), makeCalls(20))
}

async function check(play: Play, results: (done: unknown) => number): Promise<void> {
  const count = results(await play(makeCalls(20)))
  if (count !== callsInRound) throw new Error(`${count} results instead of ${callsInRound}`)
}

const limited = plain()
const sdk = aiSdk()
// First: what the other measurements leave behind would be in it.
await memory()
await check(
  fresh,
  (done) =>
    (done as { results: { outcome: string }[] }).results.filter((r) => r.outcome === 'completed')
      .length,
)
await check(limited, (done) => (done as { content?: string }[]).filter((r) => r.content).length)
await check(sdk, (done) => (done as { toolResults: unknown[] }).toolResults.length)

await compare('p-limit(5) + validator', limited, 600)
await compare('AI SDK generateText', sdk, 150)
await byTools([10, 100, 1_000, 10_000])
construction()

async function compare(name: string, other: Play, alternations: number): Promise<void> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  const [late, theirsLate]: [number[], number[]] = [[], []]
  for (let n = -alternations / 5; n < alternations; n += 1) {
    const [a, b] = [await time(fresh, makeCalls(20)), await time(other, makeCalls(20))]
    if (n < 0) continue
    ours.push(a)
    theirs.push(b)
  }
  // 50 rounds for one figure: fewer of them.
  for (let n = 0; n < 40; n += 1) {
    late.push(await fiftieth())
    theirsLate.push(await time(other, makeCalls(20)))
  }
  const [us, them] = [median(ours), median(theirs)]
  const [usLate, themLate] = [median(late), median(theirsLate)]
  const perCall = ((us / callsInRound) * 1_000).toFixed(1)
  console.log(
    `round of ${callsInRound} against ${name}: fresh ${(us / them).toFixed(2)}×, 50th ${(usLate / themLate).toFixed(2)}×  (${us.toFixed(2)} and ${usLate.toFixed(2)} ms to ${them.toFixed(2)} ms; ${perCall} µs a call)`,
  )
}

async function byTools(sizes: readonly number[]): Promise<void> {
  const sized = sizes.map((size) => ({
    size,
    own: createDispatcher({ tools: makeTools(size), mode: 'full' }),
    times: [] as number[],
  }))
  for (let n = -30; n < 200; n += 1) {
    for (const { size, own, times } of sized) {
      const took = await time((calls) => own.run().dispatch(calls), makeCalls(Math.min(size, 20)))
      if (n >= 0) times.push(took)
    }
  }
  const figures = sized.map(
    ({ size, times }) => `${size}: ${((median(times) / callsInRound) * 1_000).toFixed(1)} µs`,
  )
  console.log(`cost a call by registered tools: ${figures.join(', ')}`)
}

async function memory(): Promise<void> {
  const { gc } = globalThis as { gc?: () => void }
  if (!gc) return
  const own = createDispatcher({ tools, mode: 'full' })
  await own.run().dispatch(makeCalls(20))
  const heap = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    for (let n = 0; n < 3; n += 1) gc()
    return process.memoryUsage().heapUsed
  }
  const before = await heap()
  for (let n = 0; n < 999; n += 1) await own.run().dispatch(makeCalls(20).slice(0, 4))
  const bytes = ((await heap()) - before) / 999
  // Used once more: else the dispatcher and its runs would be garbage by now.
  if (own.tools.length === 0) throw new Error('it has no tools')
  console.log(
    `memory kept by an idle run of one round of 4 calls: ${(bytes / 1_024).toFixed(1)} KB`,
  )
}

function construction(): void {
  const data = handedData()
  if (!data) {
    console.log('No data at ../shared/data: createDispatcher is not measured.')
    return
  }
  const given = data.tools.map((tool) => ({ ...tool, execute: () => '' }))
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now()
    createDispatcher({ tools: given })
    return performance.now() - start
  })
  console.log(
    `createDispatcher with ${given.length} catalogue tools: ${median(times).toFixed(0)} ms`,
  )
}
