/**
 * Slack's Web API: https://docs.slack.dev/reference/methods/chat.postMessage
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

/** Plain text, in which Slack's control characters stand for themselves. Throws `THREEPASS_BAD_OPTION`. */
export function slackBot(options: BotOptions): ChatPlatform {
  checkBot('slack', options)
  const { token, chats, baseUrl = 'https://slack.com/api' } = options
  return {
    name: 'slack',
    chats,
    // Longer texts are cut by Slack without a word from 40,000 on; it advises 4,000.
    maxLength: 4_000,
    send: ({ chatId, text }, io) =>
      withoutToken(token, async () => {
        // `<!channel>` would call everybody: https://docs.slack.dev/messaging/formatting-message-text#escaping
        const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
        const body = { channel: chatId, text: escaped, mrkdwn: false, unfurl_links: false }
        const headers = { authorization: `Bearer ${token}` }
        const url = `${baseUrl}/chat.postMessage`
        const { status, answer, retryAfter } = await postJson(url, body, headers, io)
        // Errors come with status 200.
        if (answer.ok !== true) throw refusal('slack', status, answer.error, retryAfter)
        return { channel_id: String(answer.channel ?? chatId), message_id: String(answer.ts ?? '') }
      }),
  }
}
