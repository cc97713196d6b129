import { expect, it } from 'vitest'
import type { ApprovalBatch, ApprovalRequest } from '../../src/index.ts'
import { formsOf } from '../../src/mcp-server/questions.ts'

const messageOf = (more: Partial<ApprovalRequest>) => {
  const request = { callId: 'c', token: 't', name: 'send', description: '', arguments: { to: 'x' } }
  const batch: ApprovalBatch = {
    runId: 'r',
    sessionId: 's',
    roundId: 'o',
    requests: [{ ...request, ...more }],
    review: async () => ({ settles: [] }),
    signal: new AbortController().signal,
  }
  return formsOf(batch, false).call_0?.message
}

it('a form says what the tool tells of the call, before its arguments', () => {
  const args = JSON.stringify({ to: 'x' }, null, 1)
  expect(messageOf({})).toBe(`May send run with these arguments?\n\n${args}`)
  expect(messageOf({ tells: 'goes to x' })).toBe(
    `May send run with these arguments?\n\ngoes to x\n\n${args}`,
  )
})
