/** Telegram's, Discord's and Slack's message APIs as far as a bot that sends meets them. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface SentMessage {
  readonly platform: string
  readonly chat: string
  readonly text: string
  readonly body: Record<string, unknown>
}

export interface BotServer {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void
  readonly sent: SentMessage[]
}

type Answer = readonly [
  status: number,
  body: object | string,
  headers?: Record<string, string> | undefined,
]

/** Knows one bot, whose token is `token`, and the chat `-100` (`C100` of Slack). `slow` and `broken` are chats too. */
export function botServer(token: string): BotServer {
  const sent: SentMessage[] = []
  const take = (platform: string, chat: unknown, text: unknown, body: Record<string, unknown>) => {
    sent.push({ platform, chat: String(chat), text: String(text), body })
    return sent.length
  }

  const telegram = (path: string, body: Record<string, unknown>): Answer => {
    const fail = (status: number, description: string, parameters?: object): Answer => [
      status,
      { ok: false, error_code: status, description, ...(parameters && { parameters }) },
    ]
    if (path !== `/bot${token}/sendMessage`) {
      return path.startsWith(`/bot${token}/`) ? fail(404, 'Not Found') : fail(401, 'Unauthorized')
    }
    const { chat_id: chat, text } = body
    if (chat === 'slow') {
      return fail(429, 'Too Many Requests: retry after 35', { retry_after: 35 })
    }
    if (chat === 'broken') return [502, '<html>Bad Gateway</html>']
    if (chat !== '-100') return fail(400, 'Bad Request: chat not found')
    if (typeof text !== 'string' || text.trim() === '') {
      return fail(400, 'Bad Request: message text is empty')
    }
    if (text.length > 4_096) return fail(400, 'Bad Request: message is too long')
    const id = take('telegram', chat, text, body)
    return [200, { ok: true, result: { message_id: id, chat: { id: -100 }, date: 0, text } }]
  }

  const discord = (
    path: string,
    body: Record<string, unknown>,
    { authorization }: IncomingMessage['headers'],
  ): Answer => {
    if (authorization !== `Bot ${token}`) {
      return [401, { message: '401: Unauthorized', code: 0 }]
    }
    const [, chat] = /^\/channels\/([^/]+)\/messages$/.exec(path) ?? []
    if (chat === 'slow') {
      const limited = { message: 'You are being rate limited.', retry_after: 1.5, global: false }
      return [429, limited, { 'retry-after': '2' }]
    }
    if (chat !== '-100') return [404, { message: 'Unknown Channel', code: 10_003 }]
    const { content } = body
    if (typeof content !== 'string' || content === '') {
      return [400, { message: 'Cannot send an empty message', code: 50_006 }]
    }
    if (content.length > 2_000) return [400, { message: 'Invalid Form Body', code: 50_035 }]
    const id = take('discord', chat, content, body)
    return [200, { id: `9${id}`, channel_id: chat, content }]
  }

  const slack = (
    path: string,
    body: Record<string, unknown>,
    { authorization, 'content-type': type }: IncomingMessage['headers'],
  ): Answer => {
    if (path !== '/chat.postMessage') return [200, { ok: false, error: 'unknown_method' }]
    if (authorization !== `Bearer ${token}`) return [200, { ok: false, error: 'invalid_auth' }]
    if (!/^application\/json;\s*charset=utf-8$/.test(type ?? '')) {
      return [200, { ok: false, error: 'invalid_json' }]
    }
    const { channel, text } = body
    if (channel === 'slow') {
      return [429, { ok: false, error: 'ratelimited' }, { 'retry-after': '30' }]
    }
    if (channel !== 'C100') return [200, { ok: false, error: 'channel_not_found' }]
    if (typeof text !== 'string' || text === '') return [200, { ok: false, error: 'no_text' }]
    take('slack', channel, text, body)
    return [200, { ok: true, channel: 'C100', ts: '1503435956.000247', message: { text } }]
  }

  const apis = { telegram, discord, slack }
  return {
    sent,
    async listener(request, response) {
      const [, platform = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? []
      let text = ''
      for await (const chunk of request) text += chunk
      const api = apis[platform as keyof typeof apis]
      const [status, body, headers] = api(path, JSON.parse(text || '{}'), request.headers)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    },
  }
}
