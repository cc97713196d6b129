/**
 * The planner: from what was asked and what has happened so far to the next move. A pure function, so the
 * same conversation always goes on the same way.
 * @module
 */

import type { JsonObject } from '../../round.ts'
import { findToolsName, runToolName } from '../../tools/registry.ts'
import { answerText, helpText, missingText } from './answer.ts'
import { fillArguments } from './fill-arguments.ts'
import { type Clause, parseRequest, type Stage } from './parse-request.ts'
import {
  foundTools,
  type KnownTool,
  type PastCall,
  shownSchema,
  type Transcript,
} from './transcript.ts'

export interface PlannedCall {
  readonly name: string
  readonly input: JsonObject | string
}

export type Move =
  | { readonly thought: string; readonly calls: readonly PlannedCall[] }
  | { readonly answer: string }

/** The request's tools array. */
export type Offered = readonly KnownTool[]

interface Plan {
  readonly offered: Offered
  /** Rounds that have happened and were not yet accounted for. */
  readonly past: (readonly PastCall[])[]
  /** Results of calls that a clause asked for, in order: `$1`, `$2`, `$last`. */
  readonly results: PastCall[]
  readonly known: Map<string, KnownTool>
  /** What the person wants said, in the place of results. */
  readonly said: string[]
  /** Why a clause has no call: what comes after it waits. */
  readonly remarks: string[]
}

export function nextMove(
  { request, rounds }: Transcript,
  offered: Offered,
  mayCall: boolean,
): Move {
  const plan: Plan = {
    offered,
    past: [...rounds],
    results: [],
    known: new Map(),
    said: [],
    remarks: [],
  }
  for (const { name, description, inputSchema } of offered) {
    plan.known.set(name, { name, description, ...(inputSchema && { inputSchema }) })
  }
  const stages = parseRequest(request)
  if (stages.length === 0) return { answer: helpText(offered) }
  for (const stage of stages) {
    const move = planStage(stage, plan)
    if (move && mayCall) return move
    if (move || plan.remarks.length > 0) break
  }
  return { answer: answerText(plan) }
}

/** The stage's next round; `undefined` when it is done. */
function planStage(stage: Stage, plan: Plan): Move | undefined {
  const looking = lookUps(stage, plan)
  const found = looking.length > 0 ? plan.past.shift() : []
  if (!found) return { thought: thoughtOf(looking), calls: looking }
  for (const each of found) for (const tool of foundTools(each)) learn(tool, plan)
  const calls = stage.flatMap((clause) => callFor(clause, found, plan) ?? [])
  if (calls.length === 0) return undefined
  const made = plan.past.shift()
  if (!made) return { thought: thoughtOf(calls), calls }
  return retry(calls, made, plan)
}

/** Calls whose tool showed its schema instead of running are made once more. */
function retry(
  calls: readonly PlannedCall[],
  made: readonly PastCall[],
  plan: Plan,
): Move | undefined {
  const shown = made.map(shownSchema)
  const again = calls.filter((_, index) => shown[index])
  const second = again.length > 0 ? plan.past.shift() : []
  if (!second) return { thought: 'I have the schema now, so I call again.', calls: again }
  let at = 0
  plan.results.push(
    ...made.map((each, index) => {
      if (!shown[index]) return each
      at += 1
      return second[at - 1] ?? each
    }),
  )
  return undefined
}

function learn(tool: KnownTool, { known }: Plan): void {
  if (tool.inputSchema || !known.has(tool.name)) known.set(tool.name, tool)
}

const canFind = ({ offered }: Plan) => offered.some(({ name }) => name === findToolsName)
const isDeferred = ({ offered }: Plan) => offered.some(({ name }) => name === runToolName)
const isOffered = (name: string, { offered }: Plan) => offered.some((each) => each.name === name)

/** What has to be looked up before the stage's calls can be made. */
function lookUps(stage: Stage, plan: Plan): PlannedCall[] {
  if (!canFind(plan)) return []
  const names = stage.flatMap((clause) =>
    clause.kind === 'call' &&
    isDeferred(plan) &&
    !isOffered(clause.name, plan) &&
    !plan.known.get(clause.name)?.inputSchema
      ? clause.name
      : [],
  )
  const select = names.length > 0 ? [find(`select:${[...new Set(names)].join(',')}`)] : []
  const searches = stage.flatMap((clause) =>
    clause.kind === 'plain' ? find(queryOf(clause.text)) : [],
  )
  return [...select, ...searches]
}

/** A sum has no words to search by. */
function queryOf(text: string): string {
  const sum = /\d\s*[-+*/^%]\s*[(\d]/.test(text)
  return (sum ? `calculate ${text}` : text).slice(0, 500)
}

function find(query: string): PlannedCall {
  return { name: findToolsName, input: { query } }
}

/** The call that a clause asks for, or a remark why there is none. */
function callFor(clause: Clause, found: readonly PastCall[], plan: Plan): PlannedCall | undefined {
  switch (clause.kind) {
    case 'help':
      plan.said.push(helpText(plan.offered))
      return undefined
    case 'say':
      plan.said.push(withResults(clause.text, plan.results))
      return undefined
    case 'search':
      if (canFind(plan)) return find(clause.query)
      plan.remarks.push('There is no find_tools here: all tools are in the request.')
      return undefined
    case 'call':
      return wrapped(clause.name, argumentsFor(clause, plan), plan)
    default:
      return planPlain(clause.text, found, plan)
  }
}

function argumentsFor({ name, args }: Clause & { kind: 'call' }, plan: Plan): JsonObject | string {
  const schema = plan.known.get(name)?.inputSchema
  if (typeof args !== 'string') return replaced(args, plan.results)
  // A broken JSON text goes out as it was written: the dispatcher says what is wrong with it.
  if (args.startsWith('{') || !schema) return withResults(args, plan.results)
  return fillArguments(schema, name, withResults(args, plan.results)).args
}

function planPlain(text: string, found: readonly PastCall[], plan: Plan): PlannedCall | undefined {
  const query = queryOf(text)
  const search = found.find(({ input }) => (input as { query?: string }).query === query)
  const tool = search ? bestFound(text, search) : bestOffered(query, plan)
  if (!tool?.inputSchema) {
    plan.remarks.push(
      `I found no tool for “${text.slice(0, 200)}”. I am a planner without a language model: I call tools and read their results. Say “help” to see how.`,
    )
    return undefined
  }
  const { args, missing } = fillArguments(
    tool.inputSchema,
    tool.name,
    withResults(text, plan.results),
  )
  if (missing.length === 0) return wrapped(tool.name, args, plan)
  plan.remarks.push(missingText(tool.name, missing))
  return undefined
}

/** The one whose whole name the text says; else the first that came with its schema. */
function bestFound(text: string, search: PastCall): KnownTool | undefined {
  const found = foundTools(search).filter(({ inputSchema }) => inputSchema)
  const asked = new Set(wordsOf(text))
  return found.find(({ name }) => wordsOf(name).every((word) => asked.has(word))) ?? found[0]
}

/** Without a search: the tool that shares most words with the text, in its name twice. */
function bestOffered(text: string, { offered }: Plan): KnownTool | undefined {
  const asked = new Set(wordsOf(text))
  const scored = offered.map((tool) => {
    const shared = (words: string[]) => new Set(words.filter((word) => asked.has(word))).size
    return { tool, score: shared(wordsOf(tool.name)) * 2 + shared(wordsOf(tool.description)) }
  })
  scored.sort((a, b) => b.score - a.score)
  return scored[0] && scored[0].score > 1 ? scored[0].tool : undefined
}

function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, 10_000)
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  ).map((word) => word.replace(/s$/, ''))
}

/** Behind run_tool when it is not in the request itself. */
function wrapped(name: string, args: JsonObject | string, plan: Plan): PlannedCall {
  if (isOffered(name, plan) || !isDeferred(plan)) return { name, input: args }
  return { name: runToolName, input: { name, args } }
}

/** `$last`, `$1`, `$2` … stand for the texts of results. */
function withResults(text: string, results: readonly PastCall[]): string {
  return text.replace(/\$(last|\d+)\b/g, (whole, which: string) => {
    const result = which === 'last' ? results.at(-1) : results[Number(which) - 1]
    return result?.text ?? whole
  })
}

function replaced(args: JsonObject, results: readonly PastCall[]): JsonObject {
  return JSON.parse(JSON.stringify(args), (_, value) =>
    typeof value === 'string' ? withResults(value, results) : value,
  )
}

function thoughtOf(calls: readonly PlannedCall[]): string {
  const names = calls.map(({ name, input }) =>
    name === runToolName && typeof input !== 'string' ? String(input.name) : name,
  )
  return names.every((name) => name === findToolsName)
    ? 'I look for a tool that does this.'
    : `I call ${[...new Set(names)].join(', ')}.`
}
