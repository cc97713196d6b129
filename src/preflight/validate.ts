/**
 * Gate 8: arguments that the schema refuses never run; the model is told every problem at once.
 * @module
 */
import { formatIssues } from '../schema/issues.ts'
import { answer, type Gate, pass } from './gate.ts'

export const validate: Gate = (call) => {
  const { checked } = call
  if (!checked || checked.ok) return pass
  return answer({
    outcome: 'invalid',
    code: 'invalid-arguments',
    content: formatIssues(call.name, checked.issues),
  })
}
