/** The built-in tools where they are deployed: one session of the real Worker, over a restart in its middle. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../src/index.ts'
import { type BotServer, botServer } from '../support/bot-server.ts'
import { openChat } from '../support/chat.ts'
import { type MediaServer, mediaServer } from '../support/media-server.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'
import { workerRounds } from '../support/worker-rounds.ts'

const call = (id: string, name: string, args: object = {}) => ({ id, name, arguments: args })

const servers: ReturnType<typeof createServer>[] = []

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the built-in tools in the Worker', { timeout: 30_000 }, () => {
  let worker: TestWorker
  let bots: BotServer
  let media: MediaServer
  let bindings: Record<string, string>
  const persist = mkdtempSync(join(tmpdir(), 'threepass-builtin-'))
  const start = async () => {
    worker = await startWorker({ persist, bindings })
  }

  beforeAll(async () => {
    bots = botServer('bot-token')
    media = mediaServer('media-key')
    const [bot, image] = await Promise.all([listen(bots.listener), listen(media.listener)])
    bindings = {
      ALLOWED_HOSTS: bot,
      TELEGRAM_BOT_TOKEN: 'bot-token',
      TELEGRAM_CHATS: 'Team=-100, Gone=gone',
      TELEGRAM_BASE_URL: `http://${bot}/telegram`,
      IMAGE_MODEL: 'openai:gpt-image-1',
      SPEECH_MODEL: 'openai:tts-1',
      MEDIA_BASE_URL: `http://${image}/v1`,
      MEDIA_API_KEY: 'media-key',
    }
    await start()
  }, 60_000)
  afterAll(async () => {
    await worker?.stop()
    for (const server of servers) server.close()
    rmSync(persist, { recursive: true, force: true })
  })

  const { open, round, finish, done } = workerRounds(() => worker)
  const texts = (results: readonly ToolResult[]) => results.map(({ content }) => content)

  it('offers the tools of the specification, tagged as it says [spec.all-flags]', async () => {
    const { tools } = (await (await worker.send('/v1/tools')).json()) as {
      tools: { name: string; concurrent: boolean; interactive: boolean }[]
    }
    const concurrent =
      'read_files find_files find_tools file_history chat_history error_history fetch_page search_web http_request download_file test_tool calculate subagents list_chatbot send_to_chatbot reasoning_guide html_template write_todo'.split(
        ' ',
      )
    const serial = 'edit_file run_command generate_audio generate_image ask_user'.split(' ')
    /** Of our own, beside the specification's names. */
    const own = new Set(['current_time', 'read_result', 'wait', 'manage_extensions'])
    const named = tools.filter(({ name }) => !own.has(name))
    const tagged = (flag: boolean) =>
      named.filter((tool) => tool.concurrent === flag).map(({ name }) => name)
    expect(concurrent).toHaveLength(18)
    expect(tagged(true).sort()).toEqual([...concurrent].sort())
    expect(tagged(false).sort()).toEqual([...serial].sort())
    expect(tools.find(({ name }) => name === 'ask_user')?.interactive).toBe(true)
  })

  it('run_command works on files that outlive the Worker; looking asks nobody', async () => {
    const run = await open()
    const [wrote] = await done(
      run,
      call('w', 'run_command', {
        argv: [
          'mkdir -p data; for i in 3 1 2; do echo "row $i" >> data/rows; done; cat data/rows | sort > data/sorted',
        ],
      }),
    )
    expect(wrote?.content).toContain('wrote /data/rows, wrote /data/sorted')
    await worker.stop()
    await start()
    const looked = await round(
      run,
      [
        call('l', 'run_command', { argv: ['head -n 1 data/sorted; jq -n "1+1"'] }),
        call('h', 'file_history', { path: '/data/rows' }),
      ],
      'look',
    )
    expect(looked.status).toBe(200)
    expect(looked.body.results[0]?.content).toBe('row 1\n2')
    expect(looked.body.results[1]?.content).toContain('run_command')
  })

  it('ask_user waits across requests and a restart, beside the other calls; a secret is nowhere to be read', async () => {
    const run = await open()
    const calls = [
      call('c', 'calculate', { expressions: ['100 km/h to m/s', 'comb(52, 5)'] }),
      call('q', 'ask_user', {
        questions: [
          { question: 'Which?', options: ['a', 'b'] },
          { question: 'Your key?', secret: true, name: 'my_key' },
        ],
      }),
    ]
    const first = await round(run, calls, 'ask')
    expect(first.status).toBe(202)
    expect(first.body.pendingCalls).toMatchObject([{ callId: 'q', name: 'ask_user' }])
    await worker.stop()
    await start()
    const key = first.body.pendingCalls[0]?.key ?? ''
    const answer = { key, result: { answers: ['b', 'hunter2-secret'] } }
    expect((await worker.post(`${run}/calls/q/result`, answer)).status).toBe(200)
    const { results } = (await round(run, calls, 'ask')).body
    expect(results[0]?.content).toContain('"comb(52, 5)":"2598960"')
    expect(results[1]?.value).toEqual({
      answers: [
        { question: 'Which?', answer: 'b' },
        {
          question: 'Your key?',
          secret: 'my_key',
          note: expect.stringContaining('{{secret:my_key}}'),
        },
      ],
    })
    const state = await (await worker.send(run)).text()
    const events = await (await worker.send(`${run}/events?follow=false`)).text()
    expect(state + events).not.toContain('hunter2-secret')
    expect(events).toContain('client_tool_call')
  })

  it('a subagent works in the same session, and asks in the name of the round around it', async () => {
    const run = await open()
    const calls = [
      call('s', 'subagents', {
        task: '/edit_file mode=write path=/from-sub.md content="by a subagent" then /calculate expressions=["6*7"]',
      }),
    ]
    const asked = await round(run, calls, 'sub')
    expect(asked.status).toBe(202)
    const [question] = asked.body.pendingApprovals
    expect(question).toMatchObject({ name: 'edit_file', arguments: { path: '/from-sub.md' } })
    expect(question?.callId).toMatch(/^s\//)
    // It goes on where it was, after a restart in the middle of it.
    await worker.stop()
    await start()
    const { callId, token } = question ?? { callId: '', token: '' }
    const answers = [{ callId, token, decision: 'approve' }]
    await worker.post(`${run}/approvals`, { answers })
    const [sub] = await finish(run, calls, 'sub')
    expect(sub?.content).toMatch(/^\[subagent · default · session=/)
    expect(sub?.content).toContain('42')
    const [read] = await done(run, call('r', 'read_files', { files: [{ path: '/from-sub.md' }] }))
    expect(read?.content).toContain('by a subagent')
  })

  it('test_tool runs a script of the workspace in QuickJS', async () => {
    const run = await open()
    const about = {
      name: 'twice',
      description: 'Doubles.',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    }
    const code =
      'export default ({ n }) => {\n  if (n < 0) throw new RangeError("negative")\n  return n * 2\n}'
    const write = (path: string, content: string) =>
      call(path.slice(-9), 'edit_file', { mode: 'write', path, content })
    await done(
      run,
      write('/tools/twice/tool.json', JSON.stringify(about)),
      write('/tools/twice/script.js', code),
    )
    const test = (id: string, input: string) => call(id, 'test_tool', { name: 'twice', input })
    const results = await done(
      run,
      test('a', '{"n":21}'),
      test('b', '{"n":-1}'),
      test('c', '{"n":"x"}'),
    )
    expect(texts(results)).toEqual([
      'output:\n42',
      expect.stringContaining('RangeError: negative at script.js:2:'),
      expect.stringContaining('/n must be number'),
    ])
    const endless = 'export default () => { for (;;) {} }'
    await done(run, write('/tools/twice/script.js', endless))
    const [over] = await done(run, test('d', '{"n":1}'))
    expect(over?.content).toContain('it ran too long')
  })

  it('error_history is told under the next failure, chat_history finds what a chat was about', async () => {
    const sessionId = 'history'
    const run = await open({ sessionId })
    const [failed] = await done(run, call('f', 'read_files', { files: [{ path: '/missing.md' }] }))
    expect(failed?.content).not.toContain('related_errors')
    await done(
      run,
      call('w', 'error_history', {
        tool_name: 'read_files',
        keywords: ['no such file'],
        symptom: 'there is no such file',
        action: 'looked with find_files first',
        outcome: 'resolved',
      }),
    )
    const [again] = await done(run, call('g', 'read_files', { files: [{ path: '/other.md' }] }))
    expect(again?.content).toContain('related_errors: [{"symptom":"there is no such file"')
    const { chat, until } = openChat(worker.url, { id: sessionId })
    await chat.sendMessage({ text: '/calculate expressions=["6*7"] then /say The walrus says $1' })
    await until()
    const found = await done(
      run,
      call('l', 'chat_history', {}),
      call('s', 'chat_history', { keyword: 'walrus' }),
      call('e', 'error_history', { keyword: 'file' }),
    )
    const [task] = Object(found[1]?.value) as {
      task_id: string
      objective: string
      did: string[]
    }[]
    expect(task?.objective).toContain('walrus')
    expect(task?.did).toContain('calculate')
    expect(found[0]?.content).toContain(task?.task_id)
    expect(found[2]?.content).toContain('looked with find_files first')
    const [whole] = await done(run, call('r', 'chat_history', { task_id: task?.task_id }))
    expect(whole?.content).toContain('## calculate')
    expect(whole?.content).toContain('## Answer')
  })

  it('in a chat of useChat: a subagent’s question is a part to approve, ask_user one to answer', async () => {
    const { chat, until, parts, text } = openChat(worker.url, {
      id: 'plain-chat',
      sendAutomaticallyWhen: (given) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(given) ||
        lastAssistantMessageIsCompleteWithToolCalls(given),
    })
    const write = '/edit_file mode=write path=/from-chat.md content=hello'
    await chat.sendMessage({ text: `/subagents task="${write}"` })
    await until()
    const tool = () => parts().filter(({ type }) => type === 'dynamic-tool') as DynamicToolUIPart[]
    const asked = tool().find(({ state }) => state === 'approval-requested')
    expect(asked).toMatchObject({ toolName: 'edit_file', input: { path: '/from-chat.md' } })
    const id = asked && 'approval' in asked ? (asked.approval?.id ?? '') : ''
    await chat.addToolApprovalResponse({ id, approved: true })
    await until(() => text() !== '')
    expect(text()).toContain('saved /from-chat.md')
    expect(tool().every(({ state }) => state === 'output-available')).toBe(true)

    const questions = JSON.stringify([{ question: 'Which?', options: ['a', 'b'] }])
    await chat.sendMessage({ text: `/ask_user questions=${questions}` })
    await until()
    const question = tool().find(({ toolName }) => toolName === 'ask_user')
    expect(question).toMatchObject({ state: 'input-available' })
    void chat.addToolOutput({
      tool: 'ask_user' as never,
      toolCallId: question?.toolCallId ?? '',
      output: { answers: ['b'] } as never,
    })
    await until(() => text() !== '')
    expect(text()).toContain('"answer": "b"')
  })

  it('messages to chats, pictures and sounds: asked for, done, and no token anywhere', async () => {
    const run = await open()
    const results = await done(
      run,
      call('l', 'list_chatbot', { platform: 'telegram' }),
      call('s', 'send_to_chatbot', { platform: 'telegram', target_id: '-100', message: 'Hello' }),
      call('g', 'send_to_chatbot', { platform: 'telegram', target_id: 'gone', message: 'Hello' }),
      call('i', 'generate_image', { prompt: 'a pixel', output_file: '/pixel.png' }),
      call('a', 'generate_audio', { text: 'Hello' }),
    )
    expect(texts(results)).toEqual([
      '[{"id":"-100","name":"Team"},{"id":"gone","name":"Gone"}]',
      '{"ok":true,"chat_id":"-100","message_id":"1"}',
      expect.stringContaining('chat not found'),
      expect.stringContaining('saved /pixel.png: image/png'),
      expect.stringContaining('saved /media/audio-a.mp3: audio/mpeg'),
    ])
    expect(bots.sent).toMatchObject([{ platform: 'telegram', chat: '-100', text: 'Hello' }])
    const seen = await Promise.all(
      [run, `${run}/events?follow=false`, '/v1/tools', '/openapi.json'].map(async (path) =>
        (await worker.send(path)).text(),
      ),
    )
    expect(seen.join('')).not.toMatch(/bot-token|media-key/)
    const [image] = await done(run, call('r', 'read_files', { files: [{ path: '/pixel.png' }] }))
    expect(image?.media).toMatchObject([{ type: 'image', mimeType: 'image/png' }])
  })

  it('guides and templates', async () => {
    const run = await open()
    const results = await done(
      run,
      call('g', 'reasoning_guide', { topics: ['tool_error'] }),
      call('t', 'html_template', { mode: 'read', name: 'report' }),
    )
    expect(results[0]?.content).toContain('# When a call fails')
    expect(results[1]?.content).toContain('<!doctype html>')
  })
})
