/**
 * Looks a call's tool up and checks its arguments, once: dedupe needs the key of the arguments as
 * they will run, confirm asks only about calls that could run, validate reports.
 * @module
 */
import { callKey } from '../dedupe/call-key.ts'
import { accessOf } from '../dedupe/resources.ts'
import type { Checked, Issue } from '../schema/validator.ts'
import type { RegisteredTool } from '../tools/registry.ts'
import type { StandardSchema } from '../tools/tool.ts'
import type { Call, PreflightContext } from './gate.ts'

/** The call with its tool, verdict, key and access; unchanged when no tool has this name. */
export function inspect(call: Call, context: PreflightContext): Call | Promise<Call> {
  const registered = context.registry.get(call.name)
  if (!registered) return call
  const checked = registered.compiled.check(call.args, {
    coerce: context.options.coerce,
    inexact: call.inexact,
  })
  const found: Call = { ...call, registered, checked }
  if (!checked.ok) return found
  if (registered.standard) return askStandard(found, registered.standard, checked, context)
  return identify(found, registered, checked, context)
}

function identify(
  call: Call,
  registered: RegisteredTool,
  checked: Checked & { readonly ok: true },
  context: PreflightContext,
): Call | Promise<Call> {
  const access = accessOf(registered.tool, checked.args, (message) => {
    context.emit({
      type: 'warning',
      code: 'bad-resources',
      callId: call.id,
      message: `${call.name}: its reads or writes failed (${message}); the call counts as touching anything.`,
    })
  })
  const key = callKey(call.name, registered.compiled.withDefaults(checked.args))
  const ready = { ...call, args: checked.args, access }
  return typeof key === 'string' ? { ...ready, key } : key.then((hash) => ({ ...ready, key: hash }))
}

/** Runs the Standard Schema's own checks (refinements, transforms) after the JSON Schema has passed. */
async function askStandard(
  call: Call,
  standard: StandardSchema,
  checked: Checked & { readonly ok: true },
  context: PreflightContext,
): Promise<Call> {
  try {
    const outcome = await standard['~standard'].validate(checked.args)
    if (outcome.issues) {
      return { ...call, checked: { ok: false, issues: outcome.issues.map(toIssue) } }
    }
    const ready = { ...call, input: { value: outcome.value } }
    return identify(ready, call.registered as RegisteredTool, checked, context)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...call, checked: { ok: false, issues: [{ path: '', message }] } }
  }
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
