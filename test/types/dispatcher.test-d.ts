/** Checked by tsc: options, calls and results. Nothing here runs. */
import {
  type Approver,
  createDispatcher,
  type Outcome,
  type RunEvent,
  type ToolResult,
} from '../../src/index.ts'

const tools = [{ name: 'a', description: 'A.', execute: () => '' }]

createDispatcher({ tools, mode: 'auto', maxConcurrent: 3, cache: false, unattended: 'allow' })
// @ts-expect-error: tools are what it is about
createDispatcher({})
// @ts-expect-error: one of the four modes
createDispatcher({ tools, mode: 'lazy' })
// @ts-expect-error: an option that does not exist
createDispatcher({ tools, maxParallel: 3 })
// @ts-expect-error: a cache store, or false; not true
createDispatcher({ tools, cache: true })
// @ts-expect-error: `undefined` is not a number of calls
createDispatcher({ tools, maxConcurrent: undefined })
// @ts-expect-error: an approver answers with decisions, not with a word
const approver: Approver = async () => 'yes'
createDispatcher({ tools, approver })

const run = createDispatcher({ tools }).run({ sessionId: 's', runId: 'r' })
run.dispatch([{ id: 'c', name: 'a', arguments: '{}' }, { name: 'a' }], { finishReason: 'stop' })
// @ts-expect-error: a call without a name
run.dispatch([{ id: 'c', arguments: {} }])
// @ts-expect-error: a round is a list
run.dispatch({ name: 'a' })

const { results, stopped } = await run.dispatch([])
const first: ToolResult | undefined = results[0]
const ended: boolean = stopped
// @ts-expect-error: results are read only
results.push(first)
// @ts-expect-error: there may be no result at this index
results[0].content

/** Outcomes are closed: a switch over all of them needs no default. */
function said(outcome: Outcome): string {
  switch (outcome) {
    case 'completed':
    case 'duplicate':
    case 'cached':
      return 'answered'
    case 'failed':
    case 'timed_out':
    case 'cancelled':
    case 'interrupted':
      return 'broken off'
    case 'refused':
    case 'schema':
    case 'unknown':
    case 'denied':
    case 'invalid':
      return 'not run'
  }
}

/** Events are one union over `type`. */
function onEvent(event: RunEvent): string {
  if (event.type === 'tool_result') return said(event.result.outcome)
  // @ts-expect-error: only a tool_result has a result
  return event.result
}
createDispatcher({ tools, onEvent })

export { ended }
