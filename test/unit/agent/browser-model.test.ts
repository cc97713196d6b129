/** The Prompt API is not in the Chromium that runs here (its model is a download of gigabytes), so it is stood in for. */
import { describe, expect, it } from 'vitest'
import {
  browserModel,
  browserModelAvailability,
  type PromptApi,
  runAgent,
} from '../../../src/agent/index.ts'
import { createDispatcher } from '../../../src/index.ts'

function fakeApi(answers: string[]) {
  const created: Parameters<PromptApi['create']>[0][] = []
  const asked: { input: string; constraint: object | undefined }[] = []
  let destroyed = 0
  const api: PromptApi = {
    availability: async () => 'available',
    async create(options) {
      created.push(options)
      const target = new EventTarget()
      options.monitor?.(target)
      target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: 0.5 }))
      return {
        promptStreaming(input, given) {
          asked.push({ input, constraint: given?.responseConstraint })
          const answer = answers.shift() ?? ''
          return new ReadableStream({
            start(controller) {
              for (const char of answer) controller.enqueue(char)
              controller.close()
            },
          })
        },
        destroy: () => {
          destroyed += 1
        },
      }
    },
  }
  return { api, created, asked, destroyed: () => destroyed }
}

const dispatcher = createDispatcher({
  mode: 'full',
  tools: [
    {
      name: 'add',
      description: 'Adds.',
      readOnly: true,
      inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      execute: ({ a, b }: { a: number; b: number }) => a + b,
    },
  ],
})

describe('browserModel', () => {
  it('calls tools by constrained output and reads their results', async () => {
    const fake = fakeApi([
      '{"text":"I add.","calls":[{"name":"add","arguments":{"a":1,"b":2}},{"name":"add","arguments":{"a":3,"b":4}}]}',
      '{"text":"3 and 7","calls":[]}',
    ])
    const loaded: number[] = []
    const model = browserModel({ api: fake.api, onDownload: (part) => loaded.push(part) })
    const result = await runAgent({ model, dispatcher, system: 'Be brief.', prompt: 'add' })
    expect(result).toMatchObject({ reason: 'answer', text: '3 and 7', steps: 2 })
    expect(fake.created[0]?.initialPrompts[0]?.content).toMatch(
      /^Be brief\.\n\nAnswer with JSON.*"name":"add"/s,
    )
    expect(fake.asked[0]).toMatchObject({
      input: 'add',
      constraint: { properties: { calls: { items: { properties: { name: { enum: ['add'] } } } } } },
    })
    expect(fake.created[1]?.initialPrompts.slice(1)).toEqual([
      { role: 'user', content: 'add' },
      {
        role: 'assistant',
        content: JSON.stringify({
          text: 'I add.',
          calls: [
            { name: 'add', arguments: { a: 1, b: 2 } },
            { name: 'add', arguments: { a: 3, b: 4 } },
          ],
        }),
      },
    ])
    expect(fake.asked[1]?.input).toMatch(/^Results of your calls:\nadd: .*3.*\nadd: .*7/)
    expect(fake.destroyed()).toBe(2)
    expect(loaded).toEqual([0.5, 0.5])
  })

  it('streams free text where no tool may be called, and takes what is no JSON for text', async () => {
    const free = fakeApi(['no tools'])
    const one = await runAgent({
      model: browserModel({ api: free.api }),
      dispatcher,
      prompt: 'x',
      maxSteps: 1,
    })
    expect(one.text).toBe('no tools')
    expect(free.asked[0]?.constraint).toBeUndefined()

    const odd = fakeApi(['{"text": "cut'])
    expect(
      (await runAgent({ model: browserModel({ api: odd.api }), dispatcher, prompt: 'x' })).text,
    ).toBe('{"text": "cut')
  })

  it('says where there is none', async () => {
    expect(await browserModelAvailability()).toBe('unavailable')
    expect(await browserModelAvailability({ api: fakeApi([]).api })).toBe('available')
    const failing = { ...fakeApi([]).api, availability: () => Promise.reject(new Error('no')) }
    expect(await browserModelAvailability({ api: failing })).toBe('unavailable')
    expect(() => browserModel()).toThrow(expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' }))
  })
})
