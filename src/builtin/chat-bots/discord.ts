/**
 * Discord's HTTP API: https://discord.com/developers/docs/resources/message#create-message
 * @module
 */
import {
  type BotOptions,
  type ChatPlatform,
  checkBot,
  postJson,
  refusal,
  withoutToken,
} from './platform.ts'

/** Mentions in the text reach nobody: a model must not ring `@everyone`. Throws `THREEPASS_BAD_OPTION`. */
export function discordBot(options: BotOptions): ChatPlatform {
  checkBot('discord', options)
  const { token, chats, baseUrl = 'https://discord.com/api/v10' } = options
  return {
    name: 'discord',
    chats,
    maxLength: 2_000,
    send: ({ chatId, text }, io) =>
      withoutToken(token, async () => {
        const url = `${baseUrl}/channels/${encodeURIComponent(chatId)}/messages`
        const body = { content: text, allowed_mentions: { parse: [] } }
        const headers = { authorization: `Bot ${token}` }
        const { status, answer, retryAfter } = await postJson(url, body, headers, io)
        const { id, message, retry_after: wait } = answer
        if (status >= 300 || typeof id !== 'string') {
          throw refusal('discord', status, message, wait ?? retryAfter)
        }
        return { channel_id: chatId, message_id: id }
      }),
  }
}
