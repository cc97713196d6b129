import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { ApiAuth, ApiSecrets } from '../../../src/api/index.ts'
import { apiSource } from '../../../src/api/index.ts'
import { createDispatcher, type RunEvent } from '../../../src/index.ts'
import { serve } from '../net/server.ts'
import { callApi, defined, echoServer, localFetch } from './echo.ts'

/** The answer of a server to a GET, as the model gets it. */
async function answered(listener: RequestListener, auth?: ApiAuth, secret?: string) {
  const host = await serve(listener)
  return callApi(
    defined(`http://${host}/x`, auth && { auth }),
    {},
    secret ? { secrets: () => secret } : {},
  )
}

const json =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }

describe('an answer', () => {
  it('is its text, and its value when it is JSON', async () => {
    const { outcome, content, value } = await answered(
      json(200, '{"id": 12345678901234567890, "a": [1]}', { link: '<https://x/2>; rel="next"' }),
    )
    expect(outcome).toBe('completed')
    expect(content).toBe(
      '{"id": 12345678901234567890, "a": [1]}\n[link: <https://x/2>; rel="next"]',
    )
    expect(value).toMatchObject({ a: [1] })
  })

  it('is read as JSON for a type of JSON alone', async () => {
    const problem = await answered(json(200, '{"a":1}', { 'content-type': 'application/hal+json' }))
    expect(problem.value).toEqual({ a: 1 })
    const text = await answered(json(200, '{"a":1}', { 'content-type': 'text/plain' }))
    expect([text.content, text.value]).toEqual(['{"a":1}', undefined])
    const broken = await answered(json(200, '{"a":'))
    expect([broken.outcome, broken.content, broken.value]).toEqual([
      'completed',
      '{"a":',
      undefined,
    ])
  })

  it('may have no body', async () => {
    const { content } = await answered(json(201, '', { location: '/x/1', 'content-length': '0' }))
    expect(content).toBe(
      'HTTP 201, no content\n[location: /x/1]\n[content-type: application/json]\n[content-length: 0]',
    )
  })

  it('may be binary', async () => {
    const { content } = await answered((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      response.end(Buffer.from([0, 1, 2, 255]))
    })
    expect(content).toContain('[4 bytes of binary data, application/octet-stream]')
  })

  it.each([400, 404, 429, 500, 503])('of status %d is a failure', async (status) => {
    const { outcome, content, value } = await answered(
      json(status, '{"error":"why"}', { 'retry-after': '7' }),
    )
    expect(outcome).toBe('failed')
    expect(content).toContain(`HTTP ${status} (retry-after: 7)\n{"error":"why"}`)
    expect(value).toEqual({ status_code: status, body: { error: 'why' } })
  })

  it('that is a long error is cut', async () => {
    const { content } = await answered(
      json(500, 'x'.repeat(50_000), { 'content-type': 'text/plain' }),
    )
    expect(content.length).toBeLessThan(5_000)
    expect(content).toContain('the first 4096 of 50000 bytes')
  })

  it('larger than the bound is cut, says so, and has no value', async () => {
    const host = await serve(json(200, JSON.stringify({ a: 'x'.repeat(1_000) })))
    const { content, value } = await callApi(defined(`http://${host}`), {}, { maxBytes: 100 })
    expect(content).toContain('[Cut (size): the first 100 bytes.]')
    expect(value).toBeUndefined()
  })

  it('that does not come is a failure', async () => {
    const { outcome, content } = await answered((request) => request.socket.destroy())
    expect(outcome).toBe('failed')
    expect(content).toContain('could not reach 127.0.0.1')
  })

  it('is not waited for when the run is cancelled', async () => {
    let ended = false
    let come = () => {}
    const arrived = new Promise<void>((resolve) => {
      come = resolve
    })
    const host = await serve((request) => {
      request.on('close', () => {
        ended = true
      })
      come()
    })
    const source = apiSource({ definitions: [defined(`http://${host}`)], fetch: localFetch })
    const run = createDispatcher({ tools: [], sources: [source], mode: 'full' }).run()
    const round = run.dispatch([{ id: 'c', name: 'api_thing', arguments: {} }])
    await arrived
    await run.cancel()
    expect((await round).results[0]?.outcome).toBe('cancelled')
    await expect.poll(() => ended).toBe(true)
  })
})

describe('secrets', () => {
  const secret = 'pa/ss "wörd"+1'
  it.each<[string, ApiAuth, string, Record<string, string>, string]>([
    ['bearer', { type: 'bearer', secret: 'S' }, 'abc', { authorization: 'Bearer abc' }, '/'],
    ['a key', { type: 'apikey', env: 'S' }, 'abc', { 'x-api-key': 'abc' }, '/'],
    [
      'a key in its header',
      { type: 'apikey', header: 'X-Mine', secret: 'S' },
      ' abc\n',
      { 'x-mine': 'abc' },
      '/',
    ],
    [
      'a key in the query',
      { type: 'apikey', in: 'query', header: 'my key', secret: 'S' },
      'a&b',
      {},
      '/?my%20key=a%26b',
    ],
    [
      'basic',
      { type: 'basic', secret: 'S' },
      'ü:p:q',
      { authorization: `Basic ${Buffer.from('ü:p:q').toString('base64')}` },
      '/',
    ],
    [
      'basic without a password',
      { type: 'basic', secret: 'S' },
      'sk_1',
      { authorization: `Basic ${btoa('sk_1:')}` },
      '/',
    ],
  ])('%s', async (_, auth, value, headers, path) => {
    const { url, heard } = await echoServer()
    const asked: unknown[] = []
    const secrets: ApiSecrets = async (...given) => {
      asked.push(given)
      return value
    }
    const result = await callApi(defined(`${url}/`, { auth }), {}, { secrets })
    expect(heard[0]).toMatchObject({ url: path, headers })
    expect(asked).toEqual([['S', { tool: 'api_thing', host: url.slice(7) }]])
    // The server has said all that it heard.
    expect(JSON.stringify(result)).not.toContain(value.trim())
    for (const sent of Object.values(headers)) expect(JSON.stringify(result)).not.toContain(sent)
  })

  it('several go together, beside a query that is there', async () => {
    const { url, heard } = await echoServer()
    const auth: ApiAuth[] = [
      { type: 'bearer', secret: 'A' },
      { type: 'apikey', in: 'query', header: 'k', secret: 'B' },
    ]
    await callApi(defined(`${url}/?x=1`, { auth }), {}, { secrets: (name) => `value-${name}` })
    expect(heard[0]).toMatchObject({
      url: '/?x=1&k=value-B',
      headers: { authorization: 'Bearer value-A' },
    })
  })

  it.each<[string, ApiSecrets | undefined]>([
    ['no store', undefined],
    ['none of that name', () => undefined],
    ['an empty one', async () => '  '],
  ])('a missing one is named, and nothing is sent: %s', async (_, secrets) => {
    const { url, heard } = await echoServer()
    const api = defined(url, { auth: { type: 'bearer', secret: 'GITHUB_TOKEN' } })
    const { outcome, content } = await callApi(api, {}, secrets && { secrets })
    expect(outcome).toBe('failed')
    expect(content).toContain(`the secret "GITHUB_TOKEN" is not set for ${url.slice(7)}`)
    expect(heard).toEqual([])
  })

  it('one that cannot go in a header is not shown', async () => {
    const { url } = await echoServer()
    const api = defined(url, { auth: { type: 'bearer', secret: 'S' } })
    const { content } = await callApi(api, {}, { secrets: () => 'line\nbreak' })
    expect(content).toContain('the secret "S" cannot go in a header')
    expect(content).not.toContain('break')
  })

  it.each([
    ['as it was', secret],
    ['in JSON', JSON.stringify({ said: secret })],
    ['in JSON of another hand', `{"said":"pa\\/ss \\"w\\u00f6rd\\"+1"}`],
    ['in an address', encodeURIComponent(secret)],
  ])('an answer that repeats it shows it not: %s', async (_, body) => {
    for (const status of [200, 400]) {
      const result = await answered(
        json(status, body, { link: `<https://x/?k=${encodeURIComponent(secret)}>` }),
        { type: 'apikey', secret: 'S' },
        secret,
      )
      const seen = JSON.stringify(result)
      expect(seen).toContain('***')
      expect(seen).not.toMatch(/pa\\*\/ss|pa%2Fss|w\\*u00f6rd|wörd/)
    }
  })

  it.each(['me:p-w', 'me:p-w:x', 'p-w', 'p-w:'])(
    'of basic, %s: the password alone is not shown',
    async (value) => {
      const { content } = await answered(
        json(200, '{"you":"me","with":"p-w"}'),
        { type: 'basic', secret: 'S' },
        value,
      )
      expect(content).toBe(
        value === 'me:p-w:x' ? '{"you":"me","with":"p-w"}' : '{"you":"me","with":"***"}',
      )
    },
  )

  it('an answer that is cut shows no part of it', async () => {
    const host = await serve(
      json(200, `0123456789${'s'.repeat(8)}`, { 'content-type': 'text/plain' }),
    )
    const api = defined(`http://${host}`, { auth: { type: 'bearer', secret: 'S' } })
    const { content } = await callApi(api, {}, { maxBytes: 14, secrets: () => 's'.repeat(8) })
    expect(content).not.toContain('ss')
  })

  it('a refused address is named without it', async () => {
    const api = defined('http://10.0.0.1/', {
      auth: { type: 'apikey', in: 'query', header: 'k', secret: 'S' },
    })
    const { content } = await callApi(api, {}, { secrets: () => 'top-secret' })
    expect(content).toContain('10.0.0.1')
    expect(content).not.toContain('top-secret')
  })

  it('nor is it in the error of a fetch of another kind', async () => {
    const api = defined('https://a.example/', {
      auth: { type: 'apikey', in: 'query', header: 'k', secret: 'S' },
    })
    const fetch = async (url: unknown) => {
      throw new Error(`no way to ${url}`)
    }
    const { content } = await callApi(api, {}, { secrets: () => 'top-secret', fetch })
    expect(content).toContain('no way to https://a.example/?k=***')
  })

  it('does not go along to another host', async () => {
    const { url, heard } = await echoServer()
    const result = await answered(
      (_, response) => response.writeHead(302, { location: `${url}/elsewhere` }).end(),
      { type: 'apikey', header: 'X-Key', secret: 'S' },
      'top-secret',
    )
    expect(result.outcome).toBe('completed')
    expect(heard[0]).toMatchObject({ url: '/elsewhere' })
    expect(JSON.stringify(heard)).not.toContain('top-secret')
  })

  it('is in no event', async () => {
    const { url } = await echoServer()
    const source = apiSource({
      definitions: [defined(url, { auth: { type: 'bearer', secret: 'S' } })],
      fetch: localFetch,
      secrets: () => 'top-secret',
    })
    const events: RunEvent[] = []
    const run = createDispatcher({
      tools: [],
      sources: [source],
      mode: 'full',
      unattended: 'allow',
    }).run({ onEvent: (event) => events.push(event) })
    await run.dispatch([{ id: 'c', name: 'api_thing', arguments: {} }])
    expect(events.length).toBeGreaterThan(2)
    expect(JSON.stringify(events)).not.toContain('top-secret')
  })
})
