import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiDefinition, ApiParameter } from '../../../src/api/index.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { serve } from '../net/server.ts'
import { callApi, defined, type Endpoint, echoServer, localFetch } from './echo.ts'

type Parameters = Record<string, ApiParameter>

/** What the server heard of one call; `template` is what follows the host. */
async function sent(
  template: string,
  parameters: Parameters,
  args: object,
  endpoint: Endpoint = {},
  given: Partial<ApiDefinition> = {},
) {
  const { url, heard } = await echoServer()
  const result = await callApi(defined(url + template, { parameters, ...given }, endpoint), args)
  return { result, heard: heard[0], url: heard[0]?.url }
}

const list = { type: 'array', items: {} }
const object = { type: 'object' }

describe('the address', () => {
  it('keeps a query of its own, the fixed one and the arguments in one', async () => {
    const { url } = await sent(
      '/a/{id}?own={own}&gone={gone}&v=1',
      {
        id: {},
        own: {},
        gone: {},
        q: { type: 'string' },
        n: { type: 'number' },
        b: { type: 'boolean' },
      },
      { id: 7, own: 'x y', q: 'a&b=c#d', n: 1_700_000_000, b: false },
      { query: { fixed: 'ä\ud800', page: 2 } },
    )
    expect(url).toBe(
      '/a/7?own=x%20y&v=1&fixed=%C3%A4%EF%BF%BD&page=2&q=a%26b%3Dc%23d&n=1700000000&b=false',
    )
  })

  it('removes what is not given, with the slash before it', async () => {
    const parameters = { a: {}, b: {} }
    expect((await sent('/x/{a}/{b}/end', parameters, { b: 'B' })).url).toBe('/x/B/end')
    expect((await sent('/x/{a}/{b}', parameters, {})).url).toBe('/x')
    expect((await sent('/x/{a}', { a: { type: ['string', 'null'] } }, { a: null })).url).toBe('/x')
  })

  it('fills defaults in', async () => {
    const { url } = await sent('/{v}', { v: { default: 'v1' }, n: { default: 5 }, no: {} }, {})
    expect(url).toBe('/v1?n=5')
  })

  it.each([
    ['..', '/'],
    ['.', '/'],
    ['%2e%2E', '/%252e%252E/end'],
    ['../x', '/..%2Fx/end'],
    ['a/b', '/a%2Fb/end'],
    ['a\\b', '/a%5Cb/end'],
    ['?x=1', '/%3Fx%3D1/end'],
    ['#x', '/%23x/end'],
    ['%2f', '/%252f/end'],
    ['', '/'],
    ['\ud800', '/%EF%BF%BD/end'],
    ['@evil.example', '/%40evil.example/end'],
  ])('the value %j stays in its segment', async (id, expected) => {
    const { result, url } = await sent('/{id}/end', { id: { type: 'string' } }, { id })
    if (expected === '/') {
      expect(result.outcome).toBe('failed')
      expect(result.content).toMatch(/must not be empty|no part of the path may be "\." or "\.\."/)
      expect(url).toBeUndefined()
    } else expect(url).toBe(expected)
  })

  it.each([
    ['/a/{x}{y}', { x: '.', y: '.' }],
    ['/a/%2e{x}', { x: '.' }],
  ])('%s cannot be put together to a step up', async (template, args) => {
    const parameters = Object.fromEntries(Object.keys(args).map((name) => [name, {}]))
    const { result, heard } = await sent(template, parameters, args)
    expect(result.content).toContain('no part of the path may be "." or ".."')
    expect(heard).toBeUndefined()
  })

  it('whatever the value, segments before and after are as written', async () => {
    const { url, heard } = await echoServer()
    const api = defined(`${url}/before/{id}/after`, { parameters: { id: { type: 'string' } } })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (id) => {
        heard.length = 0
        const { outcome } = await callApi(api, { id })
        if (outcome === 'failed') return heard.length === 0 && /^\.\.?$/.test(id)
        const [, before, segment = '', after, ...rest] = heard[0]?.url.split('/') ?? []
        const whole = before === 'before' && after === 'after' && rest.length === 0
        return whole && decodeURIComponent(segment) === id.replace(/\p{Cs}/gu, '\ufffd')
      }),
      { numRuns: 40 },
    )
  })
})

describe('lists and objects by style', () => {
  const l = ['a b', 'c,d', 3]
  const o = { x: 1, y: 'é;', z: null }
  it.each<[string, ApiParameter, unknown, string]>([
    ['path simple', { in: 'path' }, l, '/a%20b,c%2Cd,3'],
    ['path simple object', { in: 'path' }, o, '/x,1,y,%C3%A9%3B'],
    ['path simple exploded object', { in: 'path', explode: true }, o, '/x=1,y=%C3%A9%3B'],
    ['path label', { in: 'path', style: 'label' }, 5, '/.5'],
    ['path label list', { in: 'path', style: 'label' }, [3, 4], '/.3,4'],
    ['path label exploded list', { in: 'path', style: 'label', explode: true }, [3, 4], '/.3.4'],
    [
      'path label exploded object',
      { in: 'path', style: 'label', explode: true },
      o,
      '/.x=1.y=%C3%A9%3B',
    ],
    ['path matrix', { in: 'path', style: 'matrix' }, 5, '/;v=5'],
    ['path matrix list', { in: 'path', style: 'matrix' }, [3, 4], '/;v=3,4'],
    [
      'path matrix exploded list',
      { in: 'path', style: 'matrix', explode: true },
      [3, 4],
      '/;v=3;v=4',
    ],
    ['path matrix object', { in: 'path', style: 'matrix' }, o, '/;v=x,1,y,%C3%A9%3B'],
    [
      'path matrix exploded object',
      { in: 'path', style: 'matrix', explode: true },
      o,
      '/;x=1;y=%C3%A9%3B',
    ],
    ['path json', { in: 'path', style: 'json' }, { a: 1 }, '/%7B%22a%22%3A1%7D'],
    ['query form', {}, l, '?v=a%20b&v=c%2Cd&v=3'],
    ['query form, not exploded', { explode: false }, l, '?v=a%20b,c%2Cd,3'],
    ['query form object', {}, o, '?x=1&y=%C3%A9%3B'],
    ['query form object, not exploded', { explode: false }, o, '?v=x,1,y,%C3%A9%3B'],
    ['query space', { style: 'spaceDelimited' }, ['a', 'b'], '?v=a%20b'],
    ['query pipe', { style: 'pipeDelimited' }, ['a', 'b'], '?v=a%7Cb'],
    ['query pipe exploded', { style: 'pipeDelimited', explode: true }, ['a', 'b'], '?v=a&v=b'],
    [
      'query deep',
      { style: 'deepObject' },
      { a: { b: 1, c: [2, { d: 3 }] } },
      '?v%5Ba%5D%5Bb%5D=1&v%5Ba%5D%5Bc%5D%5B0%5D=2&v%5Ba%5D%5Bc%5D%5B1%5D%5Bd%5D=3',
    ],
    ['query json', { style: 'json' }, { a: [1] }, '?v=%7B%22a%22%3A%5B1%5D%7D'],
    ['query, an object in a list', {}, [{ a: 1 }], '?v=%7B%22a%22%3A1%7D'],
    ['query, another name', { name: 'filter[v]' }, 1, '?filter%5Bv%5D=1'],
    ['query, a whole number without an exponent', {}, 1e21, '?v=1000000000000000000000'],
    ['query, nothing', {}, [], ''],
  ])('%s', async (_, traits, value, expected) => {
    const template = traits.in === 'path' ? '/{v}' : '/'
    const { result, url } = await sent(template, { v: traits }, { v: value })
    expect(result.outcome).toBe('completed')
    expect(url).toBe(expected.startsWith('/') ? expected : `/${expected}`)
  })
})

describe('headers', () => {
  it('are fixed and given', async () => {
    const { heard } = await sent(
      '/',
      { 'x-list': { in: 'header' }, who: { in: 'header', name: 'X-Who' } },
      { 'x-list': ['a', 'b'], who: 'me' },
      { headers: { 'X-Fixed': 'f', accept: 'text/csv' } },
    )
    expect(heard?.headers).toMatchObject({
      'x-list': 'a,b',
      'x-who': 'me',
      'x-fixed': 'f',
      accept: 'text/csv',
    })
  })

  it.each(['a\r\nx-evil: 1', 'a\nb', '\0', '日本'])('the value %j is refused', async (who) => {
    const { result, heard } = await sent('/', { who: { in: 'header' } }, { who })
    expect(result.content).toContain('who goes as a header: it must be one line')
    expect(heard).toBeUndefined()
  })

  it('of the model do not replace the secret', async () => {
    const { url, heard } = await echoServer()
    const api = defined(url, {
      parameters: { h: { in: 'header', name: 'Authorization' } },
      auth: { type: 'bearer', secret: 'T' },
    })
    await callApi(api, { h: 'mine' }, { secrets: () => 'token' })
    expect(heard[0]?.headers.authorization).toBe('Bearer token')
  })
})

describe('the body', () => {
  const post = (type: Endpoint['content_type'], headers?: Record<string, string>): Endpoint => ({
    method: 'POST',
    ...(type && { content_type: type }),
    ...(headers && { headers }),
  })

  it('is JSON by default, of the arguments that are nowhere else', async () => {
    const { heard } = await sent(
      '/{id}',
      { id: {}, a: {}, n: { name: 'the n' }, q: { in: 'query' } },
      { id: 1, a: { b: null }, n: null, q: 'x' },
      post(undefined),
    )
    expect(heard).toMatchObject({ url: '/1?q=x', body: '{"a":{"b":null},"the n":null}' })
    expect(heard?.headers['content-type']).toBe('application/json')
  })

  it('is one argument, with the type that the definition says', async () => {
    const { heard } = await sent(
      '/',
      { all: { in: 'whole_body' } },
      { all: [1, { a: 2 }] },
      { ...post('json', { 'Content-Type': 'application/merge-patch+json' }), method: 'PATCH' },
    )
    expect(heard).toMatchObject({ method: 'PATCH', body: '[1,{"a":2}]' })
    expect(heard?.headers['content-type']).toBe('application/merge-patch+json')
  })

  it('is not there when no parameter is for it, or the whole of it is not given', async () => {
    const none = await sent('/', {}, {}, post('json'))
    expect([none.heard?.body, none.heard?.headers['content-type']]).toEqual(['', undefined])
    const notGiven = await sent('/', { all: { in: 'whole_body' } }, {}, post('raw'))
    expect(notGiven.heard?.body).toBe('')
    const allOptional = await sent('/', { a: {} }, {}, post('json'))
    expect(allOptional.heard?.body).toBe('{}')
  })

  it('is a form, by style', async () => {
    const { heard } = await sent(
      '/',
      { a: {}, l: list, o: { ...object, style: 'deepObject' }, n: {} },
      { a: 'x&y z', l: [1, 2], o: { k: { m: 1 } }, n: null },
      post('form'),
    )
    expect(heard?.body).toBe('a=x%26y%20z&l=1&l=2&o%5Bk%5D%5Bm%5D=1')
    expect(heard?.headers['content-type']).toBe('application/x-www-form-urlencoded;charset=UTF-8')
    expect(new URLSearchParams(heard?.body).get('a')).toBe('x&y z')
    const whole = await sent('/', { o: { in: 'whole_body' } }, { o: { a: [1, 2] } }, post('form'))
    expect(whole.heard?.body).toBe('a=1&a=2')
  })

  it('is multipart, with files of the workspace', async () => {
    const { url, heard } = await echoServer()
    const workspace = memoryWorkspace()
    await workspace.write('/notes/a.txt', 'the file')
    const api = defined(
      url,
      { parameters: { title: {}, tags: list, about: object, f: { type: 'string', file: true } } },
      post('multipart', { 'content-type': 'multipart/form-data' }),
    )
    const args = { title: 'T', tags: ['x', 'y'], about: { a: 1 }, f: 'notes/a.txt' }
    await callApi(api, args, { workspace })
    const { headers, body = '' } = heard[0] ?? {}
    const form = await new Response(body, {
      headers: { 'content-type': String(headers?.['content-type']) },
    }).formData()
    expect([form.get('title'), form.getAll('tags'), form.get('about')]).toEqual([
      'T',
      ['x', 'y'],
      '{"a":1}',
    ])
    const file = form.get('f') as File
    expect([file.name, await file.text()]).toEqual(['a.txt', 'the file'])

    const missing = await callApi(api, { f: '/no' }, { workspace })
    expect(missing.content).toContain('f: there is no file /no')
    await expect(callApi(api, args)).rejects.toThrow('it sends files, and there is no workspace')
  })

  it('is raw: a text, or the bytes of a file', async () => {
    const text = await sent(
      '/',
      { t: { in: 'whole_body' } },
      { t: 'a,b' },
      post('raw', { 'content-type': 'text/csv' }),
    )
    expect([text.heard?.body, text.heard?.headers['content-type']]).toEqual(['a,b', 'text/csv'])
    const { url, heard } = await echoServer()
    const workspace = memoryWorkspace()
    await workspace.write('/b.bin', new Uint8Array([104, 105]))
    const api = defined(url, { parameters: { f: { in: 'whole_body', file: true } } }, post('raw'))
    await callApi(api, { f: '/b.bin' }, { workspace })
    expect(heard[0]?.body).toBe('hi')
    expect(heard[0]?.headers['content-type']).toBe('application/octet-stream')
  })
})

describe('the arguments', () => {
  it('are validated before anything is sent', async () => {
    const { result, heard } = await sent(
      '/',
      { n: { type: 'integer', required: true, enum: [1, 2] } },
      { n: 3, more: 1 },
    )
    expect(result.outcome).toBe('invalid')
    expect(result.content).toMatch(/n\b.*more|more.*n\b/s)
    expect(heard).toBeUndefined()
  })
})

describe('the network', () => {
  it('is guarded', async () => {
    const api = defined('http://169.254.169.254/latest')
    const { outcome, content } = await callApi(api, {}, { fetch: localFetch })
    expect(outcome).toBe('failed')
    expect(content).toContain('169.254.169.254')
  })

  it('has the time of the endpoint, and the dispatcher a little more', async () => {
    const host = await serve(() => {})
    const api = defined(`http://${host}`, {}, { timeout: 0.05 })
    const { outcome, content } = await callApi(api)
    expect([outcome, content]).toEqual(['failed', expect.stringContaining('within 0.05 s')])
  })
})
