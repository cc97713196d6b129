import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  chatHistoryTool,
  errorHints,
  errorHistoryTool,
  type TaskLog,
  taskLog,
} from '../../../src/builtin/index.ts'
import { memoryHistory } from '../../../src/history/memory.ts'
import { type AnyTool, createDispatcher, type JsonObject, type Run } from '../../../src/index.ts'
import { memoryRunStore } from '../../../src/run-state/memory.ts'
import { callOf } from '../../support/gated-tool.ts'
import { call } from './call.ts'

const day = 86_400_000

describe('chat_history', () => {
  const echo: AnyTool = {
    name: 'echo',
    description: 'Says it.',
    readOnly: true,
    execute: ({ what }: JsonObject) => what,
  }

  function session(history = memoryHistory()) {
    const store = memoryRunStore()
    let now = 1_000 * day
    const clock = () => now
    const log: TaskLog = taskLog({ history, store, clock })
    const tools = [echo, chatHistoryTool({ history, store, clock })]
    const dispatcher = createDispatcher({ tools, mode: 'full', store, onEvent: log.onEvent })
    return {
      log,
      pass: (ms: number) => {
        now += ms
      },
      open: (runId: string, sessionId = 's') => dispatcher.run({ runId, sessionId }),
    }
  }
  const ask = async (run: Run, args: object) => {
    const { results } = await run.dispatch([callOf('h', 'chat_history', args)])
    return results[0]
  }

  it('lists tasks of the session, newest first, with what was asked, done and answered', async () => {
    const { open, log, pass } = session()
    await open('one').dispatch([callOf('a', 'echo', { what: 'x' }), callOf('b', 'nothing')])
    await log.note({ runId: 'one', sessionId: 's', objective: 'Say x', answer: 'x it is' })
    pass(day)
    await log.note({ runId: 'two', sessionId: 's', objective: 'Say nothing' })
    await log.note({ runId: 'foreign', sessionId: 'other', objective: 'Not yours' })
    const now = open('now')
    expect((await ask(now, {}))?.value).toEqual([
      {
        task_id: 'two',
        at: new Date(1_001 * day).toISOString(),
        objective: 'Say nothing',
        did: [],
      },
      {
        task_id: 'one',
        at: new Date(1_000 * day).toISOString(),
        objective: 'Say x',
        did: ['echo', 'nothing'],
        answer: 'x it is',
      },
    ])
    expect((await ask(now, { time_range: '1d', limit: 1 }))?.content).toContain('two')
    pass(2 * day)
    expect((await ask(now, { time_range: '1d' }))?.content).toBe('no earlier tasks in this session')
  })

  it('finds a task by its words, also by those of its calls and results, and never the one it is in', async () => {
    const { open, log } = session()
    await open('one').dispatch([callOf('a', 'echo', { what: 'the walrus sang' })])
    await log.note({ runId: 'one', sessionId: 's', objective: 'Sing', answer: 'Done.' })
    const now = open('now')
    await now.dispatch([callOf('w', 'echo', { what: 'walrus here too' })])
    const { content } = (await ask(now, { keyword: 'walrus' })) ?? {}
    expect(content).toContain('"task_id":"one"')
    expect(content).not.toContain('now')
    expect((await ask(now, { keyword: 'unicorn' }))?.content).toBe('no task matches: unicorn')
  })

  it('reads one whole, from the run store', async () => {
    const { open, log } = session()
    await open('one').dispatch([callOf('a', 'echo', { what: 'x' })])
    await open('one').dispatch([callOf('b', 'echo', { what: 'y'.repeat(10_000) })])
    await log.note({ runId: 'one', sessionId: 's', objective: 'Say x', answer: 'Said.' })
    const now = open('now')
    const { content } = (await ask(now, { task_id: 'one' })) ?? {}
    expect(content).toMatch(/^# Say x\n.*\n\n## echo\n\{"what":"x"\}\nx\n\n## echo\n/)
    expect(content).toContain('[Cut: the first 4096 of')
    expect(content).toMatch(/## Answer\nSaid\.$/)
    expect((await ask(now, { task_id: 'foreign' }))?.content).toContain(
      'no task with the id foreign',
    )
    expect((await ask(now, { mode: 'read' }))?.outcome).toBe('failed')
    expect((await ask(now, { mode: 'search' }))?.content).toContain('needs a keyword')
    for (const keyword of [' ', '\n', '"*"', '- . /', '🔑']) {
      const { outcome, content } = (await ask(now, { keyword })) ?? {}
      expect([outcome, content?.includes('no word in the keyword')]).toEqual(['failed', true])
    }
  })

  it('asks the store once for the session of a run', async () => {
    const store = memoryRunStore()
    let loads = 0
    const load: typeof store.load = (...args) => {
      loads += 1
      return store.load(...args)
    }
    const history = memoryHistory()
    const log = taskLog({ history, store: { ...store, load } })
    const dispatcher = createDispatcher({
      tools: [echo],
      mode: 'full',
      store,
      onEvent: log.onEvent,
    })
    const run = dispatcher.run({ runId: 'one', sessionId: 's' })
    for (const what of ['x', 'y', 'z']) await run.dispatch([callOf(what, 'echo', { what })])
    await log.note({ runId: 'one', sessionId: 's', objective: 'Say all' })
    expect(await history.get('task:s', 'one')).toMatchObject({ text: expect.stringContaining('z') })
    expect(loads).toBe(1)
  })

  it('a history that fails spoils no round', async () => {
    const broken = {
      ...memoryHistory(),
      put: async () => Promise.reject(new Error('disk full')),
    }
    const { open, log } = session(broken)
    const { results } = await open('one').dispatch([callOf('a', 'echo', { what: 'x' })])
    expect(results[0]?.outcome).toBe('completed')
    await expect(log.note({ runId: 'one', sessionId: 's' })).rejects.toThrow('disk full')
  })
})

describe('error_history', () => {
  const note = {
    tool_name: 'fetch_page',
    keywords: ['ECONNRESET', 'reset'],
    symptom: 'connection reset by the proxy of example.com',
    cause: 'the proxy drops idle connections',
    action: 'asked again after a second',
    outcome: 'resolved',
  }

  it('writes, finds and reads; the same symptom again replaces the note', async () => {
    const history = memoryHistory()
    const tool = errorHistoryTool({ history })
    const written = await call(tool, note)
    const { hash } = Object(written.value) as { hash: string }
    expect(written.content).toBe(`recorded as ${hash}`)
    await call(tool, { ...note, action: 'gave up', outcome: 'abandoned' })
    const found = await call(tool, { keyword: 'proxy reset' })
    expect(found.value).toMatchObject([{ hash, action: 'gave up', outcome: 'abandoned' }])
    expect((await call(tool, { keyword: 'reset', tool_name: 'other' })).content).toBe(
      'no remembered error matches: reset',
    )
    expect((await call(tool, { hash })).value).toMatchObject({ hash, tool_name: 'fetch_page' })
    expect((await call(tool, { hash: 'no' })).content).toContain('there is no record no')
    expect((await call(tool, { symptom: 'x' })).content).toContain(
      'mode write also needs tool_name, keywords, action, outcome',
    )
    expect((await call(tool, {})).content).toContain('mode search needs a keyword')
    for (const keyword of [' ', '\n', '"*"', '- . /', '🔑']) {
      for (const args of [{ keyword }, { ...note, keywords: ['reset', keyword] }]) {
        const { outcome, content } = await call(tool, args)
        expect([outcome, content.includes('no word in the keyword')]).toEqual(['failed', true])
      }
    }
  })

  it('what is older than ninety days is not found', async () => {
    const history = memoryHistory()
    await call(errorHistoryTool({ history, clock: () => 0 }), note)
    const later = errorHistoryTool({ history, clock: () => 90 * day + 1 })
    expect((await call(later, { keyword: 'reset' })).content).toContain('no remembered error')
  })

  it('a failed call gets what is remembered of such failures of its tool, and nothing when there is none', async () => {
    const history = memoryHistory()
    await call(errorHistoryTool({ history }), note)
    const failing = (name: string, message: string): AnyTool => ({
      name,
      description: 'Fails.',
      execute: () => {
        throw new Error(message)
      },
    })
    const outcome = async (tool: AnyTool) => {
      const options = { mode: 'full', unattended: 'allow', hints: errorHints({ history }) } as const
      const { results } = await createDispatcher({ tools: [tool], ...options })
        .run()
        .dispatch([callOf('a', tool.name)])
      return results[0]?.content
    }
    expect(await outcome(failing('fetch_page', 'read econnreset'))).toBe(
      `fetch_page failed: read econnreset\nrelated_errors: ${JSON.stringify([
        {
          symptom: note.symptom,
          cause: note.cause,
          action: note.action,
          outcome: 'resolved',
        },
      ])}`,
    )
    expect(await outcome(failing('fetch_page', 'idle proxy connection of example.com'))).toContain(
      'related_errors',
    )
    expect(await outcome(failing('fetch_page', 'no such page'))).toBe(
      'fetch_page failed: no such page',
    )
    expect(await outcome(failing('other', 'read ECONNRESET'))).toBe('other failed: read ECONNRESET')
  })

  it('a keyword without a word is no likeness', async () => {
    const history = memoryHistory()
    const data = { ...note, keywords: [' ', '-', ''], symptom: 'unlike', action: 'x' }
    const place = { collection: 'error', id: 'old', at: Date.now() }
    await history.put({ ...place, title: 'fetch_page', text: 'unlike', data })
    const hints = errorHints({ history })
    expect(await hints({ sessionId: 's', tool: 'fetch_page', message: 'a - b' })).toBe(undefined)
  })

  it('of a very long message its beginning is looked at', async () => {
    const history = memoryHistory()
    await call(errorHistoryTool({ history }), note)
    const hints = errorHints({ history })
    const message = `read ECONNRESET ${'word 部署到生产 '.repeat(5_000_000)}`
    expect(await hints({ sessionId: 's', tool: 'fetch_page', message })).toContain('related_errors')
  })

  it('is not asked about a call that did its work', async () => {
    const hints = vi.fn(() => 'never')
    const tool: AnyTool = { name: 'good', description: 'Works.', execute: () => 'done' }
    const run = createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow', hints }).run()
    const { results } = await run.dispatch([callOf('a', 'good')])
    expect([results[0]?.content, hints.mock.calls.length]).toEqual(['done', 0])
  })

  it('hints that throw, hang or are no text change nothing', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const failing: AnyTool = {
      name: 'bad',
      description: 'Fails.',
      execute: () => Promise.reject(new Error('no')),
    }
    for (const hints of [
      () => Promise.reject(new Error('x')),
      () => new Promise<string>(() => {}),
      () => 5 as never,
      () => '',
    ]) {
      const options = { mode: 'full', unattended: 'allow', hints } as const
      const done = createDispatcher({ tools: [failing], ...options })
        .run()
        .dispatch([callOf('a', 'bad')])
      await vi.advanceTimersByTimeAsync(1_000)
      const { results } = await done
      expect(results[0]?.content).toBe('bad failed: no')
    }
  })
})
