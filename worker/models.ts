/**
 * The model of the chat, from the Worker's variables. A vendor's package is loaded when it is asked for.
 * @module
 */
import type { ImageModelV3, LanguageModelV3, SpeechModelV3 } from '@ai-sdk/provider'
import { offlineModel } from '../src/agent/index.ts'
import type { StarterSetOptions } from '../src/builtin/index.ts'
import { DispatchError } from '../src/index.ts'

export interface ModelEnv {
  /** `<vendor>:<id>`; default: the offline model. */
  readonly MODEL?: string
  /** Where the vendor's API is; default: the vendor's own. */
  readonly MODEL_BASE_URL?: string
  readonly MODEL_API_KEY?: string
  /** Models of generate_image and generate_audio: `openai:<id>` or `workers-ai:<id>`; default: no such tools. */
  readonly IMAGE_MODEL?: string
  readonly SPEECH_MODEL?: string
  /** Where an OpenAI-compatible API of them is; default: OpenAI's own. */
  readonly MEDIA_BASE_URL?: string
  /** Default: MODEL_API_KEY. */
  readonly MEDIA_API_KEY?: string
  /** The Workers AI binding. */
  readonly AI?: { run(model: string, input: object, options?: object): Promise<unknown> }
}

const forms =
  'offline, openai:<id> (any OpenAI-compatible endpoint), anthropic:<id>, google:<id>, workers-ai:<id>'

/**
 * `MODEL` is `<vendor>:<id>`; without it the offline model answers. Rejects with
 * `THREEPASS_BAD_OPTION`, which says what is missing and never a secret.
 */
export async function modelFromEnv(env: ModelEnv): Promise<LanguageModelV3> {
  const [, vendor = '', id = ''] = /^([\w-]+):?(.*)$/.exec(env.MODEL?.trim() || 'offline') ?? []
  if (vendor === 'offline') return offlineModel()
  const make = vendors[vendor]
  if (!make) throw badModel(`MODEL is "${env.MODEL}"; the forms are ${forms}`)
  if (id === '') throw badModel(`MODEL "${env.MODEL}" names no model: ${vendor}:<id>`)
  return make(id, env)
}

const vendors: {
  readonly [vendor: string]: (id: string, env: ModelEnv) => Promise<LanguageModelV3>
} = {
  async openai(id, env) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const baseURL = addressOf(env) ?? 'https://api.openai.com/v1'
    // A local endpoint may need no key; OpenAI's own does.
    const key = env.MODEL_BASE_URL ? env.MODEL_API_KEY : keyOf(env, 'openai')
    const settings = { name: 'openai', baseURL, includeUsage: true, ...(key && { apiKey: key }) }
    return createOpenAICompatible(settings)(id)
  },
  async anthropic(id, env) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const baseURL = addressOf(env)
    return createAnthropic({ apiKey: keyOf(env, 'anthropic'), ...(baseURL && { baseURL }) })(id)
  },
  async google(id, env) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const baseURL = addressOf(env)
    const settings = { apiKey: keyOf(env, 'google'), ...(baseURL && { baseURL }) }
    return createGoogleGenerativeAI(settings)(id)
  },
  async 'workers-ai'(id, { AI: binding }) {
    if (!binding) throw badModel('MODEL workers-ai:… needs the AI binding: [ai] binding = "AI"')
    const ai = await workersAI(binding)
    return ai(id as Parameters<typeof ai>[0])
  },
}

type MediaModels = Pick<StarterSetOptions, 'imageModel' | 'speechModel'>

/** What is configured. Throws `THREEPASS_BAD_OPTION` for a form that is none, at the first request. */
export function mediaModels(env: ModelEnv): MediaModels {
  const { IMAGE_MODEL: image, SPEECH_MODEL: speech } = env
  return {
    ...(image && { imageModel: mediaModel('IMAGE_MODEL', image, env, 'image') }),
    ...(speech && { speechModel: mediaModel('SPEECH_MODEL', speech, env, 'speech') }),
  }
}

interface MediaKinds {
  readonly image: ImageModelV3
  readonly speech: SpeechModelV3
}

/** Looked at now, made when it is asked for. */
function mediaModel<Kind extends keyof MediaKinds>(
  variable: string,
  value: string,
  env: ModelEnv,
  kind: Kind,
): () => Promise<MediaKinds[Kind]> {
  const [, vendor = '', id = ''] = /^(openai|workers-ai):(.+)$/.exec(value.trim()) ?? []
  if (vendor === '') {
    throw badModel(`${variable} is "${value}"; the forms are openai:<id> and workers-ai:<id>`)
  }
  if (vendor === 'workers-ai') {
    const binding = env.AI
    if (!binding) throw badModel(`${variable} workers-ai:… needs the AI binding`)
    return async () => {
      const ai = await workersAI(binding)
      // Its types list the models that it knows of.
      return ai[kind](id as never) as unknown as MediaKinds[Kind]
    }
  }
  const apiKey = env.MEDIA_API_KEY ?? env.MODEL_API_KEY
  if (!apiKey && !env.MEDIA_BASE_URL)
    throw badModel(`${variable} openai:… needs the secret MEDIA_API_KEY`)
  return async () => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const baseURL = env.MEDIA_BASE_URL?.replace(/\/$/, '')
    const openai = createOpenAI({ apiKey: apiKey ?? 'none', ...(baseURL && { baseURL }) })
    return openai[kind](id) as unknown as MediaKinds[Kind]
  }
}

async function workersAI(binding: NonNullable<ModelEnv['AI']>) {
  const { createWorkersAI } = await import('workers-ai-provider')
  type Settings = Extract<Parameters<typeof createWorkersAI>[0], { binding: unknown }>
  return createWorkersAI({ binding: binding as Settings['binding'] })
}

function keyOf({ MODEL_API_KEY: key }: ModelEnv, vendor: string): string {
  if (key) return key
  throw badModel(`MODEL ${vendor}:… needs the secret MODEL_API_KEY`)
}

function addressOf({ MODEL_BASE_URL: address }: ModelEnv): string | undefined {
  if (!address) return undefined
  if (URL.canParse(address) && /^https?:/.test(address)) return address.replace(/\/$/, '')
  throw badModel('MODEL_BASE_URL must be an http(s) address, such as http://127.0.0.1:11434/v1')
}

function badModel(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `${what}.`)
}
