/** The vendors' official SDKs, streaming, against servers that hold their protocols; threepass in between. */
import Anthropic from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type Message,
  type Tool,
} from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { createDispatcher, type ToolCall } from '../../src/index.ts'
import {
  anthropic,
  bedrock,
  gemini,
  openAIChat,
  openAIResponses,
  type ReadCalls,
  readCalls,
  readStream,
  repairHistory,
  toolsFor,
  wireNames,
} from '../../src/providers/index.ts'
import { note } from '../support/model-server/note-tool.ts'
import { type ModelServer, type Said, startModelServer } from '../support/model-server/server.ts'

let server: ModelServer | undefined
afterEach(() => server?.stop())

function setUp() {
  const run = createDispatcher({ tools: [note], mode: 'full' }).run()
  const names = wireNames(run.tools.map(({ name }) => name))
  const wire = names.toWire('notes/read:one')
  const own = (call: ToolCall) => ({ ...call, name: names.fromWire(call.name) ?? call.name })
  const dispatch = ({ calls, finishReason }: ReadCalls) =>
    run.dispatch(calls.map(own), finishReason === undefined ? {} : { finishReason })
  const script: Said[] = [
    {
      reasoning: 'Three.',
      text: 'I look – wait.',
      calls: [
        { id: 'c1', name: wire, args: '{"path":"/ä"}' },
        { id: 'c2', name: wire, args: '{"path":"/pic"}' },
        { id: 'c3', name: wire, args: '{"path":"/x","rows":0}' },
      ],
    },
    { text: 'done' },
  ]
  return { run, names, dispatch, script }
}

const said = ({ id, name, arguments: text }: ToolCall) => ({
  type: 'function' as const,
  id: id ?? '',
  function: { name, arguments: String(text) },
})

const outcomes = ['completed', 'completed', 'invalid']

describe('the official SDKs', () => {
  it('openai, Chat Completions: interleaved calls, results and an image (P25, P38)', async () => {
    const { run, names, dispatch, script } = setUp()
    server = await startModelServer(script)
    const client = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 })
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }]
    const ask = async () => {
      const reader = readStream('openai-chat')
      const stream = await client.chat.completions.create({
        model: 'gpt-x',
        messages,
        tools: toolsFor('openai-chat', run.tools, names),
        stream: true,
      })
      let content = ''
      for await (const chunk of stream) {
        reader.push(chunk)
        content += chunk.choices[0]?.delta.content ?? ''
      }
      const read = reader.finish()
      messages.push({
        role: 'assistant',
        content,
        ...(read.calls.length > 0 && { tool_calls: read.calls.map(said) }),
      })
      return read
    }
    const first = await ask()
    const round = await dispatch(first)
    expect(round.results.map(({ outcome }) => outcome)).toEqual(outcomes)
    messages.push(...openAIChat.writeResults(round.results))
    expect((await ask()).calls).toEqual([])
    expect(messages.at(-1)?.content).toBe('done')
    expect(JSON.stringify(server.requests[1]?.body)).toContain('data:image/png;base64,aGk=')
  })

  it('openai, Responses', async () => {
    const { run, names, dispatch, script } = setUp()
    server = await startModelServer(script)
    const client = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 })
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'go' }]
    const ask = async () => {
      const reader = readStream('openai-responses')
      const stream = client.responses.stream({
        model: 'gpt-x',
        input,
        tools: toolsFor('openai-responses', run.tools, names),
      })
      for await (const event of stream) reader.push(event)
      const response = await stream.finalResponse()
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
      return { ...reader.finish(), text: response.output_text }
    }
    const round = await dispatch(await ask())
    expect(round.results.map(({ outcome }) => outcome)).toEqual(outcomes)
    input.push(...openAIResponses.writeResults(round.results))
    expect(await ask()).toMatchObject({ calls: [], text: 'done' })
    expect(JSON.stringify(server.requests[1]?.body)).toContain('data:image/png;base64,aGk=')
  })

  it('@anthropic-ai/sdk: thinking kept, results first in one message (P29)', async () => {
    const { run, names, dispatch, script } = setUp()
    server = await startModelServer(script)
    const client = new Anthropic({ apiKey: 'key', baseURL: server.url, maxRetries: 0 })
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'go' }]
    const ask = async () => {
      const reader = readStream('anthropic')
      const stream = client.messages.stream({
        model: 'claude-x',
        max_tokens: 1_000,
        messages,
        tools: toolsFor('anthropic', run.tools, names),
      })
      for await (const event of stream) reader.push(event)
      const { role, content } = await stream.finalMessage()
      messages.push({ role, content })
      return reader.finish()
    }
    const round = await dispatch(await ask())
    expect(round.results.map(({ outcome }) => outcome)).toEqual(outcomes)
    messages.push(...anthropic.writeResults(round.results))
    expect((await ask()).calls).toEqual([])
    expect(messages.at(-1)?.content).toMatchObject([{ type: 'text', text: 'done' }])
    expect(JSON.stringify(server.requests[1]?.body)).toContain('c2lnbmVk')

    // The person goes on before the calls of the last answer are answered.
    await server.stop()
    server = await startModelServer([{ text: 'ok' }])
    const second = new Anthropic({ apiKey: 'key', baseURL: server.url, maxRetries: 0 })
    const dangling: Anthropic.MessageParam[] = [
      ...messages.slice(0, 2),
      { role: 'user', content: 'never mind' },
    ]
    const asked = { model: 'claude-x', max_tokens: 10 }
    await expect(second.messages.create({ ...asked, messages: dangling })).rejects.toThrow(
      'tool_result',
    )
    const repaired = repairHistory(dangling, 'anthropic')
    const stream = second.messages.stream({ ...asked, messages: repaired })
    expect(await stream.finalText()).toBe('ok')
  })

  it('@google/genai: as many responses as calls, under the names it said (P31, P35)', async () => {
    const { run, names, dispatch, script } = setUp()
    server = await startModelServer(script)
    const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: server.url } })
    const contents: object[] = [{ role: 'user', parts: [{ text: 'go' }] }]
    const ask = async () => {
      const reader = readStream('gemini')
      const parts: object[] = []
      const stream = await client.models.generateContentStream({
        model: 'gemini-x',
        contents,
        config: { tools: toolsFor('gemini', run.tools, names) as never },
      })
      for await (const chunk of stream) {
        reader.push(chunk)
        parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
      }
      contents.push({ role: 'model', parts })
      return reader.finish()
    }
    const first = await ask()
    const round = await dispatch(first)
    expect(round.results.map(({ outcome }) => outcome)).toEqual(outcomes)
    contents.push(...gemini.writeResults(round.results, first.calls))
    expect((await ask()).calls).toEqual([])
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"data":"aGk="')
  })

  it('@aws-sdk/client-bedrock-runtime: Converse, images as bytes, inputs as objects (P32)', async () => {
    const { run, names, dispatch, script } = setUp()
    server = await startModelServer(script)
    const client = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: server.url,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      // Its own default is HTTP/2.
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    })
    const messages: Message[] = [{ role: 'user', content: [{ text: 'go' }] }]
    const ask = async () => {
      const tools = toolsFor('bedrock', run.tools, names) as Tool[]
      const response = await client.send(
        new ConverseCommand({ modelId: 'model-x', messages, toolConfig: { tools } }),
      )
      if (response.output?.message) messages.push(response.output.message)
      const { output, stopReason } = response
      return readCalls({ output, stopReason })
    }
    const round = await dispatch(await ask())
    expect(round.results.map(({ outcome }) => outcome)).toEqual(outcomes)
    messages.push(...bedrock.writeResults(round.results))
    expect((await ask()).calls).toEqual([])
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"bytes":"aGk="')

    // A call whose arguments were cut is replayed as an object.
    await server.stop()
    server = await startModelServer([{ text: 'ok' }])
    const cut = bedrock.writeCalls([{ id: 'c9', name: 'my tool!', arguments: '{"path":' }], names)
    const history = repairHistory(
      [messages[0], cut, { role: 'user', content: [{ text: 'on' }] }] as Message[],
      'bedrock',
    )
    const again = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: server.url,
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      // Its own default is HTTP/2.
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    })
    const said = await again.send(new ConverseCommand({ modelId: 'model-x', messages: history }))
    expect(said.output?.message?.content).toEqual([{ text: 'ok' }])
  })
})
