import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wellFormed } from '../../src/execute/text.ts'
import { type AnyTool, createDispatcher, type ToolCall } from '../../src/index.ts'

const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

const behaviours: Record<string, () => unknown> = {
  value: () => ({ ok: true }),
  nothing: () => undefined,
  later: () => new Promise((resolve) => setImmediate(resolve, 'later')),
  throws: () => {
    throw { odd: true }
  },
  rejects: () => Promise.reject(undefined),
  never: () => new Promise(() => {}),
  lateRejection: () => new Promise((_, reject) => setTimeout(reject, 15, new Error('late'))),
}

const tool = fc.record({
  behaviour: fc.constantFrom(...Object.keys(behaviours)),
  concurrent: fc.boolean(),
  readOnly: fc.boolean(),
  writes: fc.option(fc.constantFrom('file:/a', 'file:/b', '*'), { nil: undefined }),
  dedupe: fc.boolean(),
  background: fc.boolean(),
})

const call = fc.record(
  {
    id: fc.oneof(fc.constantFrom('a', 'b', '', ' a ', '__proto__'), fc.constant(null), fc.string()),
    name: fc.oneof(
      fc.constantFrom('t0', 't1', 't2', 'find_tools', 'run_tool', 'nope', ' t0', 't1<|x'),
      fc.string(),
    ),
    arguments: fc.oneof(
      fc.constantFrom(
        '',
        '{}',
        '{"x":1}',
        '{"x":',
        '[1]',
        'null',
        '{"name":"t0","args":{}}',
        "{'x': True}",
      ),
      fc.string(),
      fc.json(),
      fc.object(),
      fc.constant(null),
    ),
  },
  { requiredKeys: ['name'] },
)

const round = fc.record({
  tools: fc.array(tool, { minLength: 3, maxLength: 3 }),
  calls: fc.array(call, { maxLength: 12 }),
  mode: fc.constantFrom('full', 'deferred', 'stub'),
  answers: fc.constantFrom('approve', 'deny', 'stop', 'none', 'throw'),
  abortAfterMs: fc.constantFrom(undefined, 0, 3),
  finishReason: fc.constantFrom(undefined, 'length', 'stop'),
})

describe('whatever tools, names, arguments, approvals and aborts do', () => {
  it('N calls in, N results out, in order, with unique ids; nothing unhandled, no timer left [p3.one-result] [p2.nothing-left] [p2.siblings]', async () => {
    await fc.assert(
      fc.asyncProperty(
        round,
        async ({ tools, calls, mode, answers, abortAfterMs, finishReason }) => {
          const before = timers()
          const dispatcher = createDispatcher({
            tools: tools.map(toTool),
            mode: mode as 'full',
            graceMs: 1,
            approver: ({ requests }) => {
              if (answers === 'throw') throw new Error('down')
              if (answers === 'none') return []
              return requests.map(({ callId }) => ({ callId, decision: answers as 'approve' }))
            },
          })
          const run = dispatcher.run()
          for (let again = 0; again < 2; again += 1) {
            const controller = new AbortController()
            const timer =
              abortAfterMs === undefined
                ? undefined
                : setTimeout(() => controller.abort(), abortAfterMs)
            const { results } = await run.dispatch(calls as ToolCall[], {
              signal: controller.signal,
              ...(finishReason && { finishReason }),
            })
            clearTimeout(timer)
            expect(results).toHaveLength(calls.length)
            expect(new Set(results.map((result) => result.callId)).size).toBe(calls.length)
            expect(
              results.every(({ content }) => content.length > 0 && wellFormed(content) === content),
            ).toBe(true)
          }
          // Graces and late rejections end; then nothing of the dispatcher is left.
          await new Promise((resolve) => setTimeout(resolve, 20))
          expect(timers()).toBeLessThanOrEqual(before)
        },
      ),
      { numRuns: 60, endOnFailure: true },
    )
    expect(unhandled).toEqual([])
  }, 60_000)
})

function toTool(
  given: { behaviour: string; writes: string | undefined; [trait: string]: unknown },
  index: number,
): AnyTool {
  const { behaviour, writes, ...traits } = given
  const run = behaviours[behaviour] as () => unknown
  return {
    name: `t${index}`,
    description: behaviour,
    timeout: 5,
    ...traits,
    ...(writes && !traits.readOnly && { writes: () => [writes] }),
    execute: () => run(),
  }
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
