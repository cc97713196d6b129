import { describe, expect, it } from 'vitest'
import { callKey } from '../../../src/dedupe/call-key.ts'
import { normaliseResource, overlaps } from '../../../src/dedupe/resources.ts'
import { type AnyTool, createDispatcher, type JsonObject } from '../../../src/index.ts'
import { callOf, gatedTool } from '../../support/gated-tool.ts'

function counting(
  name: string,
  traits: Partial<AnyTool> = {},
): AnyTool & { readonly times: () => number } {
  let times = 0
  return {
    name,
    description: name,
    ...traits,
    times: () => times,
    execute: () => {
      times += 1
      return `run ${times}`
    },
  }
}

const dispatcherOf = (tools: AnyTool[]) =>
  createDispatcher({ tools, mode: 'full', unattended: 'allow' })

describe('keys', () => {
  it('tell apart what differs and only that', async () => {
    const key = async (name: string, args: JsonObject) => callKey(name, args)
    expect(await key('t', { a: 1, b: [2, 'x'] })).toBe(await key('t', { b: [2, 'x'], a: 1.0 }))
    const different = await Promise.all([
      key('t', { a: ['a|b', 'c'] }),
      key('t', { a: ['a', 'b|c'] }),
      key('t', { a: 0 }),
      key('t', { a: -0 }),
      key('t', { a: '0' }),
      key('t', { a: null }),
      key('t', {}),
      key('T', {}),
      key('t|', {}),
      key('t', { a: { b: -0 } }),
      key('t', { a: { b: 0 } }),
      key('t', { a: 'x'.repeat(5_000) }),
      key('t', { a: `${'x'.repeat(4_999)}y` }),
    ])
    expect(new Set(different).size).toBe(different.length)
  })

  it('of long arguments are short', async () => {
    expect((await callKey('t', { a: 'x'.repeat(1_000_000) })).length).toBe(64)
  })
})

describe('resources', () => {
  it('have one spelling and cover what lies below them, by segment [c.by-path]', () => {
    expect(
      ['file:/a//b/', 'file:./a/b', 'file:a/c/../b', 'file:a/b/*'].map(normaliseResource),
    ).toEqual(Array(4).fill('file:a/b'))
    const covers = (a: string, b: string) => overlaps(normaliseResource(a), normaliseResource(b))
    expect([
      covers('file:/a', 'file:/a/b'),
      covers('file:/a/b', 'file:/a'),
      covers('file:*', 'file:/a'),
      covers('*', 'dir:x'),
      covers('file:/a/b', 'file:/a/bc'),
      covers('file:/a', 'dir:/a'),
      covers('file:/a', 'file:/b'),
    ]).toEqual([true, true, true, true, false, false, false])
  })
})

describe('the ledger', () => {
  it('lives for the run and not for the session [spec.per-run] [spec.dedupe]', async () => {
    const tool = counting('t', { readOnly: true })
    const dispatcher = dispatcherOf([tool])
    const run = dispatcher.run({ sessionId: 's' })
    await run.dispatch([callOf('a', 't')])
    const { results } = await run.dispatch([callOf('b', 't')])
    expect(results[0]).toMatchObject({ outcome: 'duplicate', duplicateOf: 'a', content: 'run 1' })
    await dispatcher.run({ sessionId: 's' }).dispatch([callOf('a', 't')])
    expect(tool.times()).toBe(2)
  })

  it('a resumed run remembers what it was before', async () => {
    const tool = counting('t', { readOnly: true })
    const dispatcher = dispatcherOf([tool])
    await dispatcher.run({ runId: 'r' }).dispatch([callOf('a', 't')])
    const { results } = await dispatcher.run({ runId: 'r' }).dispatch([callOf('b', 't')])
    expect(results[0]?.outcome).toBe('duplicate')
  })

  it('remembers only what came to completed [c.completed-only]', async () => {
    let times = 0
    const tool: AnyTool = {
      name: 't',
      description: 't',
      readOnly: true,
      execute() {
        times += 1
        if (times === 1) throw new Error('no')
        return times === 2 ? { isError: true, error: 'still no' } : 'yes'
      },
    }
    const run = dispatcherOf([tool]).run()
    const outcomes: string[] = []
    for (const id of ['a', 'b', 'c', 'd']) {
      outcomes.push((await run.dispatch([callOf(id, 't')])).results[0]?.outcome ?? '')
    }
    expect(outcomes).toEqual(['failed', 'failed', 'completed', 'duplicate'])
  })

  it('a failed write voids too: it may have half happened [c.voided]', async () => {
    const read = counting('read', { readOnly: true, reads: () => ['file:/a'] })
    const write: AnyTool = {
      name: 'write',
      description: 'w',
      writes: () => ['file:/a'],
      execute: () => Promise.reject(new Error('disk full')),
    }
    const run = dispatcherOf([read, write]).run()
    await run.dispatch([callOf('a', 'read')])
    await run.dispatch([callOf('b', 'write')])
    expect((await run.dispatch([callOf('c', 'read')])).results[0]?.content).toBe('run 2')
  })

  it('a write that does not say what it wrote voids every read, also of a tool that does not say what it reads [c.unsaid-write]', async () => {
    const declared = counting('declared', { readOnly: true, reads: () => ['file:/a'] })
    const undeclared = counting('undeclared', { readOnly: true })
    const nothing = counting('nothing', { readOnly: true, reads: () => [] })
    const write = counting('write')
    const run = dispatcherOf([declared, undeclared, nothing, write]).run()
    const all = (round: string) =>
      ['declared', 'undeclared', 'nothing'].map((name) => callOf(`${round}-${name}`, name))
    await run.dispatch(all('1'))
    await run.dispatch([callOf('w', 'write')])
    const { results } = await run.dispatch(all('2'))
    expect(results.map((result) => result.outcome)).toEqual(['completed', 'completed', 'duplicate'])
  })

  it('a read that overlapped a write is not remembered [c.overlap]', async () => {
    // Neither declares anything that conflicts in pass 2, so the two overlap.
    const read = gatedTool('read', { readOnly: true, concurrent: true })
    const write = gatedTool('write', { concurrent: true, writes: () => ['file:/a'] })
    const run = dispatcherOf([read.tool, write.tool]).run()
    const round = run.dispatch([callOf('a', 'read', { n: '1' }), callOf('b', 'write', { n: '2' })])
    await Promise.all([read.whenStarted(1), write.whenStarted(1)])
    read.finish('1', 'old')
    write.finish('2')
    await round
    const again = run.dispatch([callOf('c', 'read', { n: '1' })])
    await read.whenStarted(2)
    read.finish('1', 'new')
    expect((await again).results[0]).toMatchObject({ outcome: 'completed', content: 'new' })
  })

  it('a duplicate seated behind a call that fails shares the failure, without running', async () => {
    let times = 0
    const tool: AnyTool = {
      name: 't',
      description: 't',
      execute() {
        times += 1
        throw new Error('no')
      },
    }
    const { results } = await dispatcherOf([tool])
      .run()
      .dispatch([callOf('a', 't'), callOf('b', 't')])
    expect(results).toMatchObject([
      { outcome: 'failed' },
      { outcome: 'failed', duplicateOf: 'a', content: 't failed: no' },
    ])
    expect(times).toBe(1)
  })
})
