import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { generateAudioTool, generateImageTool } from '../../../src/builtin/index.ts'
import { createDispatcher } from '../../../src/index.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { mediaModels } from '../../../worker/models.ts'
import { callOf } from '../../support/gated-tool.ts'
import { mediaServer, mp3, pngBase64 } from '../../support/media-server.ts'
import { serve } from '../net/server.ts'
import { call } from './call.ts'

const png = Uint8Array.from(atob(pngBase64), (char) => char.charCodeAt(0))

async function setup(key = 'key') {
  const server = mediaServer('key')
  const openai = createOpenAI({ apiKey: key, baseURL: `http://${await serve(server.listener)}/v1` })
  const workspace = memoryWorkspace()
  const image = generateImageTool({ model: openai.image('gpt-image-1'), workspace })
  const audio = generateAudioTool({ model: async () => openai.speech('tts-1'), workspace })
  return { ...server, workspace, image, audio }
}

describe('generate_image', () => {
  it('saves the picture and shows it, asked for as it was wanted', async () => {
    const { image, workspace, requests } = await setup()
    const args = { prompt: 'a grey pixel', size: '1024x1024', quality: 'low' }
    const { value, content, media } = await call(image, args)
    expect(content).toContain('saved /media/image-c.png: image/png')
    expect(value).toMatchObject({ path: '/media/image-c.png', mimeType: 'image/png' })
    expect(media).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
    expect((await workspace.read('/media/image-c.png'))?.data).toEqual(png)
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      model: 'gpt-image-1',
      prompt: 'a grey pixel',
      size: '1024x1024',
      quality: 'low',
      n: 1,
    })
  })

  it('never over another picture by chance, and where it is told', async () => {
    const { image, workspace } = await setup()
    await call(image, { prompt: 'one' })
    const second = await call(image, { prompt: 'two' })
    expect(second.value).toMatchObject({ path: '/media/image-c-2.png' })
    await call(image, { prompt: 'three', output_file: 'art/x.png' })
    expect((await workspace.list('/')).map(({ path }) => path)).toEqual([
      '/art/x.png',
      '/media/image-c-2.png',
      '/media/image-c.png',
    ])
  })

  it('sends a picture of the workspace along', async () => {
    const { image, workspace, requests } = await setup()
    await workspace.write('/ref.png', png)
    await workspace.write('/ref.txt', 'text')
    const done = await call(image, { prompt: 'bluer', reference_image_path: '/ref.png' })
    expect(done.outcome).toBe('completed')
    expect(requests[0]?.path).toBe('/images/edits')
    expect(requests[0]?.body).toContain('image/png')
    const text = await call(image, { prompt: 'x', reference_image_path: '/ref.txt' })
    expect(text.content).toContain('/ref.txt is no picture')
    const none = await call(image, { prompt: 'x', reference_image_path: '/no.png' })
    expect(none.content).toContain('there is no such file')
  })

  it.each([
    ['forbidden', 'rejected by the safety system'],
    ['nothing', 'the model gave nothing back'],
    ['text only', 'no image of a known kind (10 bytes)'],
  ])('%s: fails with the reason and leaves no file', async (prompt, reason) => {
    const { image, workspace } = await setup()
    const { outcome, content } = await call(image, { prompt })
    expect(outcome).toBe('failed')
    expect(content).toContain(reason)
    expect(await workspace.list('/')).toEqual([])
  })

  it('a wrong key is said, and is not in what is said', async () => {
    const { image } = await setup('sk-wrong-secret')
    const { content } = await call(image, { prompt: 'x' })
    expect(content).toContain('Incorrect API key')
    expect(content).not.toContain('sk-wrong-secret')
  })

  it('asks a person, and runs in turn with long time-outs', async () => {
    const { image, audio } = await setup()
    expect([image.concurrent, image.timeout, audio.concurrent, audio.timeout]).toEqual([
      undefined,
      900_000,
      undefined,
      300_000,
    ])
    const run = createDispatcher({ tools: [image, audio], mode: 'full' }).run()
    const { results } = await run.dispatch([
      callOf('a', 'generate_image', { prompt: 'x' }),
      callOf('b', 'generate_audio', { text: 'x' }),
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['denied', 'denied'])
  })

  it('an abort ends the request', async () => {
    const { image } = await setup()
    const stop = new AbortController()
    const run = createDispatcher({ tools: [image], mode: 'full', unattended: 'allow' }).run()
    const done = run.dispatch([callOf('a', 'generate_image', { prompt: 'x' })], {
      signal: stop.signal,
    })
    stop.abort()
    expect((await done).results[0]?.outcome).toBe('cancelled')
  })
})

describe('generate_audio', () => {
  it('saves the sound', async () => {
    const { audio, workspace, requests } = await setup()
    const { value, media } = await call(audio, { text: 'Hello', voice: 'nova' })
    expect(value).toMatchObject({ path: '/media/audio-c.mp3', mimeType: 'audio/mpeg' })
    expect(media).toMatchObject([{ type: 'audio', mimeType: 'audio/mpeg' }])
    expect((await workspace.read('/media/audio-c.mp3'))?.data).toEqual(mp3)
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ input: 'Hello', voice: 'nova' })
  })
})

describe("the Worker's models of them", () => {
  it('openai:<id> at an address of its own', async () => {
    const server = mediaServer('key')
    const env = {
      IMAGE_MODEL: 'openai:gpt-image-1',
      SPEECH_MODEL: 'openai:tts-1',
      MEDIA_BASE_URL: `http://${await serve(server.listener)}/v1/`,
      MEDIA_API_KEY: 'key',
    }
    const { imageModel, speechModel } = mediaModels(env)
    const workspace = memoryWorkspace()
    if (!imageModel || !speechModel) throw new Error('no models')
    const image = await call(generateImageTool({ model: imageModel, workspace }), { prompt: 'x' })
    const audio = await call(generateAudioTool({ model: speechModel, workspace }), { text: 'x' })
    expect([image.outcome, audio.outcome]).toEqual(['completed', 'completed'])
  })

  it('workers-ai:<id> through the binding', async () => {
    const asked: [string, object][] = []
    // Answers as the binding does: a stream of the picture, and of the sound.
    const AI = {
      async run(model: string, input: object) {
        asked.push([model, input])
        const bytes = 'prompt' in input ? png : mp3
        return new Response(bytes).body
      },
    }
    const env = {
      AI,
      IMAGE_MODEL: 'workers-ai:@cf/stabilityai/stable-diffusion-xl-base-1.0',
      SPEECH_MODEL: 'workers-ai:@cf/deepgram/aura-1',
    }
    const { imageModel, speechModel } = mediaModels(env)
    const workspace = memoryWorkspace()
    if (!imageModel || !speechModel) throw new Error('no models')
    const image = await call(generateImageTool({ model: imageModel, workspace }), { prompt: 'x' })
    expect(image.value).toMatchObject({ mimeType: 'image/png' })
    const audio = await call(generateAudioTool({ model: speechModel, workspace }), { text: 'x' })
    expect(audio.value).toMatchObject({ mimeType: 'audio/mpeg' })
    expect(asked.map(([model]) => model)).toEqual([
      '@cf/stabilityai/stable-diffusion-xl-base-1.0',
      '@cf/deepgram/aura-1',
    ])
  })

  it.each([
    [{ IMAGE_MODEL: 'dall-e' }, 'IMAGE_MODEL is "dall-e"; the forms are'],
    [{ IMAGE_MODEL: 'openai:x' }, 'needs the secret MEDIA_API_KEY'],
    [{ SPEECH_MODEL: 'workers-ai:x' }, 'needs the AI binding'],
  ])('%j is refused', (env, message) => {
    expect(() => mediaModels(env)).toThrow(message)
  })

  it('none without a variable', () => {
    expect(mediaModels({})).toEqual({})
  })
})
