/**
 * Gate 7: no side effect without a person's word. Asks only about calls that could run; with nobody
 * to ask, the call is denied.
 * @module
 */
import { isAllowed } from '../approval/rules.ts'
import { copyJson, isPromise } from '../execute/copy.ts'
import type { ConfirmVerdict } from '../tools/tool.ts'
import { answer, type Call, type Gate, type PreflightContext, pass, type Verdict } from './gate.ts'

export const confirm: Gate = (call, context) => {
  // Arguments that validate will refuse are never put before anyone.
  if (!call.registered || !call.checked?.ok) return pass
  if (context.begun.has(call.id)) return pass
  const verdict = confirmVerdict(call)
  if (verdict === false) return pass
  return gate(call, verdict === 'always', context)
}

async function gate(call: Call, always: boolean, context: PreflightContext): Promise<Verdict> {
  const { registered, checked } = call
  if (!registered || !checked?.ok) return pass
  const denial = context.state.denials.find((each) => each.key === call.key)
  if (denial) return answer(denied(call, 'denied-before', denial.reason))
  if (!always && (await isAllowed(registered, checked.args, context.allowRules))) return pass
  if (context.options.hasApprover) return { kind: 'ask', always }
  if (context.options.unattended === 'allow') return pass
  return answer(denied(call, 'nobody-to-ask', 'there is nobody to ask for approval'))
}

/** What the tool says of these arguments; a rule that fails asks. */
function confirmVerdict({ registered, checked }: Call): boolean | 'always' {
  const tool = registered?.tool
  if (!tool || !checked?.ok) return false
  let verdict: ConfirmVerdict
  try {
    verdict =
      typeof tool.confirm === 'function' ? tool.confirm(copyJson(checked.args)) : tool.confirm
  } catch {
    verdict = true
  }
  // A rule must answer at once: one that promises to is asked about, and its rejection is nobody's.
  if (isPromise(verdict)) verdict = true
  if (verdict === true || verdict === false || verdict === 'always') return verdict
  return tool.readOnly !== true
}

/** What the model reads of a denial. */
export function denied(
  call: Call,
  code: string,
  reason: string,
): { outcome: 'denied'; code: string; content: string } {
  const why = reason ? `: ${reason}` : ''
  const lead =
    code === 'denied' || code === 'stopped' || code === 'denied-before'
      ? `The user declined this call to ${call.name}${why}. It did not run.`
      : `${call.name} needs a person's approval and did not run${why}.`
  const advice =
    code === 'nobody-to-ask' || code === 'no-answer'
      ? ''
      : ' Do not repeat it; go on without it or ask the user what they would rather have.'
  return { outcome: 'denied', code, content: lead + advice }
}
