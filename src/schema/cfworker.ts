/**
 * ADAPTER of the port SchemaValidator over `@cfworker/json-schema`: no code generation, so it runs
 * in a Worker and in a page with a strict policy.
 * @module
 */
import { type OutputUnit, type Schema, validate } from '@cfworker/json-schema'
import type { Coercion, JsonObject } from '../round.ts'
import type { JsonSchema } from '../tools/tool.ts'
import { coerceOnce } from './coerce.ts'
import { fill, repeats } from './defaults.ts'
import { issuesOf } from './issues.ts'
import { type Leaf, leavesOf } from './leaves.ts'
import { measure } from './pointer.ts'
import { type Prepared, prepare } from './prepare.ts'
import type { Checked, CheckOptions, CompiledSchema, SchemaValidator } from './validator.ts'

/** Deepest nesting of arguments: the validator recurses. */
const maxArgumentDepth = 128
/** Rounds of coercion: each goes one level deeper into texts that hold JSON. */
const maxCoercionRounds = 16
/** References that one validation may follow, and more for each value: a schema bomb needs far more. */
const maxSteps = 1000
const stepsPerValue = 32

/** What judges arguments, made when the first call comes: most tools of a large catalogue never get one. */
interface Judge {
  valid(args: JsonObject): boolean
  leaves(args: JsonObject): Leaf[]
}

/** The validator that the dispatcher uses. */
export function cfworkerValidator(): SchemaValidator {
  return { compile }
}

function compile(schema: JsonSchema, trust: 'author' | 'external'): CompiledSchema {
  const prepared = prepare(schema, trust)
  let judge: Judge | undefined
  return {
    schema: prepared.schema,
    warnings: prepared.warnings,
    check(args, options = {}) {
      try {
        judge ??= createJudge(prepared)
        return check(args, options, judge, prepared)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        return refuse(`could not be checked (${why.slice(0, 100)}): send simpler arguments`)
      }
    },
    withDefaults: (args) =>
      prepared.defaults ? (fill(args, prepared.schema, prepared.targets) as JsonObject) : args,
  }
}

function refuse(message: string): Checked {
  return { ok: false, issues: [{ path: '', message }] }
}

function check(args: JsonObject, options: CheckOptions, judge: Judge, of: Prepared): Checked {
  if (measure(args, maxArgumentDepth) === Number.POSITIVE_INFINITY) {
    return refuse(`is nested deeper than ${maxArgumentDepth} levels: send flatter arguments`)
  }
  if (judge.valid(args)) return { ok: true, args, coerced: [] }
  const { coerce = true, inexact } = options
  const coerced: Coercion[] = []
  let current = args
  let wrong = judge.leaves(current)
  for (let round = 0; coerce && wrong.length > 0 && round < maxCoercionRounds; round += 1) {
    const next = coerceOnce(current, wrong, judge.leaves, inexact, maxArgumentDepth)
    if (next.args === current) break
    current = next.args
    coerced.push(...next.coerced)
    wrong = judge.leaves(current)
  }
  if (wrong.length === 0) return { ok: true, args: current, coerced }
  return { ok: false, issues: issuesOf(wrong, current, of.targets, inexact) }
}

function createJudge({ schema, draft, targets, unique }: Prepared): Judge {
  let steps = 0
  const lookup: Record<string, Schema> = Object.create(null)
  for (const [uri, target] of targets) {
    Object.defineProperty(lookup, uri, {
      get() {
        steps -= 1
        if (steps < 0) throw new RangeError('its schema takes too many steps')
        return target
      },
    })
  }
  const run = (args: JsonObject, shortCircuit: boolean): readonly OutputUnit[] => {
    if (targets.size > 0) steps = maxSteps + stepsPerValue * measure(args, maxArgumentDepth)
    return validate(args, schema, draft, lookup, shortCircuit).errors
  }
  const repeated = (args: JsonObject) => (unique ? repeats(args, schema, targets) : [])
  return {
    valid: (args) => run(args, true).length === 0 && repeated(args).length === 0,
    leaves: (args) => [...leavesOf(run(args, false), schema, targets), ...repeated(args)],
  }
}
