/** ext_*: packages of tools, and the person who agrees to them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  extensionSource,
  extensionsTool,
  integrityOf,
  readExtension,
  workspaceExtensions,
} from '../../src/extension/index.ts'
import { type ApprovalBatch, createDispatcher, type JsonObject } from '../../src/index.ts'
import { guardedFetch } from '../../src/net/guarded-fetch.ts'
import { quickJSSandbox } from '../../src/script/index.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { callOf } from '../support/gated-tool.ts'
import { quickJSWasm } from '../support/quickjs-wasm.ts'

const wasm = quickJSWasm()
let host = ''
let served = ''
const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
  if (request.url === '/package.json') return response.end(served)
  if (request.url === '/away') {
    return response.writeHead(302, { location: `http://localhost:${host.split(':')[1]}/x` }).end()
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ url: request.url }))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const weather = (more: object = {}) => ({
  name: 'weather',
  version: '1.0.0',
  description: 'The weather of cities.',
  capabilities: { hosts: [host], secrets: ['WEATHER_KEY'] },
  apis: [
    {
      name: 'now',
      description: 'The weather now.',
      concurrent: true,
      endpoint: { url: `http://${host}/now/{city}`, method: 'GET' },
      parameters: { city: { type: 'string', required: true } },
    },
    {
      name: 'report',
      description: 'Reports weather.',
      endpoint: { url: `http://${host}/report`, method: 'POST' },
      auth: { type: 'bearer', secret: 'WEATHER_KEY' },
      parameters: { text: { type: 'string' } },
    },
  ],
  scripts: [
    {
      name: 'to_celsius',
      description: 'Converts degrees.',
      code: 'export default ({ f }) => Math.round(((f - 32) * 5) / 9)',
    },
    {
      name: 'look',
      description: 'Looks at an address.',
      network: true,
      code: 'export default async ({ url }) => (await fetch(url)).status',
    },
  ],
  guides: [{ topic: 'clouds', text: '# Clouds\nThey are white.' }],
  ...more,
})

function setup() {
  const workspace = memoryWorkspace()
  const kept = memoryWorkspace()
  const store = workspaceExtensions(kept)
  const source = extensionSource({
    store,
    fetchFor: (hosts) => guardedFetch({ onlyHosts: hosts, allowHosts: [host, 'localhost'] }),
    sandbox: quickJSSandbox({ wasm: () => wasm }),
    workspace,
    secrets: (name) => ({ WEATHER_KEY: 'k3y', OTHER: 'other' })[name],
  })
  const asked: ApprovalBatch[] = []
  let decision: 'approve' | 'deny' = 'approve'
  const manage = extensionsTool({
    store,
    source,
    workspace,
    fetch: guardedFetch({ allowHosts: [host] }),
  })
  const dispatcher = createDispatcher({
    tools: [manage],
    sources: [source],
    mode: 'full',
    approver: (batch) => {
      asked.push(batch)
      return batch.requests.map(({ callId }) => ({ callId, decision }))
    },
  })
  const run = dispatcher.run()
  let calls = 0
  const call = async (name: string, args: object = {}) => {
    calls += 1
    const { results } = await run.dispatch([callOf(`c${calls}`, name, args)])
    return results[0] as (typeof results)[0]
  }
  const manageCall = (args: object) => call('manage_extensions', args)
  const put = (extension: object) =>
    workspace.write('/weather.json', JSON.stringify(extension, null, 2))
  const install = async (extension: object, mode = 'install') => {
    await put(extension)
    const looked = (await manageCall({ mode: 'look', from: '/weather.json' })).value as JsonObject
    const { integrity, capabilities } = Object(looked)
    return manageCall({ mode, from: '/weather.json', integrity, capabilities })
  }
  const deny = () => {
    decision = 'deny'
  }
  return { kept, store, source, asked, dispatcher, call, manageCall, put, install, deny }
}

describe('an extension', () => {
  it('is looked at, agreed to with all it asks for, and its tools run', async () => {
    const { manageCall, install, asked, call, dispatcher, source } = setup()
    const done = await install(weather())
    expect(done.content).toContain('"done":"install"')
    expect(source.tools()).toHaveLength(5)
    expect(asked).toHaveLength(1)
    // What the person sees: the very package, and its capabilities.
    expect(asked[0]?.requests[0]?.arguments).toMatchObject({
      integrity: await integrityOf(JSON.stringify(weather(), null, 2)),
      capabilities: { hosts: [host], secrets: ['WEATHER_KEY'] },
    })
    expect((await call('ext_weather_now', { city: 'Bern/..' })).value).toEqual({
      url: '/now/Bern%2F..',
    })
    expect((await call('ext_weather_to_celsius', { f: 212 })).value).toBe(100)
    expect((await call('ext_weather_guide', { topic: 'clouds' })).content).toContain('white')
    expect(asked).toHaveLength(1)
    await call('ext_weather_report', { text: 'rain' })
    expect(seen.at(-1)).toBe('POST /report Bearer k3y')
    expect((await call('ext_weather_look', { url: `http://${host}/` })).value).toBe(200)
    expect(asked.at(-1)?.requests[0]?.tells).toBe(`uses the network: ${host}`)
    expect(asked).toHaveLength(3)
    const traits = dispatcher.catalogue.filter(({ source }) => source === 'ext')
    expect(traits.map(({ name, concurrent, confirm }) => [name, concurrent, confirm])).toEqual([
      ['ext_weather_guide', true, 'never'],
      ['ext_weather_look', false, 'always'],
      ['ext_weather_now', true, 'never'],
      ['ext_weather_report', false, 'always'],
      ['ext_weather_to_celsius', false, 'never'],
    ])
    expect((await manageCall({ mode: 'list' })).value).toMatchObject([
      { name: 'weather', version: '1.0.0', from: '/weather.json' },
    ])
  })

  it('reaches no other host, also not by a redirect', async () => {
    const { install, call } = setup()
    await install(weather())
    for (const url of [`http://localhost:${host.split(':')[1]}/`, `http://${host}/away`]) {
      const { outcome, content } = await call('ext_weather_look', { url })
      expect(outcome).toBe('failed')
      expect(content).toContain('is not in the list of allowed hosts')
    }
  })

  it('comes from a URL too; nothing is installed without consent, and it does not outlive a denial', async () => {
    const { manageCall, deny, call, asked } = setup()
    served = JSON.stringify(weather())
    const from = `http://${host}/package.json`
    const { value } = await manageCall({ mode: 'look', from })
    const { integrity, capabilities } = Object(value)
    deny()
    const denied = await manageCall({ mode: 'install', from, integrity, capabilities })
    expect(denied.outcome).toBe('denied')
    expect(asked).toHaveLength(1)
    expect((await call('ext_weather_now', { city: 'x' })).outcome).toBe('unknown')
  })

  it.each([
    [
      'another package than was looked at',
      { integrity: 'sha256-x' },
      'not the one that was looked at',
    ],
    [
      'more than it asks for',
      { capabilities: { hosts: ['a.example'], secrets: [] } },
      'other capabilities',
    ],
    ['less than it asks for', { capabilities: {} }, 'other capabilities'],
    ['an upgrade of nothing', { mode: 'upgrade' }, 'weather is not installed'],
    ['a file that is not there', { from: '/none.json' }, 'no such file'],
    ['an address that does not answer', { from: 'http://169.254.169.254/x' }, 'refused'],
  ])('%s is refused', async (_, changed, message) => {
    const { manageCall, put, store } = setup()
    await put(weather())
    const { value } = await manageCall({ mode: 'look', from: '/weather.json' })
    const { integrity, capabilities } = Object(value)
    const args = { mode: 'install', from: '/weather.json', integrity, capabilities, ...changed }
    const { outcome, content } = await manageCall(args)
    expect(outcome).toBe('failed')
    expect(content).toContain(message)
    expect(await store.list()).toEqual([])
  })

  it('is upgraded to what is newer, with a question of its own, and removed', async () => {
    const { install, call, manageCall, asked, dispatcher } = setup()
    await install(weather())
    expect((await install(weather())).content).toContain('use the mode upgrade')
    expect((await install(weather(), 'upgrade')).content).toContain('no newer than 1.0.0')
    expect((await install(weather({ version: '0.9.0' }), 'upgrade')).content).toContain('no newer')
    const slimmer = weather({ version: '1.1.0-beta.1', apis: [], capabilities: { hosts: [host] } })
    expect((await install(slimmer, 'upgrade')).outcome).toBe('completed')
    expect((await call('ext_weather_now', { city: 'x' })).outcome).toBe('unknown')
    expect((await call('ext_weather_to_celsius', { f: 32 })).value).toBe(0)
    const before = asked.length
    expect((await manageCall({ mode: 'remove', name: 'weather' })).outcome).toBe('completed')
    expect(asked).toHaveLength(before + 1)
    expect(dispatcher.catalogue.filter(({ source }) => source === 'ext')).toEqual([])
    expect((await manageCall({ mode: 'remove', name: 'weather' })).content).toContain(
      'is not installed',
    )
  })

  it('that was changed in its store is not used, and takes no other down', async () => {
    const { install, store, source, dispatcher, manageCall } = setup()
    await install(weather())
    const other = weather({ name: 'other' })
    const text = JSON.stringify(other)
    await store.put({
      name: 'other',
      text,
      integrity: await integrityOf(text),
      from: '',
      installedAt: 0,
    })
    const [installed] = (await store.list()).filter(({ name }) => name === 'weather')
    if (!installed) throw new Error('not installed')
    await store.put({ ...installed, text: installed.text.replace('white', 'black') })
    await store.put({ ...installed, name: 'third', text: '{', integrity: await integrityOf('{') })
    await source.load()
    expect(source.health().problems).toEqual([
      { definition: 'third', message: expect.stringContaining('no JSON') },
      { definition: 'weather', message: expect.stringContaining('was changed since') },
    ])
    const names = dispatcher.catalogue.map(({ name }) => name)
    expect(names).toContain('ext_other_now')
    expect(names).not.toContain('ext_weather_now')
    expect((await manageCall({ mode: 'list' })).value).toHaveLength(3)
    expect((await manageCall({ mode: 'remove', name: 'third' })).outcome).toBe('completed')
  })

  it.each(['999.999.999.999', 'a:99999', '0x100000000', 'xn--', 'a.1.2.3.4.5'])(
    'with the host %s, which no fetch can be made for, takes no other down',
    async (bad) => {
      const { store, install, source, dispatcher } = setup()
      await install(weather())
      const other = weather({ name: 'other', apis: [], capabilities: { hosts: [bad] } })
      const text = JSON.stringify(other)
      const integrity = await integrityOf(text)
      await store.put({ name: 'other', text, integrity, from: '', installedAt: 0 })
      await source.load()
      expect(source.health()).toMatchObject({
        status: 'ready',
        problems: [{ definition: 'other', message: expect.stringContaining('is no host such as') }],
      })
      expect(dispatcher.catalogue.map(({ name }) => name)).toContain('ext_weather_now')
    },
  )

  it('for which the host makes no fetch takes no other down', async () => {
    const { store, install } = setup()
    await install(weather())
    const slim = JSON.stringify(
      weather({ name: 'slim', apis: [], capabilities: { hosts: ['a.b'] } }),
    )
    const integrity = await integrityOf(slim)
    await store.put({ name: 'slim', text: slim, integrity, from: '', installedAt: 0 })
    const source = extensionSource({
      store,
      fetchFor([first = '']) {
        if (first === host) throw new Error('not this one')
        return guardedFetch()
      },
    })
    await source.load()
    expect(source.health()).toMatchObject({ status: 'ready' })
    expect(source.health().problems).toContainEqual({
      definition: 'weather',
      message: 'not this one',
    })
    expect(source.tools().map(({ name }) => name)).toEqual(['ext_slim_guide'])
  })

  it('whose record is damaged takes no other down, and can be removed', async () => {
    const { kept, install, source, dispatcher, manageCall } = setup()
    await install(weather())
    await kept.write('/extensions/torn.json', '{"name":"to')
    await kept.write('/extensions/alien.json', '{"name":"weather","text":"","integrity":""}')
    await source.load()
    expect(source.health()).toMatchObject({ status: 'ready' })
    expect(source.health().problems.map(({ definition }) => definition)).toEqual(['alien', 'torn'])
    expect(dispatcher.catalogue.map(({ name }) => name)).toContain('ext_weather_now')
    expect((await manageCall({ mode: 'list' })).value).toMatchObject([
      { name: 'alien', problems: [expect.stringContaining('was changed')] },
      { name: 'torn' },
      { name: 'weather', version: '1.0.0' },
    ])
    const torn = weather({ name: 'torn' })
    expect((await install(torn)).content).toContain('torn 0.0.0 is installed')
    expect((await manageCall({ mode: 'remove', name: 'torn' })).outcome).toBe('completed')
    expect((await install(torn)).outcome).toBe('completed')
  })

  it('that somebody else has removed or changed does not run', async () => {
    const { install, store, call, source } = setup()
    await install(weather())
    const [installed] = await store.list()
    if (!installed) throw new Error('not installed')
    const text = JSON.stringify(weather({ version: '2.0.0' }))
    await store.put({ ...installed, text, integrity: await integrityOf(text) })
    const before = seen.length
    expect((await call('ext_weather_report', { text: 'a' })).content).toContain(
      'the extension weather has changed, so nothing ran',
    )
    expect((await call('ext_weather_to_celsius', { f: 32 })).value).toBe(0)
    await store.remove('weather')
    expect((await call('ext_weather_guide', { topic: 'clouds' })).content).toContain(
      'is not installed any more',
    )
    expect(source.tools()).toEqual([])
    expect(seen).toHaveLength(before)
  })

  it('has its rate limit, sends files of the workspace, and switches no question off', async () => {
    const { install, store, call, source, asked } = setup()
    const api = (name: string, more: object, endpoint: object = {}) => ({
      name,
      description: 'Does.',
      endpoint: { url: `http://${host}/${name}`, method: 'GET', ...endpoint },
      ...more,
    })
    const upload = api(
      'upload',
      { parameters: { path: { in: 'whole_body', file: true, required: true } } },
      { method: 'PUT', content_type: 'raw' },
    )
    const apis = [
      api('limited', {
        parameters: { n: { type: 'integer' } },
        rate_limit: { calls: 1, per_seconds: 1_000 },
      }),
      api('loud', { read_only: true, always_allow: true }, { method: 'POST' }),
      upload,
    ]
    await install(weather({ apis, scripts: [], capabilities: { hosts: [host] } }))
    expect((await call('ext_weather_limited', { n: 1 })).outcome).toBe('completed')
    await source.load()
    expect((await call('ext_weather_limited', { n: 2 })).content).toContain('rate limit')
    expect(source.health().problems.map(({ message }) => message)).toEqual([
      'loud: read_only does not count in an extension',
      'loud: always_allow does not count in an extension',
    ])
    const questions = asked.length
    await call('ext_weather_loud')
    expect(asked).toHaveLength(questions + 1)
    expect(asked.at(-1)?.requests[0]?.tells).toBe(`POST http://${host}/loud`)
    expect((await call('ext_weather_upload', { path: '/weather.json' })).outcome).toBe('completed')
    const alone = extensionSource({ store, fetchFor: () => guardedFetch() })
    await alone.load()
    expect(alone.tools().map(({ name }) => name)).not.toContain('ext_weather_upload')
    expect(alone.health().problems.map(({ message }) => message)).toContain(
      'upload sends files, and there is no workspace',
    )
  })

  it('may begin with a byte order mark, which its integrity covers', async () => {
    const text = JSON.stringify(weather())
    const read = await readExtension(`\ufeff${text}`)
    expect(read.ok && read.extension.integrity).toBe(await integrityOf(`\ufeff${text}`))
    expect(read.ok && read.extension.integrity).not.toBe(await integrityOf(text))
  })

  it('without a sandbox has no scripts, and says so', async () => {
    const { store, install } = setup()
    await install(weather())
    const source = extensionSource({ store, fetchFor: (onlyHosts) => guardedFetch({ onlyHosts }) })
    await source.load()
    expect(source.tools().map(({ name }) => name)).toEqual([
      'ext_weather_now',
      'ext_weather_report',
      'ext_weather_guide',
    ])
    expect(source.health().problems.map(({ message }) => message)).toEqual([
      'to_celsius is a script, and there is no sandbox here',
      'look is a script, and there is no sandbox here',
    ])
  })
})

describe('a package', () => {
  it.each([
    ['{', /no JSON/],
    ['[]', /must be a JSON object/],
    ['x'.repeat(1_048_577), /larger than/],
    [{ name: 'Bad_name' }, /name must be a small letter/],
    [{ version: 'one' }, /version must be/],
    [{ description: ' ' }, /description must say/],
    [{ extra: 1 }, /there is no field "extra"/],
    [{ capabilities: { hosts: ['https://x/'] } }, /is no host such as/],
    [{ capabilities: { hosts: 'x' } }, /must be a list/],
    [{ capabilities: { files: [] } }, /capabilities has no "files"/],
    [{ capabilities: {} }, /now reaches 127.0.0.1:\d+: name it in capabilities.hosts/],
    [{ capabilities: { hosts: [] }, apis: [] }, /look wants the network/],
    [{ guides: [{ topic: 'x' }] }, /guides\/0 needs a topic and a text/],
    [{ scripts: [{ name: 'a', description: 'A.' }] }, /scripts\/0: script.js is empty/],
    [{ apis: [{ name: 'a' }] }, /apis\/0: description must say/],
    [{ scripts: [{ name: 'now', description: 'A.', code: 'x' }] }, /two tools are named now/],
    [{ scripts: [{ name: 'guide', description: 'A.', code: 'x' }] }, /two tools are named guide/],
    [{ scripts: Array(201).fill({}) }, /more than 200 tools/],
  ])('%j is refused', async (given, problem) => {
    const text = typeof given === 'string' ? given : JSON.stringify(weather(given))
    const read = await readExtension(text)
    expect(read.ok ? [] : read.problems.join('\n')).toMatch(problem)
  })

  const problemsOf = async (given: object) => {
    const read = await readExtension(JSON.stringify(weather(given)))
    return read.ok ? [] : read.problems
  }

  it.each(['1.2', 'v1.2.0', '1.x.0', '1.2.3.4', '01.2.3'])(
    'of the version %s is refused',
    async (version) => {
      expect((await problemsOf({ version })).join()).toContain('version must be')
    },
  )

  it.each(['0x7f000001', 'a.example:0443', 'a.example.', '127.1', '1.2.3.256'])(
    'with the host %s, which a URL writes otherwise, is refused',
    async (bad) => {
      const problems = await problemsOf({ apis: [], capabilities: { hosts: [bad] } })
      expect(problems.join()).toContain('is no host such as')
    },
  )

  it('has no name that a provider would refuse, and sends secrets over https', async () => {
    const api = { description: 'Does.', endpoint: { url: 'https://a.example/', method: 'GET' } }
    const capabilities = { hosts: ['a.example', host], secrets: ['K'] }
    const long = (count: number) => ({ ...api, name: 'n'.repeat(count) })
    expect(await problemsOf({ capabilities, apis: [long(52)] })).toEqual([])
    expect((await problemsOf({ capabilities, apis: [long(53)] })).join()).toMatch(
      /n is 1 characters too long: with ext_weather_ it may have 64/,
    )
    const plain = { ...api, name: 'a', endpoint: { ...api.endpoint, url: 'http://a.example/' } }
    const auth = { type: 'bearer', secret: 'K' }
    expect(await problemsOf({ capabilities, apis: [plain] })).toEqual([])
    expect((await problemsOf({ capabilities, apis: [{ ...plain, auth }] })).join()).toContain(
      'a: a secret goes over https only',
    )
  })
})
