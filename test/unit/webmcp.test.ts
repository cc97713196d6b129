/**
 * The forms of WebMCP that the Chromium of the tests does not have: earlier browsers and odd ones, as stand-ins.
 * The form that it has is tested in test/node/webmcp.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { createClientTools, createDispatcher } from '../../src/index.ts'
import {
  bridgeModelContext,
  type ModelContext,
  type ModelContextTool,
  offerTools,
} from '../../src/webmcp/index.ts'
import { register } from '../../src/webmcp/register.ts'
import { settled } from '../support/gated-tool.ts'

const tool = (name: string, answer: unknown = name): ModelContextTool => ({
  name,
  description: name,
  execute: () => answer,
})

/** Answers at once, and has `unregisterTool` or gives something to take the tool away with. */
function earlierBrowser(takesAway: 'by name' | 'by answer') {
  const listed = new Map<string, ModelContextTool>()
  const context: ModelContext = {
    registerTool(given) {
      if (listed.has(given.name)) throw new Error(`Duplicate tool name ${given.name}`)
      listed.set(given.name, given)
      return takesAway === 'by answer'
        ? { unregister: () => void listed.delete(given.name) }
        : undefined
    },
    ...(takesAway === 'by name' && { unregisterTool: (name: string) => void listed.delete(name) }),
  }
  return { context, listed }
}

/** Answers with promises that the test settles. */
function promisingBrowser() {
  const listed = new Map<string, ModelContextTool>()
  const open: (() => void)[] = []
  const context: ModelContext = {
    registerTool: (given, { signal } = {}) =>
      new Promise((resolve, reject) => {
        open.push(() => {
          if (signal?.aborted) return reject(signal.reason)
          if (listed.has(given.name)) return reject(new Error('Duplicate tool name'))
          listed.set(given.name, given)
          signal?.addEventListener('abort', () => listed.delete(given.name))
          resolve(undefined)
        })
      }),
  }
  return { context, listed, settle: () => open.shift()?.() }
}

describe('a registration', () => {
  it.each(['by name', 'by answer'] as const)(
    'in an earlier browser, taken away %s',
    async (how) => {
      const { context, listed } = earlierBrowser(how)
      const first = register(context, tool('t', 1))
      expect(await first.refused).toBeUndefined()
      const second = register(context, tool('t', 2))
      expect(await second.refused).toContain('Duplicate')
      // One that was refused takes nobody's tool away.
      second.remove()
      expect(listed.get('t')?.execute({})).toBe(1)
      first.remove()
      first.remove()
      expect(listed.size).toBe(0)
      expect(await register(context, tool('t', 3)).refused).toBeUndefined()
    },
  )

  it('that is taken away while its promise is pending leaves the one that came after it', async () => {
    const { context, listed, settle } = promisingBrowser()
    const first = register(context, tool('t', 1))
    first.remove()
    const second = register(context, tool('t', 2))
    settle()
    settle()
    expect(await first.refused).toBeUndefined()
    expect(await second.refused).toBeUndefined()
    first.remove()
    expect(listed.get('t')?.execute({})).toBe(2)
  })
})

describe('a browser without a list', () => {
  it('has no tools to bridge, and takes those that are offered', async () => {
    const { context, listed } = earlierBrowser('by name')
    expect(bridgeModelContext(createClientTools(), { modelContext: context }).isAvailable).toBe(
      false,
    )
    const dispatcher = createDispatcher({
      tools: [{ name: 'add', description: 'Adds.', readOnly: true, execute: () => 3 }],
      mode: 'full',
    })
    const offer = offerTools({ dispatcher, modelContext: context })
    expect(await offer.ready).toEqual(['add'])
    expect(await listed.get('add')?.execute({})).toBe(3)
    const again = offerTools({ dispatcher, modelContext: context })
    expect(await again.ready).toEqual([])
    again.close()
    expect(listed.size).toBe(1)
    offer.close()
    expect(listed.size).toBe(0)
  })
})

it('a tool of the page stays bridged while an offer of its name is refused', async () => {
  const target = new EventTarget()
  const shared = { name: 'shared', description: 'Of the page.' }
  const refuse: (() => void)[] = []
  const context = Object.assign(target, {
    registerTool: () =>
      new Promise((_, reject) => {
        refuse.push(() => reject(new Error('Duplicate tool name')))
      }),
    getTools: async () => [shared],
    executeTool: async () => 'x',
  }) as ModelContext
  const tools = createClientTools()
  const bridge = bridgeModelContext(tools, { modelContext: context })
  await bridge.ready
  const own = { name: 'shared', description: 'Ours.', readOnly: true, execute: () => 1 }
  const dispatcher = createDispatcher({ tools: [own], mode: 'full' })
  const offer = offerTools({ dispatcher, modelContext: context })
  target.dispatchEvent(new Event('toolchange'))
  await settled()
  refuse[0]?.()
  expect(await offer.ready).toEqual([])
  expect(tools.tools().map(({ name }) => name)).toEqual(['shared'])
})

it('an offer that is closed at once has taken nothing', async () => {
  const { context, listed } = earlierBrowser('by name')
  const tool = { name: 'add', description: 'Adds.', readOnly: true, execute: () => 3 }
  const offer = offerTools({
    dispatcher: createDispatcher({ tools: [tool], mode: 'full' }),
    modelContext: context,
  })
  offer.close()
  expect(await offer.ready).toEqual([])
  expect(listed.size).toBe(0)
})

it('a list that fails is a problem, and the tools stay', async () => {
  let fails = false
  const target = new EventTarget()
  const context = Object.assign(target, {
    registerTool: () => undefined,
    getTools: async () => {
      if (fails) throw new Error('not allowed')
      return [{ name: 'a', description: 'A.' }]
    },
    executeTool: async () => '"x"',
  }) as ModelContext
  const tools = createClientTools()
  const bridge = bridgeModelContext(tools, { modelContext: context })
  await bridge.ready
  fails = true
  target.dispatchEvent(new Event('toolchange'))
  await settled()
  expect(bridge.problems()).toEqual([{ definition: '*', message: 'not allowed' }])
  expect(tools.tools().map(({ name }) => name)).toEqual(['a'])
})

it('a dispatcher that shows no schemas is refused early', () => {
  const dispatcher = createDispatcher({ tools: [], mode: 'deferred' })
  expect(() => offerTools({ dispatcher })).toThrowError(
    expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }),
  )
})
