import { describe, expect, it } from 'vitest'
import { chatBotTools, discordBot, slackBot, telegramBot } from '../../../src/builtin/index.ts'
import { type AnyTool, createDispatcher, type ToolResult } from '../../../src/index.ts'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { botServer } from '../../support/bot-server.ts'
import { callOf } from '../../support/gated-tool.ts'
import { serve } from '../net/server.ts'

const token = '123456:ABC-secret'

async function setup(given = token) {
  const server = botServer(token)
  const host = await serve(server.listener)
  const chats = [
    { id: '-100', name: 'Team' },
    { id: 'C100', name: 'General' },
    { id: 'slow', name: 'Slow' },
    { id: 'broken', name: 'Broken' },
    { id: 'gone', name: 'Gone' },
  ]
  const at = (platform: string) => ({ token: given, chats, baseUrl: `http://${host}/${platform}` })
  const platforms = [telegramBot(at('telegram')), discordBot(at('discord')), slackBot(at('slack'))]
  const fetch = guardedFetch({ allowHosts: [host] })
  const tools = chatBotTools({ platforms, fetch })
  const run = createDispatcher({ tools, mode: 'full', unattended: 'allow' }).run()
  let calls = 0
  const send = async (platform: string, target_id: string, message: string) => {
    calls += 1
    const args = { platform, target_id, message }
    const { results } = await run.dispatch([callOf(`c${calls}`, 'send_to_chatbot', args)])
    return results[0] as ToolResult
  }
  return { ...server, run, send, tools }
}

describe('send_to_chatbot', () => {
  it.each([
    ['telegram', '-100', { ok: true, chat_id: '-100', message_id: '1' }],
    ['discord', '-100', { ok: true, channel_id: '-100', message_id: '91' }],
    ['slack', 'C100', { ok: true, channel_id: 'C100', message_id: '1503435956.000247' }],
  ])('%s takes a text and gives the id of the message', async (platform, chat, value) => {
    const { send, sent } = await setup()
    const result = await send(platform, chat, 'Grüße 🔑\nline 2')
    expect(result.value).toEqual(value)
    expect(sent).toMatchObject([{ platform, chat, text: 'Grüße 🔑\nline 2' }])
  })

  it('a text rings nobody and is no markup', async () => {
    const { send, sent } = await setup()
    await send('discord', '-100', '@everyone <@1>')
    await send('slack', 'C100', '<!channel> & *bold*')
    await send('telegram', '-100', '*bold* <b>')
    expect(sent[0]?.body).toMatchObject({ allowed_mentions: { parse: [] } })
    expect(sent[1]?.body).toMatchObject({ text: '&lt;!channel&gt; &amp; *bold*', mrkdwn: false })
    expect(sent[2]?.body).not.toHaveProperty('parse_mode')
  })

  it.each([
    ['telegram', 'gone', 'telegram refused the message with 400: Bad Request: chat not found'],
    ['telegram', 'slow', '429: Too Many Requests: retry after 35 (again in 35 s)'],
    ['telegram', 'broken', 'telegram refused the message with 502'],
    ['discord', 'gone', 'discord refused the message with 404: Unknown Channel'],
    ['discord', 'slow', '429: You are being rate limited. (again in 1.5 s)'],
    ['slack', 'gone', 'slack refused the message with 200: channel_not_found'],
    ['slack', 'slow', '429: ratelimited (again in 30 s)'],
  ])('%s to %s fails with the reason', async (platform, chat, reason) => {
    const { send, sent } = await setup()
    const { outcome, content } = await send(platform, chat, 'x')
    expect(outcome).toBe('failed')
    expect(content).toContain(reason)
    expect(sent).toEqual([])
  })

  it('only to configured chats, not empty, not too long', async () => {
    const { send, sent } = await setup()
    expect((await send('telegram', '777', 'x')).content).toContain('777 is no chat of telegram')
    expect((await send('telegram', '-100', '  ')).content).toContain('the message is empty')
    const long = await send('discord', '-100', 'x'.repeat(2_001))
    expect(long.content).toContain('has 2001 characters, discord takes 2000: send it in parts')
    expect(sent).toEqual([])
    expect((await send('discord', '-100', 'x'.repeat(2_000))).outcome).toBe('completed')
  })

  it.each(['telegram', 'discord', 'slack'])('%s: the token is in no result', async (platform) => {
    const wrong = 'wrong:token'
    const { send } = await setup(wrong)
    const refused = await send(platform, 'C100', 'x')
    expect(refused.outcome).toBe('failed')
    expect(refused.content).toMatch(/nauthorized|invalid_auth/)
    const chats = [{ id: '1', name: 'x' }]
    const bots = { telegram: telegramBot, discord: discordBot, slack: slackBot }
    const make = bots[platform as keyof typeof bots]
    // The guard names the address that it refuses, and Telegram's holds the token.
    const bot = make({ token: wrong, chats, baseUrl: 'http://127.0.0.1:1' })
    const io = { fetch: guardedFetch(), signal: new AbortController().signal }
    const error = await bot.send({ chatId: '1', text: 'x' }, io).catch((thrown: Error) => thrown)
    const said = `${(error as Error).message} ${(error as Error).stack} ${refused.content}`
    expect(said).not.toContain(wrong)
    expect((error as Error).message).toMatch(/127\.0\.0\.1/)
    // Or whoever fetches does.
    const leaking = (async (url: unknown, init?: RequestInit) => {
      throw new Error(`no route to ${url} with ${JSON.stringify(init?.headers)}`)
    }) as typeof fetch
    const lost = await bot
      .send({ chatId: '1', text: 'x' }, { ...io, fetch: leaking })
      .catch((thrown: Error) => thrown)
    expect((lost as Error).message).toContain('***')
    expect((lost as Error).message).not.toContain(wrong)
  })

  it('two messages to one chat keep their order, to two chats they overlap; a person is asked', async () => {
    const { tools } = await setup()
    const started: string[] = []
    const open: (() => void)[] = []
    const platform = {
      name: 'telegram',
      chats: [
        { id: '1', name: 'a' },
        { id: '2', name: 'b' },
      ],
      maxLength: 100,
      send: async ({ chatId, text }: { chatId: string; text: string }) => {
        started.push(chatId + text)
        await new Promise<void>((resolve) => open.push(resolve))
        return {}
      },
    }
    const own = chatBotTools({ platforms: [platform], fetch: globalThis.fetch })
    const run = createDispatcher({ tools: own, mode: 'full', unattended: 'allow' }).run()
    const send = (id: string, target_id: string, message: string) =>
      callOf(id, 'send_to_chatbot', { platform: 'telegram', target_id, message })
    const done = run.dispatch([send('a', '1', 'x'), send('b', '1', 'y'), send('c', '2', 'z')])
    while (open.length < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(started.sort()).toEqual(['1x', '2z'])
    for (const finish of open.splice(0)) finish()
    while (open.length < 1) await new Promise((resolve) => setImmediate(resolve))
    open[0]?.()
    await done
    const asked = createDispatcher({ tools, mode: 'full' }).run()
    const { results } = await asked.dispatch([send('a', '-100', 'x')])
    expect(results[0]?.outcome).toBe('denied')
  })
})

describe('list_chatbot', () => {
  it('names the chats of a platform', async () => {
    const { run } = await setup()
    const { results } = await run.dispatch([
      callOf('a', 'list_chatbot', { platform: 'slack' }),
      callOf('b', 'list_chatbot', { platform: 'irc' }),
    ])
    expect(results[0]?.value).toContainEqual({ id: 'C100', name: 'General' })
    expect(results[1]?.outcome).toBe('invalid')
  })
})

it('bots without token, chats without id, no platform or two of a name are refused early', () => {
  const code = expect.objectContaining({ code: 'THREEPASS_BAD_OPTION' })
  const chats = [{ id: '1', name: 'x' }]
  expect(() => telegramBot({ token: ' ', chats })).toThrow(code)
  expect(() => slackBot({ token, chats: [{ id: 5 as never, name: 'x' }] })).toThrow(code)
  const bot = telegramBot({ token, chats })
  const tools = (platforms: (typeof bot)[]): AnyTool[] =>
    chatBotTools({ platforms, fetch: globalThis.fetch })
  expect(() => tools([])).toThrow(code)
  expect(() => tools([bot, bot])).toThrow(code)
})
