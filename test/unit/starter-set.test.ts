/** The starter set against the specification's words, and the stores against "one suite, each where it lives". */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { starterSet, telegramBot } from '../../src/builtin/index.ts'
import { memoryHistory } from '../../src/history/memory.ts'
import { type AnyTool, createDispatcher } from '../../src/index.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { callOf } from '../support/gated-tool.ts'

const workspace = memoryWorkspace()
let fetched = 0
const answering = (async (_: unknown, init?: RequestInit) => {
  fetched += 1
  return new Response(`{"n":${fetched}}`, {
    status: init?.method === 'GET' && fetched === 1 ? 500 : 200,
    headers: { 'content-type': 'application/json' },
  })
}) as typeof fetch

const starter: readonly AnyTool[] = starterSet({
  workspace,
  fetch: answering,
  store: memoryRunStore(),
  search: [],
})
const named = (fits: (tool: AnyTool) => boolean) => starter.filter(fits).map((tool) => tool.name)

it('tools that need a part of the host are there only with it [spec.starter-flags]', () => {
  const whole = starterSet({
    workspace,
    fetch: answering,
    store: memoryRunStore(),
    search: [],
    bots: [telegramBot({ token: 't', chats: [] })],
    imageModel: () => Promise.reject(new Error('not used')),
    speechModel: () => Promise.reject(new Error('not used')),
    ask: { ask: () => Promise.reject(new Error('not used')) },
    history: memoryHistory(),
  })
  const names = whole.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !starter.some((tool) => tool.name === name)).sort()).toEqual([
    'ask_user',
    'chat_history',
    'error_history',
    'generate_audio',
    'generate_image',
    'list_chatbot',
    'send_to_chatbot',
  ])
  const serial = whole.filter((tool) => !tool.concurrent).map(({ name }) => name)
  expect(serial.sort()).toEqual(['ask_user', 'edit_file', 'generate_audio', 'generate_image'])
})

it('only fetch_page, search_web and http_request GET are cached, for 30 minutes, and errors never [spec.cache] [c.never-stored]', async () => {
  expect(named((tool) => tool.cache !== undefined)).toEqual([
    'fetch_page',
    'http_request',
    'search_web',
  ])
  expect(starter.every((tool) => (tool.cache?.ttl ?? 1_800) === 1_800)).toBe(true)
  const dispatcher = createDispatcher({ tools: starter, mode: 'full', unattended: 'allow' })
  const outcome = async (args: object) => {
    const { results } = await dispatcher
      .run({ sessionId: 's' })
      .dispatch([callOf('a', 'http_request', args)])
    return results[0]?.outcome
  }
  const get = { url: 'https://example.com/a', method: 'GET' }
  expect([await outcome(get), await outcome(get), await outcome(get)]).toEqual([
    'failed',
    'completed',
    'cached',
  ])
  const post = { url: 'https://example.com/a', method: 'POST' }
  expect([await outcome(post), await outcome(post)]).toEqual(['completed', 'completed'])
})

it('asks before a change and not before a look [g.needs] [g.always]', async () => {
  const asked: string[] = []
  const dispatcher = createDispatcher({
    tools: starter,
    mode: 'full',
    approver: ({ requests }) => {
      asked.push(...requests.map(({ callId }) => callId))
      return requests.map(({ callId }) => ({ callId, decision: 'approve-for-run' }))
    },
  })
  const run = dispatcher.run()
  const edit = (id: string, mode: string) =>
    callOf(id, 'edit_file', { mode, path: '/a', ...(mode === 'write' && { content: 'x' }) })
  await run.dispatch([
    callOf('get', 'http_request', { url: 'https://example.com/b' }),
    callOf('post', 'http_request', { url: 'https://example.com/b', method: 'POST' }),
    callOf('read', 'read_files', { files: [{ path: '/a' }] }),
    edit('write', 'write'),
  ])
  // The rule for the run covers another write, but never a removal.
  await run.dispatch([edit('remove', 'remove')])
  expect(asked).toEqual(['post', 'write', 'remove'])
})

it('one suite a port, run where the adapter lives [c.stores]', () => {
  const text = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  expect(text('node/memory-cache.test.ts')).toMatch(/cacheStoreContract\([\s\S]*memoryCacheStore/)
  expect(text('workerd/kv.test.ts')).toMatch(/cacheStoreContract\([\s\S]*kvCacheStore/)
  expect(text('browser/indexeddb-cache.test.ts')).toMatch(
    /cacheStoreContract\([\s\S]*indexedDBCacheStore/,
  )
})
