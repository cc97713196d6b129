import { describe, expect, it } from 'vitest'
import {
  type ApiDefinition,
  type ApiSourceOptions,
  apiSource,
  workspaceApiDefinitions,
} from '../../../src/api/index.ts'
import { createDispatcher } from '../../../src/index.ts'
import { memoryCacheStore } from '../../../src/result-cache/memory.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { serve } from '../net/server.ts'
import { defined, echoServer, localFetch } from './echo.ts'

const somewhere = 'https://api.example/v1/{id}'
const parameters = { id: { type: 'string' } }

function toolOf(definition: ApiDefinition, options: Partial<ApiSourceOptions> = {}) {
  const [tool] = apiSource({ definitions: [definition], fetch: localFetch, ...options }).tools()
  if (!tool) throw new Error('no tool')
  return tool
}

const traits = (...given: Parameters<typeof toolOf>) => {
  const { concurrent, readOnly, confirm, cache, timeout, trust } = toolOf(...given)
  return { concurrent, readOnly, confirm, cache, timeout, trust }
}

describe('the traits of a tool', () => {
  it('a GET is read-only, serial and not cached unless it says so', () => {
    expect(traits(defined(somewhere, { parameters }))).toEqual({
      readOnly: true,
      timeout: 65_000,
      trust: 'external',
    })
    expect(
      traits(defined(somewhere, { parameters, concurrent: true, cache: 60 }, { timeout: 300 })),
    ).toMatchObject({ concurrent: true, cache: { ttl: 60 }, timeout: 305_000 })
    expect(traits(defined(somewhere, { parameters, cache: true })).cache).toEqual({})
    expect(traits(defined(somewhere, { parameters }, { method: 'HEAD' })).readOnly).toBe(true)
  })

  it('no definition switches the question off by itself', () => {
    const given = { parameters, read_only: true, always_allow: true }
    const auth = { type: 'bearer', secret: 'S' } as const
    const post = defined(somewhere, given, { method: 'POST' })
    expect(traits(post)).toMatchObject({ readOnly: undefined, confirm: undefined })
    expect(traits({ ...defined(somewhere, given), auth })).toMatchObject({ confirm: true })
    const source = apiSource({ definitions: [post], fetch: localFetch })
    expect(source.health().problems).toEqual([
      { definition: 'thing', message: 'read_only does not count: the source is not trusted' },
      { definition: 'thing', message: 'always_allow does not count: the source is not trusted' },
    ])
    expect(source.tools()).toHaveLength(1)

    const trusted = { trusted: true }
    expect(traits(post, trusted)).toMatchObject({ readOnly: true, confirm: false })
    expect(traits({ ...defined(somewhere, { parameters }), auth }, trusted).confirm).toBeUndefined()
    const writing = defined(somewhere, { parameters, always_allow: true }, { method: 'POST' })
    expect(traits(writing, trusted)).toMatchObject({ readOnly: undefined, confirm: false })
    expect(
      apiSource({ definitions: [post], fetch: localFetch, ...trusted }).health().problems,
    ).toEqual([])
  })

  it('a call with a secret asks, one without does not', async () => {
    const { url, heard } = await echoServer()
    const auth = { type: 'bearer', secret: 'S' } as const
    const source = apiSource({
      definitions: [defined(url), { ...defined(url), name: 'secretly', auth }],
      fetch: localFetch,
      secrets: () => 'x',
    })
    const run = createDispatcher({ tools: [], sources: [source], mode: 'full' }).run()
    const { results } = await run.dispatch([
      { id: '1', name: 'api_thing', arguments: {} },
      { id: '2', name: 'api_secretly', arguments: {} },
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'denied'])
    expect(heard).toHaveLength(1)
  })

  it('a question tells where the call goes, and which secrets go along', () => {
    const auth = [
      { type: 'bearer', secret: 'KEY' },
      { type: 'apikey', env: 'OTHER', in: 'query' },
    ] as const
    const item = defined(somewhere, { parameters }, { method: 'DELETE' })
    expect(toolOf(item).tells?.({ id: 'a b' })).toBe('DELETE https://api.example/v1/a%20b')
    const secret = toolOf({ ...item, auth })
    expect(secret.tells?.({ id: '7' })).toBe(
      'DELETE https://api.example/v1/7, sends the secrets KEY, OTHER',
    )
    // A long argument cannot push the secrets out of sight, nor one that cannot be sent.
    expect(secret.tells?.({ id: 'x'.repeat(900) })).toMatch(/x…, sends the secrets KEY, OTHER$/)
    expect(secret.tells?.({ id: '..' })).toContain('https://api.example/v1/{id}, sends')
  })

  it('a secret goes over https, except in a network of its own', () => {
    const auth = { type: 'bearer', secret: 'S' } as const
    const problemsOf = (url: string, given = {}) =>
      apiSource({ definitions: [defined(url, given)], fetch: localFetch, trusted: true }).health()
        .problems
    for (const url of ['http://api.example/a?b={id}', 'http://8.8.8.8/', 'http://[2600::1]/']) {
      expect(problemsOf(url, { auth, parameters: url.includes('{') ? parameters : {} })).toEqual([
        { definition: 'thing', message: expect.stringMatching(/^a secret goes over https only/) },
      ])
    }
    expect(problemsOf('http://api.example/')).toEqual([])
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]', '10.0.0.1', 'a.internal']) {
      expect(problemsOf(`http://${host}/`, { auth })).toEqual([])
    }
    expect(problemsOf('https://api.example/', { auth })).toEqual([])
  })

  it('resources are those of http_request', () => {
    const get = toolOf(defined(somewhere, { parameters }))
    expect(get.reads?.({ id: 'a b' })).toEqual(['web:api.example/v1/a%20b'])
    expect(get.writes).toBeUndefined()
    const post = toolOf(defined(somewhere, { parameters }, { method: 'POST' }))
    expect(post.reads?.({ id: 'a' })).toEqual(['web:api.example/v1/a'])
    expect(post.writes?.({ id: 'a' })).toEqual(['web:api.example'])
    expect(post.writes?.({ id: '..' })).toEqual([])
    const upload = toolOf(
      defined(
        'https://api.example',
        { parameters: { f: { in: 'whole_body', file: true } } },
        { method: 'PUT', content_type: 'raw' },
      ),
      { workspace: memoryWorkspace() },
    )
    expect(upload.reads?.({ f: 'a/b' })).toEqual(['web:api.example/', 'file:/a/b'])
  })

  it('a GET is remembered until something was written to its host', async () => {
    const { url, heard } = await echoServer()
    const source = apiSource({
      definitions: [
        defined(`${url}/a`, { cache: true }),
        { ...defined(`${url}/b`, {}, { method: 'DELETE' }), name: 'remove' },
      ],
      fetch: localFetch,
    })
    const dispatcher = createDispatcher({
      tools: [],
      sources: [source],
      mode: 'full',
      unattended: 'allow',
    })
    const read = async () => {
      const run = dispatcher.run({ sessionId: 's' })
      await run.dispatch([{ id: 'c', name: 'api_thing', arguments: {} }])
      return run
    }
    await read()
    const run = await read()
    expect(heard.map(({ method }) => method)).toEqual(['GET'])
    await run.dispatch([{ id: 'd', name: 'api_remove', arguments: {} }])
    await read()
    expect(heard.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET'])
  })
})

describe('an answer that is kept', () => {
  /** Calls one definition after the other in one session, over one cache. */
  async function inTurn(definitions: readonly ApiDefinition[], maxBytes = 1_000) {
    const cache = memoryCacheStore()
    for (const definition of definitions) {
      const source = apiSource({ definitions: [definition], fetch: localFetch, maxBytes })
      const run = createDispatcher({ tools: [], sources: [source], mode: 'full', cache }).run({
        sessionId: 's',
      })
      await run.dispatch([{ id: 'c', name: 'api_thing', arguments: {} }])
    }
  }

  it('is another when the request is', async () => {
    const { url, heard } = await echoServer()
    const at = (path: string) => defined(url + path, { cache: true })
    await inTurn([at('/a'), at('/a'), at('/b')])
    expect(heard.map((each) => each.url)).toEqual(['/a', '/b'])
  })

  it('is no error', async () => {
    let asked = 0
    const host = await serve((_, response) => {
      asked += 1
      response.writeHead(500).end('broken')
    })
    const api = defined(`http://${host}`, { cache: true })
    await inTurn([api, api])
    expect(asked).toBe(2)
  })

  it('is whole', async () => {
    const { url, heard } = await echoServer()
    const api = defined(url, { cache: true })
    await inTurn([api, api], 20)
    expect(heard).toHaveLength(2)
  })
})

describe('a rate limit', () => {
  it('lets so many calls through, says when the next may come, and counts on when read again', async () => {
    const { url, heard } = await echoServer()
    let now = 1_000_000
    const workspace = memoryWorkspace()
    const limited = (description: string) =>
      JSON.stringify({
        ...defined(`${url}/x`, { rate_limit: { calls: 2, per_seconds: 60 } }),
        description,
      })
    await workspace.write('/tools/thing/api.json', limited('One.'))
    const source = apiSource({
      definitions: workspaceApiDefinitions(workspace),
      fetch: localFetch,
      clock: () => now,
    })
    const dispatcher = createDispatcher({ tools: [], sources: [source], mode: 'full' })
    const call = async () => {
      const { results } = await dispatcher
        .run()
        .dispatch([{ id: 'c', name: 'api_thing', arguments: {} }])
      return results[0]?.outcome === 'completed' ? 'ok' : results[0]?.content
    }
    expect(await Promise.all([call(), call()])).toEqual(['ok', 'ok'])
    expect(await call()).toContain('the rate limit of api_thing is used up: try again in 30 s')
    now += 29_999
    expect(await call()).toContain('try again in 1 s')
    now += 1
    expect(await call()).toBe('ok')
    await workspace.write('/tools/thing/api.json', limited('Two.'))
    await source.load?.()
    expect(source.tools()[0]?.description).toBe('Two.')
    expect(await call()).toContain('try again in 30 s')
    now -= 500_000
    expect(await call()).toContain('try again in 30 s')
    now += 1_000_000
    expect([await call(), await call()]).toEqual(['ok', 'ok'])
    expect(await call()).toContain('try again')
    expect(heard).toHaveLength(5)
  })
})

describe('a source of a list', () => {
  it('keeps the good ones; the first of two names counts', () => {
    const source = apiSource({
      definitions: [
        JSON.stringify(defined('https://a.example', { description: 'First.' })),
        defined('https://b.example', { description: 'Second.' }),
        { name: 'broken', endpoint: 1 },
        '{',
        { ...defined('https://c.example'), name: 'other' },
      ],
      fetch: localFetch,
      clock: () => 5,
    })
    expect(source).toMatchObject({ name: 'api', prefix: 'api_' })
    expect(source.tools().map(({ name, description }) => [name, description])).toEqual([
      ['api_thing', 'First.'],
      ['api_other', 'Does a thing.'],
    ])
    expect(source.tools()).toBe(source.tools())
    expect(source.load).toBeUndefined()
    expect(source.health()).toEqual({
      status: 'ready',
      updatedAt: 5,
      problems: [
        {
          definition: 'thing',
          message: 'there is another definition named "thing"; that one counts',
        },
        { definition: 'broken', message: 'description must say what the tool is for' },
        { definition: 'broken', message: 'endpoint must be an object with url and method' },
        { definition: 'definition 4', message: expect.stringContaining('it is no JSON') },
      ],
    })
  })

  it('a bad option is thrown', () => {
    expect(() => apiSource({ definitions: [], fetch: 1 as never })).toThrow(
      'fetch must be a function',
    )
    expect(() => apiSource({ definitions: [], fetch: localFetch, maxBytes: 0 })).toThrow('maxBytes')
  })
})

describe('definitions in a workspace', () => {
  const text = (name: string, description = 'Does.') =>
    JSON.stringify({ ...defined('https://a.example'), name, description })
  const source = (workspace: Workspace) =>
    apiSource({ definitions: workspaceApiDefinitions(workspace), fetch: localFetch, name: 'mine' })

  it('are found, read again, and only a change makes another list', async () => {
    const workspace = memoryWorkspace()
    await workspace.write('/tools/a/api.json', text('a'))
    await workspace.write('/tools/b/api.json', text('wrong'))
    await workspace.write('/tools/c/tool.json', '{}')
    await workspace.write('/tools/c/deep/api.json', text('deep'))
    const apis = source(workspace)
    expect(apis.health()).toEqual({ status: 'loading', problems: [] })
    await apis.load?.()
    expect(apis.tools().map(({ name }) => name)).toEqual(['api_a'])
    expect(apis.health()).toMatchObject({
      status: 'ready',
      problems: [
        {
          definition: '/tools/b/api.json',
          message: 'name must be "b", as the directory is called',
        },
      ],
    })
    const before = apis.tools()
    await apis.load?.()
    expect(apis.tools()).toBe(before)
    await workspace.write('/tools/a/api.json', text('a', 'Does more.'))
    await workspace.remove('/tools/b/api.json')
    await apis.load?.()
    expect(apis.tools()).not.toBe(before)
    expect(apis.tools()[0]?.description).toBe('Does more.')
    expect(apis.health().problems).toEqual([])
  })

  it('a change in shared schemas alone is seen', async () => {
    const workspace = memoryWorkspace()
    const shared = (type: string) =>
      JSON.stringify({
        ...defined('https://a.example'),
        name: 'a',
        parameters: { x: { $ref: '#/$defs/X' } },
        $defs: { X: { type } },
      })
    await workspace.write('/tools/a/api.json', shared('string'))
    const apis = source(workspace)
    await apis.load?.()
    await workspace.write('/tools/a/api.json', shared('number'))
    await apis.load?.()
    expect(apis.tools()[0]?.inputSchema).toMatchObject({ $defs: { X: { type: 'number' } } })
  })

  it.each([['in a workspace'], ['of a function alone']])(
    'a call whose definition %s has changed, or is gone, sends nothing',
    async (where) => {
      const { url, heard } = await echoServer()
      const workspace = memoryWorkspace()
      const all = workspaceApiDefinitions(workspace)
      const apis = apiSource({
        definitions: where === 'in a workspace' ? all : () => all(),
        fetch: localFetch,
      })
      const dispatcher = createDispatcher({ tools: [], sources: [apis], mode: 'full' })
      let calls = 0
      const call = async () => {
        calls += 1
        const round = [{ id: `c${calls}`, name: 'api_a', arguments: { n: calls } }]
        const { results } = await dispatcher.run().dispatch(round)
        return results[0]?.outcome === 'completed' ? 'ok' : results[0]?.content
      }
      const put = (path: string, space?: number) => {
        const api = defined(url + path, { name: 'a', parameters: { n: { type: 'integer' } } })
        return workspace.write('/tools/a/api.json', JSON.stringify(api, null, space))
      }
      await put('/one')
      expect(await call()).toBe('ok')
      // Written another way, it says the same.
      await put('/one', 2)
      expect(await call()).toBe('ok')
      await put('/two')
      expect(await call()).toContain('has changed, so nothing was sent: look at its schema again')
      expect(await call()).toBe('ok')
      await workspace.remove('/tools/a/api.json')
      expect(await call()).toContain('is gone, so nothing was sent')
      expect(await call()).toContain('api_a')
      expect(heard.map((each) => each.url.split('?')[0])).toEqual(['/one', '/one', '/two'])
    },
  )

  it('load by themselves when they are first looked at', async () => {
    const workspace = memoryWorkspace()
    await workspace.write('/tools/a/api.json', text('a'))
    const apis = source(workspace)
    expect(apis.tools()).toEqual([])
    await expect.poll(() => apis.tools().length).toBe(1)
  })

  it('a tool that was just written can be called', async () => {
    const { url } = await echoServer()
    const workspace = memoryWorkspace()
    const apis = source(workspace)
    const run = createDispatcher({ tools: [], sources: [apis], mode: 'full' }).run()
    await apis.load?.()
    await workspace.write('/tools/new/api.json', JSON.stringify({ ...defined(url), name: 'new' }))
    const { results } = await run.dispatch([{ id: 'c', name: 'api_new', arguments: {} }])
    expect(results[0]?.outcome).toBe('completed')
  })

  it('that cannot be read leave the tools that were', async () => {
    let broken = false
    const apis = apiSource({
      definitions: async () => {
        if (broken) throw new Error('the disk is gone')
        return [{ definition: 'x', content: text('a') }]
      },
      fetch: localFetch,
    })
    await apis.load?.()
    broken = true
    await apis.load?.()
    expect(apis.tools()).toHaveLength(1)
    expect(apis.health()).toMatchObject({ status: 'failed', message: 'the disk is gone' })
    broken = false
    await apis.load?.()
    expect(apis.health().status).toBe('ready')
  })
})
