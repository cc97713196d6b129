/**
 * PORT ChatPlatform: a bot that may write to some chats.
 * @module
 */
import { DispatchError } from '../../errors.ts'
import { request } from '../../net/request.ts'
import type { JsonObject } from '../../round.ts'

export interface BotChat {
  /** The platform's own: a chat, channel or user. */
  readonly id: string
  readonly name: string
}

export interface BotMessage {
  readonly chatId: string
  readonly text: string
}

export interface ChatPlatform {
  /** What the model calls it: `telegram`. */
  readonly name: string
  /** The chats that the bot may write to; no other is ever written to. */
  readonly chats: readonly BotChat[]
  /** Longest text, in characters as the platform counts them. */
  readonly maxLength: number
  /** Sends, and resolves with what the platform says of the message. Rejects with a text that holds no token. */
  readonly send: (message: BotMessage, io: BotIo) => Promise<JsonObject>
}

export interface BotIo {
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

export interface BotOptions {
  readonly token: string
  readonly chats: readonly BotChat[]
  /** Where the API is; default: the platform's own. */
  readonly baseUrl?: string
}

const timeoutMs = 30_000
const maxBytes = 262_144

/** Throws `THREEPASS_BAD_OPTION` for a bot without token or with ids that are none. */
export function checkBot(platform: string, { token, chats }: BotOptions): void {
  if (typeof token !== 'string' || token.trim() === '') throw bad(`${platform} needs a token`)
  const wrong = chats.find(({ id }) => typeof id !== 'string' || id === '')
  if (wrong) throw bad(`${platform}: the id of a chat must be a text, also a number as '123'`)
}

function bad(what: string): DispatchError {
  return new DispatchError('THREEPASS_BAD_OPTION', `${what}.`)
}

/** Posts JSON and resolves with the answer's JSON and status. */
export async function postJson(
  url: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
  { fetch, signal }: BotIo,
): Promise<{ status: number; retryAfter: string | undefined; answer: JsonObject }> {
  const init = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json;charset=utf-8' },
    body: JSON.stringify(body),
  }
  const { response, body: read } = await request(fetch, url, init, { timeoutMs, maxBytes, signal })
  let answer: JsonObject = {}
  try {
    answer = Object(JSON.parse(read.text ?? '{}')) as JsonObject
  } catch {
    // A proxy's page: the status says enough.
  }
  const retryAfter = response.headers.get('retry-after') ?? undefined
  return { status: response.status, retryAfter, answer }
}

/** Whatever goes wrong names no token: it stands in addresses, and addresses stand in errors. */
export async function withoutToken<T>(token: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (!text.includes(token)) throw error
    throw new Error(text.replaceAll(token, '***'))
  }
}

/** What a person and a model should know of a refusal. */
export function refusal(
  platform: string,
  status: number,
  reason: unknown,
  retryAfter: unknown,
): Error {
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''
  const wait = retryAfter === undefined ? '' : ` (again in ${String(retryAfter)} s)`
  return new Error(`${platform} refused the message with ${status}${why}${wait}`)
}
