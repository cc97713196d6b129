/**
 * The bots of send_to_chatbot, from the Worker's variables.
 * @module
 */
import {
  type BotChat,
  type BotOptions,
  type ChatPlatform,
  discordBot,
  slackBot,
  telegramBot,
} from '../src/builtin/index.ts'
import { DispatchError } from '../src/index.ts'
import { type Env, listed } from './env.ts'

/** None without a token. Throws `THREEPASS_BAD_OPTION` for a list of chats that is none. */
export function botsOf(env: Env): { bots?: readonly ChatPlatform[] } {
  const configured = [
    [telegramBot, 'TELEGRAM_CHATS', env.TELEGRAM_BOT_TOKEN, env.TELEGRAM_BASE_URL],
    [discordBot, 'DISCORD_CHANNELS', env.DISCORD_BOT_TOKEN, env.DISCORD_BASE_URL],
    [slackBot, 'SLACK_CHANNELS', env.SLACK_BOT_TOKEN, env.SLACK_BASE_URL],
  ] as const
  const bots = configured.flatMap(([make, variable, token, baseUrl]) => {
    if (!token) return []
    const options: BotOptions = { token, chats: chatsOf(variable, env[variable]) }
    return make(baseUrl ? { ...options, baseUrl } : options)
  })
  return bots.length > 0 ? { bots } : {}
}

function chatsOf(variable: string, text: string | undefined): BotChat[] {
  return listed(text).map((entry) => {
    const [name, ...id] = entry.split('=').map((part) => part.trim())
    if (name && id.length === 1 && id[0]) return { name, id: id[0] }
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      `${variable} holds "${entry}"; it is a list of name=id, separated by commas.`,
    )
  })
}
