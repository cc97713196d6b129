/**
 * Telegram's Bot API: https://core.telegram.org/bots/api#sendmessage
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

/** Text without any markup: a model's text is not to be read as some. Throws `THREEPASS_BAD_OPTION`. */
export function telegramBot(options: BotOptions): ChatPlatform {
  checkBot('telegram', options)
  const { token, chats, baseUrl = 'https://api.telegram.org' } = options
  return {
    name: 'telegram',
    chats,
    // UTF-16 units after entities are parsed, of which there are none.
    maxLength: 4_096,
    send: ({ chatId, text }, io) =>
      withoutToken(token, async () => {
        const url = `${baseUrl}/bot${token}/sendMessage`
        const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } }
        const { status, answer } = await postJson(url, body, {}, io)
        const { ok, result, description, parameters } = answer
        if (ok !== true) {
          const { retry_after: wait } = Object(parameters) as { retry_after?: unknown }
          throw refusal('telegram', status, description, wait)
        }
        const { message_id: id } = Object(result) as { message_id?: number }
        return { chat_id: chatId, message_id: String(id ?? '') }
      }),
  }
}
