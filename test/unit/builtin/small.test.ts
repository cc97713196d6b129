import { afterEach, describe, expect, it, type Mock, vi } from 'vitest'
import { currentTimeTool } from '../../../src/builtin/current-time.ts'
import { waitTool } from '../../../src/builtin/wait.ts'
import { type Todo, writeTodoTool } from '../../../src/builtin/write-todo.ts'
import { createDispatcher } from '../../../src/index.ts'
import { memoryRecords } from '../../../src/run-state/records.ts'
import type { ToolContext } from '../../../src/tools/tool.ts'
import { call } from './call.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('write_todo', () => {
  const step = (content: string, status = 'pending') => ({ content, status })

  it('replaces the list and sums it up', async () => {
    const tool = writeTodoTool()
    const todos = [step('a', 'completed'), step('b', 'in_progress'), step('c')]
    const { content, value } = await call(tool, { todos })
    expect(content).toBe('checklist saved: 3 steps (1 done, 1 in progress, 1 pending)')
    expect(value).toEqual({ todos })
  })

  it.each([
    [[step(' ')], 'failed', 'step 1 has no content'],
    [[step('a', 'in_progress'), step('b', 'in_progress')], 'failed', 'at most one'],
    [[step('a', 'doing')], 'invalid', 'status'],
    [[], 'invalid', 'todos'],
  ])('%j is %s', async (todos, outcome, reason) => {
    const result = await call(writeTodoTool(), { todos })
    expect([result.outcome, result.content]).toEqual([outcome, expect.stringContaining(reason)])
  })

  it('keeps a list a session, bounded, asks nobody, and tells of each new list', async () => {
    const records = memoryRecords<readonly Todo[]>(2)
    const tool = writeTodoTool({ records })
    const told: unknown[] = []
    const dispatcher = createDispatcher({
      tools: [tool],
      mode: 'full',
      onEvent: (event) => {
        if (event.type === 'todo_update' || event.type === 'tool_call_end') told.push(event.type)
        if (event.type === 'todo_update') expect(event.todos).toHaveLength(1)
      },
    })
    for (const sessionId of ['s1', 's2', 's1', 's3']) {
      const args = { todos: [step(`of ${sessionId}`)] }
      await dispatcher.run({ sessionId }).dispatch([{ name: 'write_todo', arguments: args }])
    }
    const lists = await Promise.all(['s1', 's2', 's3'].map((id) => tool.todosOf(id)))
    expect(lists.map(({ length }) => length)).toEqual([1, 0, 1])
    expect(told).toEqual(Array(4).fill(['todo_update', 'tool_call_end']).flat())
  })

  it('the first list again after another is written again', async () => {
    const tool = writeTodoTool()
    const run = createDispatcher({ tools: [tool], mode: 'full' }).run({ sessionId: 's' })
    for (const name of ['a', 'b', 'a']) {
      await run.dispatch([{ name: 'write_todo', arguments: { todos: [step(name)] } }])
    }
    expect(await tool.todosOf('s')).toEqual([step('a')])
  })
})

describe('current_time', () => {
  const tool = currentTimeTool({ clock: () => Date.UTC(2026, 6, 1, 23, 30) })

  it('UTC and a time zone', async () => {
    expect((await call(tool, {})).value).toEqual({
      utc: '2026-07-01T23:30:00.000Z',
      unix_seconds: 1_782_948_600,
      timezone: 'UTC',
      local: 'Wednesday, 2026-07-01 23:30:00 GMT+00:00',
    })
    expect((await call(tool, { timezone: 'Asia/Taipei' })).value).toMatchObject({
      local: 'Thursday, 2026-07-02 07:30:00 GMT+08:00',
    })
  })

  it('a wrong time zone fails, and the clock is asked each time', async () => {
    const { outcome, content } = await call(tool, { timezone: 'Mars/Base' })
    expect([outcome, content]).toEqual(['failed', expect.stringContaining('unknown time zone')])
    let now = 0
    const ticking = currentTimeTool({ clock: () => (now += 1_000) })
    const run = createDispatcher({ tools: [ticking], mode: 'full' }).run()
    const again = { name: 'current_time', arguments: {} }
    const { results } = await run.dispatch([again, again])
    expect(new Set(results.map(({ content: text }) => text)).size).toBe(2)
  })
})

describe('wait', () => {
  function context(signal: AbortSignal): ToolContext & { progress: Mock<ToolContext['progress']> } {
    const ids = { callId: 'c', runId: 'r', sessionId: 's', idempotencyKey: 'k' }
    return { ...ids, signal, progress: vi.fn<ToolContext['progress']>(), text: () => {} }
  }

  it('waits, reporting each second', async () => {
    vi.useFakeTimers()
    const own = context(new AbortController().signal)
    const work = waitTool().execute({ seconds: 2.5 }, own)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(own.progress.mock.calls).toEqual([[{ waited: 1, of: 2.5 }], [{ waited: 2, of: 2.5 }]])
    await vi.advanceTimersByTimeAsync(500)
    expect(await work).toBe('waited 2.5 s')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stops at once when aborted, and leaves no timer', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const work = waitTool().execute({ seconds: 30 }, context(controller.signal)) as Promise<string>
    const failure = expect(work).rejects.toThrowError('enough')
    controller.abort(new Error('enough'))
    await failure
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([-1, 31, 'x'])('%j seconds are refused', async (seconds) => {
    expect((await call(waitTool(), { seconds })).outcome).toBe('invalid')
  })

  it('no time at all is at once', async () => {
    expect((await call(waitTool(), { seconds: 0 })).content).toBe('waited 0 s')
  })
})
