/** Models from the Worker's variables, each against a server that holds its vendor's protocol. */
import { afterEach, describe, expect, it } from 'vitest'
import { type AgentEvent, runAgent } from '../../src/agent/index.ts'
import { createDispatcher } from '../../src/index.ts'
import { type ModelEnv, modelFromEnv } from '../../worker/models.ts'
import { note } from '../support/model-server/note-tool.ts'
import { type ModelServer, type Said, startModelServer } from '../support/model-server/server.ts'

let server: ModelServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const dispatcher = createDispatcher({ tools: [note], mode: 'full' })
const wire = dispatcher.tools[0]?.name

const vendors: [vendor: string, path: string][] = [
  ['openai:gpt-x', '/v1'],
  ['anthropic:claude-x', '/v1'],
  ['google:gemini-x', '/v1beta'],
]

async function ask(
  vendor: string,
  path: string,
  script: readonly Said[],
  env: Partial<ModelEnv> = {},
) {
  server = await startModelServer(script)
  const events: AgentEvent[] = []
  const model = await modelFromEnv({
    MODEL: vendor,
    MODEL_BASE_URL: server.url + path,
    MODEL_API_KEY: 'key',
    ...env,
  })
  const result = await runAgent({
    model,
    dispatcher,
    system: 'Be brief.',
    prompt: 'read',
    retryBaseMs: 1,
    sleep: async () => {},
    onEvent: (event) => events.push(event),
  })
  return { result, events, requests: server.requests }
}

/** The name that the request gives the tool. */
function sentName(body: object): string {
  return /"name":"(notes_read_one_\w+)"/.exec(JSON.stringify(body))?.[1] ?? ''
}

describe.each(vendors)('%s', (vendor, path) => {
  const wireName = 'notes_read_one_0'
  const twice = (name: string): Said => ({
    reasoning: 'Two notes.',
    text: 'Let me see – “both”.',
    calls: [
      { id: 'call_a', name, args: '{"path":"/ä","rows":1}' },
      { id: 'call_b', name, args: '{"path":"/pic"}' },
    ],
  })

  it('streams byte by byte, calls two tools in one round and is given both results (P25)', async () => {
    expect(wire).toBe('notes/read:one')
    // The name on the wire is only known from a request: the first run is there to learn it.
    const probe = await ask(vendor, path, [{ text: 'hi' }])
    expect(probe.result).toMatchObject({ reason: 'answer', text: 'hi' })
    const name = sentName(probe.requests[0]?.body ?? {})
    expect(name.slice(0, -1)).toMatch(wireName.slice(0, -1))
    await server?.stop()

    const { result, events, requests } = await ask(vendor, path, [twice(name), { text: 'done ✓' }])
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({ reason: 'answer', text: 'done ✓', steps: 2 })
    expect(result.usage).toMatchObject({ inputTokens: 40, outputTokens: expect.any(Number) })
    const round = events.find((event) => event.type === 'round')?.round
    expect(round?.results.map(({ outcome, content }) => [outcome, content])).toEqual([
      ['completed', 'note /ä'],
      ['completed', 'a dot\n[image: image/png]'],
    ])
    const texts = events.flatMap((event) => (event.type === 'text_delta' ? event.text : []))
    expect(texts.join('')).toBe('Let me see – “both”.done ✓')
    expect(texts.length).toBeGreaterThan(4)
    const second = JSON.stringify(requests[1]?.body)
    expect(second).toContain('note /ä')
    expect(second).toContain('aGk=')
  })

  it('waits and calls again when the vendor is busy, and gives up on a wrong key', async () => {
    const busy = vendor.startsWith('anthropic') ? 529 : 429
    const { result, events } = await ask(vendor, path, [
      { status: busy, retryAfter: '3' },
      { text: 'ok' },
    ])
    expect(result.text).toBe('ok')
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({
      attempt: 1,
      delayMs: 3_000,
    })
    await server?.stop()

    const refused = await ask(vendor, path, [{ status: 401 }])
    expect(refused.result).toMatchObject({ reason: 'error', steps: 0 })
    expect(refused.result.error?.message).toContain('refused for the test')
    expect(refused.requests).toHaveLength(1)
  })

  it('reports an answer that breaks off, runs nothing of it, and keeps what was said', async () => {
    const cut = await ask(vendor, path, [
      { text: 'a long answer that is cut in the middle of it', breaks: true },
    ])
    expect(cut.result.reason).toBe('error')
    expect(cut.result.text.length).toBeGreaterThan(0)
    expect('a long answer that is cut in the middle of it'.startsWith(cut.result.text)).toBe(true)
  })

  it('says that the answer was cut at the token limit', async () => {
    expect((await ask(vendor, path, [{ text: 'so', cut: true }])).result.reason).toBe('length')
  })
})

describe('modelFromEnv', () => {
  it('is offline by default', async () => {
    expect(await modelFromEnv({})).toMatchObject({ provider: 'threepass', modelId: 'offline' })
  })

  it.each<[Partial<ModelEnv>, RegExp]>([
    [{ MODEL: 'nobody:x' }, /"nobody:x"; the forms are offline, openai:<id>/],
    [{ MODEL: 'openai' }, /names no model: openai:<id>/],
    [{ MODEL: 'openai:x' }, /needs the secret MODEL_API_KEY/],
    [{ MODEL: 'anthropic:x', MODEL_API_KEY: '' }, /needs the secret MODEL_API_KEY/],
    [{ MODEL: 'google:x', MODEL_API_KEY: 's3cret', MODEL_BASE_URL: 'nowhere' }, /must be an http/],
    [{ MODEL: 'workers-ai:x' }, /needs the AI binding/],
  ])('refuses %j with what to do, and no secret', async (env, message) => {
    const refused = modelFromEnv(env)
    await expect(refused).rejects.toMatchObject({ code: 'THREEPASS_BAD_OPTION' })
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.not.toThrow(/s3cret/)
  })

  it('needs no key for an OpenAI-compatible endpoint of one’s own', async () => {
    const model = await modelFromEnv({
      MODEL: 'openai:llama',
      MODEL_BASE_URL: 'http://127.0.0.1:11434/v1',
    })
    expect(model.modelId).toBe('llama')
  })

  it('takes Workers AI from its binding', async () => {
    const asked: unknown[] = []
    const AI = {
      run: async (id: string, input: { stream?: boolean }) => {
        asked.push(id)
        const lines = [
          '{"response":"hel"}',
          '{"response":"lo","usage":{"prompt_tokens":5,"completion_tokens":2}}',
          '[DONE]',
        ]
        const text = lines.map((line) => `data: ${line}\n\n`).join('')
        return input.stream ? new Response(text).body : { response: 'hello' }
      },
    }
    const model = await modelFromEnv({ MODEL: 'workers-ai:@cf/meta/llama', AI })
    const result = await runAgent({ model, dispatcher, prompt: 'hi' })
    expect(result).toMatchObject({ reason: 'answer', text: 'hello' })
    expect(asked).toEqual(['@cf/meta/llama'])
  })
})
