import { describe, expect, it, vi } from 'vitest'
import { isDispatchError } from '../../../src/errors.ts'
import { type GuardedFetchOptions, guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { serve } from './server.ts'

/** A `fetch` that answers from a table and records what it was asked. */
function fakeFetch(answers: Record<string, () => Response> = {}) {
  return vi.fn<typeof fetch>(async (input) => answers[String(input)]?.() ?? new Response('fine'))
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!isDispatchError(error) || error.code !== 'THREEPASS_FETCH_REFUSED') throw error
  return error.message
}

function redirect(location: string, status = 302): () => Response {
  return () => new Response('moved', { status, headers: { location } })
}

describe('P103 addresses', () => {
  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://0177.0.0.1/', 'loopback'],
    ['http://localhost./', 'loopback'],
    ['http://[::1]/', 'loopback'],
    ['http://[::ffff:169.254.169.254]/', 'link-local'],
    ['http://[::ffff:a9fe:a9fe]/', 'link-local'],
    ['http://[::127.0.0.1]/', 'not a public address'],
    ['http://[64:ff9b::7f00:1]/', 'NAT64'],
    ['http://[2002:7f00:1::]/', '6to4'],
    ['http://[fec0::1]/', 'site-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://100.64.0.1/', 'shared address space'],
    ['http://198.18.0.1/', 'reserved'],
    ['http://192.0.0.1/', 'reserved'],
    ['http://224.0.0.1/', 'multicast'],
    ['http://metadata.google.internal/', '.internal are private'],
    ['http://user:p@10.0.0.1/', 'credentials in a URL'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://example.com:25/', 'port 25'],
    // The rest is ours.
    ['http://10.0.0.1/', 'private'],
    ['http://192.168.1.1/', 'private'],
    ['http://172.31.255.255/', 'private'],
    ['http://0.0.0.0/', 'unspecified'],
    ['http://255.255.255.255/', 'broadcast'],
    ['http://１２７.0.0.1/', 'loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://127.1/', 'loopback'],
    ['http://168.63.129.16/', 'metadata'],
    ['http://100.100.100.200/', 'shared address space'],
    ['http://[fd00:ec2::254]/', 'private'],
    ['http://[::]/', 'unspecified'],
    ['http://[4000::1]/', 'reserved'],
    ['http://[::ffff:0:127.0.0.1]/', 'translated'],
    ['http://[2001:db8::1]/', 'reserved'],
    ['http://a.localhost/', '.localhost are private'],
    ['http://printer.local/', '.local are private'],
    ['http://router/', 'without a dot'],
    ['http://METADATA/', 'without a dot'],
    ['http://10.0.0.1.nip.io/', 'nip.io'],
    ['http://user@example.com/', 'credentials in a URL'],
    ['ftp://example.com/', 'only http and https'],
    ['data:text/plain,x', 'only http and https'],
    ['http://example.com:6000/', 'port 6000'],
    ['https://example.com:22/', 'port 22'],
    ['not a url', 'not an absolute URL'],
    ['/relative', 'not an absolute URL'],
  ])('%s is refused before any connection: %s', async (url, rule) => {
    const send = fakeFetch()
    expect(await refusal(guardedFetch({ fetch: send })(url))).toContain(rule)
    expect(send).not.toHaveBeenCalled()
  })

  it.each([
    'http://example.com/',
    'https://example.com:8443/',
    'http://example.com:8080/',
    'http://example.com:3000/',
    'http://1.1.1.1/',
    'http://[2606:4700:4700::1111]/',
    'http://[2001:4860:4860::8888]/',
    'http://[::ffff:1.1.1.1]/',
    'https://internal.example.com/',
    'https://xn--bcher-kva.example/',
  ])('%s is allowed', async (url) => {
    const send = fakeFetch()
    expect(await (await guardedFetch({ fetch: send })(url)).text()).toBe('fine')
    expect(send).toHaveBeenCalledOnce()
  })

  it('shows neither the password nor the query of a refused URL', async () => {
    const url = 'http://name:secret@example.com/?key=hidden'
    const text = await refusal(guardedFetch({ fetch: fakeFetch() })(url))
    expect(text).not.toMatch(/secret|hidden|name/)
  })
})

describe('host lists', () => {
  async function reaches(url: string, options: GuardedFetchOptions): Promise<boolean> {
    const send = fakeFetch()
    await guardedFetch({ ...options, fetch: send })(url).catch(() => {})
    return send.mock.calls.length > 0
  }

  it.each([
    ['http://localhost:8080/', ['localhost:8080'], true],
    ['http://localhost:8081/', ['localhost:8080'], false],
    ['http://localhost:25/', ['localhost'], false],
    ['http://localhost:25/', ['localhost:25'], true],
    ['http://localhost/', ['localhost:80'], true],
    ['https://localhost/', ['localhost:80'], false],
    ['http://[::1]:3000/', ['[::1]:3000'], true],
    ['http://2130706433:3000/', ['127.0.0.1'], true],
    ['http://api.dev.internal/', ['*.dev.internal'], true],
    ['http://dev.internal/', ['*.dev.internal'], false],
    ['http://evil-dev.internal/', ['*.dev.internal'], false],
    ['http://127.0.0.1/', ['localhost'], false],
  ])('%s with allowHosts %j: %s', async (url, allowHosts, expected) => {
    expect(await reaches(url, { allowHosts })).toBe(expected)
  })

  it('onlyHosts shuts out every other host and opens no private one', async () => {
    const onlyHosts = ['example.com', 'localhost']
    expect(await reaches('https://example.com/', { onlyHosts })).toBe(true)
    expect(await reaches('https://example.org/', { onlyHosts })).toBe(false)
    expect(await reaches('http://localhost:8080/', { onlyHosts })).toBe(false)
    expect(await reaches('http://localhost:8080/', { onlyHosts, allowHosts: onlyHosts })).toBe(true)
  })

  it.each(['', 'http://x', 'a/b', 'a b', 'x:99999', 'me@x'])('%j is no host', (entry) => {
    expect(() => guardedFetch({ allowHosts: [entry] })).toThrowError(/allowHosts holds/)
  })

  it.each([0, -1, 1.5, 21])('maxRedirects %s is refused', (maxRedirects) => {
    expect(() => guardedFetch({ maxRedirects })).toThrowError(/maxRedirects/)
  })
})

describe('resolve', () => {
  it.each([
    [['10.0.0.1'], 'private'],
    [['1.1.1.1', '::1'], 'loopback'],
    [['::ffff:127.0.0.1'], 'loopback'],
    [[], 'no address'],
    [['nonsense'], 'not an IP address'],
  ])('answers %j are refused', async (answers, rule) => {
    const send = fakeFetch()
    const guarded = guardedFetch({ fetch: send, resolve: async () => answers })
    expect(await refusal(guarded('http://rebind.example/'))).toContain(rule)
    expect(send).not.toHaveBeenCalled()
  })

  it('is asked for names only, and for each hop', async () => {
    const resolve = vi.fn(async (host: string) => [host === 'b.example' ? '10.0.0.1' : '1.1.1.1'])
    const send = fakeFetch({ 'http://a.example/': redirect('http://b.example/') })
    const guarded = guardedFetch({ fetch: send, resolve })
    await guarded('http://1.1.1.1/')
    expect(resolve).not.toHaveBeenCalled()
    expect(await refusal(guarded('http://a.example/'))).toContain('private')
    expect(resolve.mock.calls.map(([host]) => host)).toEqual(['a.example', 'b.example'])
  })
})

describe('P104 redirects', () => {
  it.each([
    ['http://169.254.169.254/latest/', 'link-local'],
    ['//10.0.0.1/', 'private'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://u:p@b.example/', 'credentials'],
    ['http://[', 'not a URL'],
  ])('to %s is refused', async (location, rule) => {
    const send = fakeFetch({ 'http://a.example/': redirect(location) })
    expect(await refusal(guardedFetch({ fetch: send })('http://a.example/'))).toContain(rule)
    expect(send).toHaveBeenCalledOnce()
  })

  it('follows five and no more', async () => {
    const send = fakeFetch({ 'http://c.example/': redirect('http://c.example/') })
    expect(await refusal(guardedFetch({ fetch: send })('http://c.example/'))).toContain(
      'more than 5 times',
    )
    expect(send).toHaveBeenCalledTimes(6)
  })

  it('from https to http is refused', async () => {
    const send = fakeFetch({ 'https://d.example/': redirect('http://e.example/') })
    const headers = { authorization: 'Bearer x' }
    expect(
      await refusal(guardedFetch({ fetch: send })('https://d.example/', { headers })),
    ).toContain('https to http')
    expect(send).toHaveBeenCalledOnce()
  })

  it('leaves every header that may be secret behind when the origin changes, for good', async () => {
    const send = fakeFetch({
      'https://a.example/': redirect('/2'),
      'https://a.example/2': redirect('https://b.example/'),
      'https://b.example/': redirect('https://a.example/3'),
    })
    const headers = {
      authorization: 'Bearer x',
      cookie: 'a=1',
      'proxy-authorization': 'x',
      'x-api-key': 'k',
      accept: 'text/html',
    }
    await guardedFetch({ fetch: send })('https://a.example/', { headers })
    const sent = send.mock.calls.map(([, init]) => [...new Headers(init?.headers).keys()])
    const all = ['accept', 'authorization', 'cookie', 'proxy-authorization', 'x-api-key']
    expect(sent).toEqual([all, all, ['accept'], ['accept']])
  })

  it('a changed port is another origin', async () => {
    const send = fakeFetch({ 'https://a.example/': redirect('https://a.example:8443/') })
    await guardedFetch({ fetch: send })('https://a.example/', { headers: { authorization: 'x' } })
    expect([...new Headers(send.mock.calls[1]?.[1]?.headers).keys()]).toEqual([])
  })

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
  ])('%i of a %s is followed with %s', async (status, method, next) => {
    const send = fakeFetch({ 'http://a.example/': redirect('/b', status) })
    const headers = { 'content-type': 'text/plain' }
    await guardedFetch({ fetch: send })('http://a.example/', { method, headers, body: 'x' })
    const init = send.mock.calls[1]?.[1]
    expect(init?.method ?? 'GET').toBe(next)
    expect(init?.body).toBe(next === 'GET' ? undefined : 'x')
    expect(new Headers(init?.headers).has('content-type')).toBe(next !== 'GET')
  })

  it('refuses to send a stream twice', async () => {
    const send = fakeFetch({ 'http://a.example/': redirect('/b', 307) })
    const init = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    expect(
      await refusal(guardedFetch({ fetch: send })('http://a.example/', init as RequestInit)),
    ).toContain('stream')
  })

  it('cancels the bodies of hops', async () => {
    const cancel = vi.fn()
    const hop = () =>
      new Response(new ReadableStream({ cancel }), { status: 302, headers: { location: '/b' } })
    await guardedFetch({ fetch: fakeFetch({ 'http://a.example/': hop }) })('http://a.example/')
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('over a real connection: each hop is checked, the last one read', async () => {
    const seen: (string | undefined)[] = []
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end('arrived')
    })
    const first = await serve((request, response) => {
      seen.push(request.headers.authorization)
      const location = request.url === '/in' ? `http://${other}/` : `http://127.0.0.1:1/`
      response.writeHead(302, { location }).end('moved')
    })
    const guarded = guardedFetch({ allowHosts: [first, other] })
    const init = { headers: { authorization: 'Bearer x' } }
    const response = await guarded(`http://${first}/in`, init)
    expect([await response.text(), response.url]).toEqual(['arrived', `http://${other}/`])
    expect(seen).toEqual(['Bearer x', undefined])
    expect(await refusal(guarded(`http://${first}/out`, init))).toContain('port 1 ')
  })
})

describe('in a page', () => {
  const hidden = () =>
    Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' } }) as Response
  const ended = (url: string) => () =>
    Object.defineProperty(new Response('end'), 'url', { value: url })

  it('a redirect that the browser hides is refused by default', async () => {
    const send = fakeFetch({ 'http://a.example/': hidden })
    expect(await refusal(guardedFetch({ fetch: send })('http://a.example/'))).toContain('browser')
  })

  it.each([
    ['https://b.example/', undefined],
    ['http://10.0.0.1/', 'private'],
  ])('followed on request, the end %s is checked', async (end, rule) => {
    const answers = [hidden, ended(end)]
    const send = vi.fn<typeof fetch>(async () => answers.shift()?.() ?? new Response())
    const work = guardedFetch({ fetch: send, hiddenRedirects: 'follow' })('http://a.example/')
    if (rule) expect(await refusal(work)).toContain(rule)
    else expect(await (await work).text()).toBe('end')
  })

  it('cookies are left out unless the caller asks', async () => {
    const send = fakeFetch()
    await guardedFetch({ fetch: send })('http://a.example/')
    await guardedFetch({ fetch: send })('http://a.example/', { credentials: 'include' })
    expect(send.mock.calls.map(([, init]) => init?.credentials)).toEqual(['omit', 'include'])
  })
})

describe('signals', () => {
  it('aborts with the caller, whose reason comes through', async () => {
    const host = await serve(() => {})
    const controller = new AbortController()
    const work = guardedFetch({ allowHosts: [host] })(`http://${host}/`, {
      signal: controller.signal,
    })
    controller.abort(new Error('enough'))
    await expect(work).rejects.toThrowError('enough')
  })

  it('takes a Request, with its method, headers and body', async () => {
    const host = await serve((request, response) => {
      request.pipe(response.setHeader('x-method', request.method ?? ''))
    })
    const request = new Request(`http://${host}/`, { method: 'PUT', body: 'hello' })
    const response = await guardedFetch({ allowHosts: [host] })(request)
    expect([response.headers.get('x-method'), await response.text()]).toEqual(['PUT', 'hello'])
  })

  it('one deadline covers the body too', async () => {
    const host = await serve((_, response) => {
      response.write('a')
    })
    const response = await guardedFetch({ allowHosts: [host], timeoutMs: 50 })(`http://${host}/`)
    await expect(response.text()).rejects.toThrowError(/timeout|abort/i)
  })
})
