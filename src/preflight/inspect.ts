/**
 * Looks a call's tool up and checks its arguments, once: dedupe needs the key of the arguments as
 * they will run, confirm asks only about calls that could run, validate reports.
 * @module
 */
import { callKey } from '../dedupe/call-key.ts'
import { accessOf } from '../dedupe/resources.ts'
import type { JsonObject } from '../round.ts'
import type { Issue } from '../schema/validator.ts'
import type { RegisteredTool } from '../tools/registry.ts'
import type { StandardSchema } from '../tools/tool.ts'
import type { Call, PreflightContext } from './gate.ts'

/** Fills in the call's tool, verdict, key and access; leaves it alone when no tool has this name. */
export function inspect(call: Call, context: PreflightContext): Promise<void> | undefined {
  const registered = context.registry.get(call.name)
  if (!registered) return undefined
  call.registered = registered
  call.checked = registered.compiled.check(call.args, {
    coerce: context.options.coerce,
    inexact: call.inexact,
  })
  if (!call.checked.ok) return undefined
  const { args } = call.checked
  return registered.standard
    ? askStandard(call, registered, registered.standard, args, context)
    : identify(call, registered, args, context)
}

function identify(
  call: Call,
  { tool, compiled, source, fingerprint }: RegisteredTool,
  args: JsonObject,
  context: PreflightContext,
): Promise<void> | undefined {
  call.args = args
  call.access = accessOf(tool, args, (message) => {
    context.emit({
      type: 'warning',
      code: 'bad-resources',
      callId: call.id,
      message: `${call.name}: its reads or writes failed (${message}); the call counts as touching anything.`,
    })
  })
  const defaulted = compiled.withDefaults(args)
  const take = (key: string) => {
    call.key = key
  }
  // A tool of a source may be another one tomorrow: an answer of today is not its answer then.
  if (source !== undefined) {
    return fingerprint().then(async (edition) => take(await callKey(call.name, defaulted, edition)))
  }
  const key = callKey(call.name, defaulted)
  if (typeof key !== 'string') return key.then(take)
  take(key)
  return undefined
}

/** Runs the Standard Schema's own checks (refinements, transforms) after the JSON Schema has passed. */
async function askStandard(
  call: Call,
  registered: RegisteredTool,
  standard: StandardSchema,
  args: JsonObject,
  context: PreflightContext,
): Promise<void> {
  try {
    const outcome = await standard['~standard'].validate(args)
    if (outcome.issues) {
      call.checked = { ok: false, issues: outcome.issues.map(toIssue) }
      return
    }
    call.input = { value: outcome.value }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    call.checked = { ok: false, issues: [{ path: '', message }] }
    return
  }
  await identify(call, registered, args, context)
}

function toIssue(issue: {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}): Issue {
  const segments = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  const path = segments
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  return { path, message: issue.message }
}
