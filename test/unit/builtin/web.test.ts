import { describe, expect, it, vi } from 'vitest'
import { fetchPageTool } from '../../../src/builtin/fetch-page.ts'
import { httpRequestTool } from '../../../src/builtin/http-request.ts'
import { type AnyTool, createDispatcher } from '../../../src/index.ts'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { memoryCacheStore } from '../../../src/result-cache/memory.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { serve } from '../net/server.ts'
import { call } from './call.ts'

function answering(
  body: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  init: ResponseInit & { url?: string } = {},
) {
  return vi.fn<typeof fetch>(async () => {
    const headers = { 'content-type': contentType, ...init.headers }
    const response = new Response(body, { ...init, headers })
    return init.url ? Object.defineProperty(response, 'url', { value: init.url }) : response
  })
}

const article = `<!doctype html><html><head><title> A &amp;
 B </title><style>p{}</style><script>evil()</script></head><body>
<nav><a href="/">Home</a></nav><header>Site</header>
<main><h1>Head</h1><p>Some <b>bold</b> and <a href="/x?y=1">a link</a>.</p>
<p hidden>secret</p><p style="display: none">secret</p><p aria-hidden="true">secret</p>
<ul><li>one</li><li>two</li></ul><pre><code class="language-js">let a = 1</code></pre>
<table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1</td></tr></table>
<p><img src="p.png" alt="a picture"> <del>old</del></p><a href="javascript:evil()">bad</a></main>
<footer>imprint</footer></body></html>`

describe('fetch_page', () => {
  const page = (fetch: typeof globalThis.fetch, args: object = {}) =>
    call(fetchPageTool({ fetch }), { link: 'https://a.example/dir/', ...args })

  it('HTML becomes clean markdown with its title', async () => {
    const { content, value, outcome } = await page(answering(article, 'text/html'))
    expect(outcome).toBe('completed')
    expect(content).toBe(`title: A & B
url: https://a.example/dir/
charset: utf-8
---
# Head

Some **bold** and a link.

- one
- two

\`\`\`js
let a = 1
\`\`\`

| k | v |
| - | - |
| a | 1 |

(image: a picture) ~~old~~

bad`)
    expect(value).toMatchObject({ title: 'A & B', status_code: 200, truncated: false })
  })

  it('keeps links on request, absolute and harmless', async () => {
    const { content } = await page(answering(article, 'text/html'), { keep_links: true })
    expect(content).toContain('[a link](https://a.example/x?y=1)')
    expect(content).toContain('![a picture](https://a.example/dir/p.png)')
    expect(content).not.toContain('javascript:')
  })

  it('text, html and json', async () => {
    const text = await page(answering(article, 'text/html'), { type: 'text' })
    expect(text.content).toContain('Head\n\nSome bold and a link.')
    const html = await page(answering(article, 'text/html'), { type: 'html' })
    expect(html.content).toContain('<script>evil()</script>')
    const json = await page(answering('{"a":1}', 'application/json'), { type: 'json' })
    expect(json.content).toContain('\n---\n{"a":1}')
    const bad = await page(answering('<p>', 'text/html'), { type: 'json' })
    expect([bad.outcome, bad.content]).toEqual([
      'failed',
      expect.stringContaining('is not JSON but text/html'),
    ])
  })

  it.each([
    ['plain text', 'a\n  b', 'text/plain', 'a\n  b'],
    ['markdown', '# a', 'text/markdown', '# a'],
    ['JSON', '{"a":1}', 'application/json', '{"a":1}'],
    ['HTML without a type', '<html><p>a</p>', '', 'a'],
    ['a page without main', '<p>a</p><nav>b</nav>', 'text/html', 'a'],
    ['a page that is all navigation', '<nav>b</nav>', 'text/html', 'b'],
    ['a page with two articles', '<article>a</article><article>b</article>', 'text/html', 'a\n\nb'],
    ['malformed HTML', '<p>a<p>b</i><b>c', 'text/html', 'a\n\nb**c**'],
  ])('%s', async (_, body, type, expected) => {
    const { content } = await page(answering(body, type))
    expect(content.slice(content.indexOf('---\n') + 4)).toBe(expected)
  })

  it('names the charset and is read in it', async () => {
    const gbk = new Uint8Array([0xc4, 0xe3, 0xba, 0xc3])
    const { content, value } = await page(answering(gbk, 'text/html; charset=gbk'))
    expect(content).toContain('你好')
    expect(value).toMatchObject({ charset: 'gbk' })
  })

  it.each([
    ['an error status', answering('<h1>Gone</h1>', 'text/html', { status: 410 }), 'HTTP 410: Gone'],
    ['binary', answering(new Uint8Array([0]), 'image/png'), 'not text but image/png'],
    ['nothing', answering('<script>x</script>', 'text/html'), 'has no content'],
  ])('%s fails', async (_, fetch, reason) => {
    const result = await page(fetch)
    expect([result.outcome, result.content]).toEqual(['failed', expect.stringContaining(reason)])
  })

  it('a refused address fails with the rule', async () => {
    const tool = fetchPageTool({ fetch: guardedFetch() })
    const { outcome, content } = await call(tool, { link: 'http://169.254.169.254/latest/' })
    expect([outcome, content]).toEqual(['failed', expect.stringContaining('link-local')])
  })

  it('gives at most 100 KiB, whole characters, and says so', async () => {
    const { content } = await page(answering('é'.repeat(200_000), 'text/plain'))
    expect(content).toContain('[Cut: the first 102400 of 400000 bytes.]')
    expect(content).not.toContain('\ufffd')
    expect(content.match(/é/g)?.length).toBe(51_200)
  })

  it('survives a page nested a hundred thousand deep', async () => {
    const { content } = await page(
      answering(`<p>top</p>${'<div>'.repeat(100_000)}deep`, 'text/html'),
    )
    expect(content).toContain('top')
  })

  it('an address without a scheme is https', async () => {
    const fetch = answering('a', 'text/plain')
    await page(fetch, { link: 'a.example/x' })
    expect(fetch.mock.calls[0]?.[0]).toBe('https://a.example/x')
  })
})

describe('what is cached', () => {
  async function asked(
    tool: (fetch: typeof globalThis.fetch) => AnyTool,
    args: object,
    fetch: ReturnType<typeof answering>,
  ) {
    const cache = memoryCacheStore()
    for (let run = 0; run < 2; run += 1) {
      const dispatcher = createDispatcher({
        tools: [tool(fetch)],
        mode: 'full',
        cache,
        unattended: 'allow',
      })
      const name = tool(fetch).name
      await dispatcher.run({ sessionId: 's' }).dispatch([{ name, arguments: args }])
    }
    return fetch.mock.calls.length
  }
  const page = (fetch: typeof globalThis.fetch) => fetchPageTool({ fetch })
  const small = (fetch: typeof globalThis.fetch) => fetchPageTool({ fetch, maxBytes: 2 })
  const http = (fetch: typeof globalThis.fetch) => httpRequestTool({ fetch })
  const link = { link: 'https://a.example/' }
  const url = { url: 'https://a.example/' }
  const bad = new Uint8Array([0xc4, 0xe3, 0xba, 0xc3])

  it.each([
    ['a page', page, link, answering('abc', 'text/plain'), 1],
    ['a page by force', page, { ...link, force: true }, answering('abc', 'text/plain'), 2],
    ['an error page', page, link, answering('abc', 'text/plain', { status: 500 }), 2],
    ['a cut page', small, link, answering('abc', 'text/plain'), 2],
    ['garbled text', page, link, answering(bad, 'text/plain'), 2],
    ['a GET', http, url, answering('abc', 'text/plain'), 1],
    ['a GET that fails', http, url, answering('abc', 'text/plain', { status: 404 }), 2],
    ['a POST', http, { ...url, method: 'POST' }, answering('abc', 'text/plain'), 2],
  ])('%s: asked for twice', async (_, tool, args, fetch, times) => {
    expect(await asked(tool, args, fetch)).toBe(times)
  })
})

describe('fetch_page: who wrote it, when, and into a file', () => {
  const facts = async (head: string, body = '<p>Text</p>') => {
    const html = `<html><head><title>T</title>${head}</head><body><main>${body}</main></body></html>`
    const { value } = await call(fetchPageTool({ fetch: answering(html, 'text/html') }), {
      link: 'https://a.example/',
    })
    const { author, published } = Object(value)
    return [author, published]
  }

  it.each([
    [
      '<meta name="author" content=" Ann  Lee "><meta property="article:published_time" content="2026-03-01T10:00Z">',
      '',
      ['Ann Lee', '2026-03-01T10:00Z'],
    ],
    [
      '<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":"Article","author":[{"name":"A"},{"name":"B"}],"datePublished":"2026-02-02"}]}</script>',
      '',
      ['A, B', '2026-02-02'],
    ],
    [
      '<meta property="article:author" content="https://a.example/ann">',
      '<a rel="author" href="/ann">Ann</a> <time datetime="2025-12-31">New Year</time>',
      ['Ann', '2025-12-31'],
    ],
    ['<script type="application/ld+json">{"author":</script>', '', [undefined, undefined]],
    [
      '<script type="application/ld+json">{"author":{"name":5},"datePublished":{}}</script>',
      '',
      [undefined, undefined],
    ],
    ['', '<time>yesterday</time>', [undefined, undefined]],
    [
      '<meta name="author" content="https://a.example/"><meta name="Author" content="Ann"><meta name="author" content="Bo">',
      '',
      ['Ann', undefined],
    ],
  ])('%s %s', async (head, body, expected) => {
    expect(await facts(head, body || undefined)).toEqual(expected)
  })

  it.each([
    ['an author of lists in lists', `"author":${'['.repeat(20_000)}"A"${']'.repeat(20_000)}`],
    ['a name of objects in objects', `"author":${'{"name":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['a graph of graphs', `"@graph":${'{"@graph":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ])('%s is passed over', async (_, member) => {
    const data = `<script type="application/ld+json">{"datePublished":"2026-02-02",${member}}</script>`
    expect(await facts(data)).toEqual([undefined, '2026-02-02'])
  })

  it('thousands of meta elements are read in passing', { timeout: 20_000 }, async () => {
    const others = '<meta name="x" content="y">'.repeat(30_000)
    expect(await facts(`${others}<meta name="author" content="Ann">`)).toEqual(['Ann', undefined])
  })

  it('stands in the head of the text', async () => {
    const html =
      '<html><head><title>T</title><meta name="author" content="Ann"></head><body><p>Text</p></body></html>'
    const { content } = await call(fetchPageTool({ fetch: answering(html, 'text/html') }), {
      link: 'https://a.example/',
    })
    expect(content).toMatch(/^title: T\nauthor: Ann\nurl: /)
  })

  it('saves the whole page, asks first, and is not answered from the cache then', async () => {
    const workspace = memoryWorkspace()
    const long = 'word '.repeat(40_000)
    const fetch = answering(`<html><title>T</title><body><p>${long}</p></body></html>`, 'text/html')
    const tool = fetchPageTool({ fetch, workspace })
    const asked: string[] = []
    const run = createDispatcher({
      tools: [tool],
      mode: 'full',
      approver: ({ requests }) => {
        asked.push(...requests.map(({ callId }) => callId))
        return requests.map(({ callId }) => ({ callId, decision: 'approve' }))
      },
    }).run()
    const round = async (id: string, args: object) => {
      const { results } = await run.dispatch([
        { id, name: 'fetch_page', arguments: { link: 'https://a.example/x?y=1', ...args } },
      ])
      return results[0]
    }
    expect((await round('look', {}))?.outcome).toBe('completed')
    const saved = await round('save', { save: true })
    expect(saved?.content).toMatch(/^saved \/pages\/a\.example-x-y-1\.md: \d+ bytes$/)
    expect((await workspace.read('/pages/a.example-x-y-1.md'))?.text.length).toBeGreaterThan(
      190_000,
    )
    await round('there', { save: true, save_to: '/p.html', type: 'html' })
    expect((await workspace.read('/p.html'))?.text).toMatch(/^<html>/)
    expect(asked).toEqual(['save', 'there'])
    expect(fetch).toHaveBeenCalledTimes(3)
    // In another run of the session it is saved again.
    await workspace.remove('/p.html')
    const again = createDispatcher({ tools: [tool], mode: 'full', unattended: 'allow' })
    for (const id of ['x', 'y']) {
      const args = { link: 'https://a.example/', save: true, save_to: '/q.md' }
      await again.run({ sessionId: 's' }).dispatch([{ id, name: 'fetch_page', arguments: args }])
    }
    expect(fetch).toHaveBeenCalledTimes(5)
    const { content } = await call(fetchPageTool({ fetch }), {
      link: 'https://a.example/',
      save: true,
    })
    expect(content).toContain('pages cannot be saved here')
  })
})

describe('http_request', () => {
  it('gives status, headers and body, and hides cookies', async () => {
    const fetch = answering('{"a":1}', 'application/json', { headers: { 'set-cookie': 's=1' } })
    const { value, content } = await call(httpRequestTool({ fetch }), { url: 'https://a.example/' })
    expect(value).toEqual({
      status_code: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(content).toBe('HTTP 200\ncontent-type: application/json\n\n{"a":1}')
  })

  it('a status from 400 is a failure that still tells all', async () => {
    const fetch = answering('{"error":"no"}', 'application/json', { status: 422 })
    const result = await call(httpRequestTool({ fetch }), { url: 'https://a.example/' })
    expect(result.outcome).toBe('failed')
    expect(result.content).toContain('HTTP 422')
    expect(result.content).toContain('{"error":"no"}')
  })

  it('sends JSON, forms and headers', async () => {
    const host = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { method, headers } = request
        response.end(JSON.stringify({ method, type: headers['content-type'], x: headers.x, body }))
      })
    })
    const tool = httpRequestTool({ fetch: guardedFetch({ allowHosts: [host] }) })
    const sent = async (args: object) => {
      const { value } = await call(tool, { url: `http://${host}/`, ...args })
      return JSON.parse((value as { body: string }).body)
    }
    const body = { a: 1, list: ['x', 'y'], o: { p: true } }
    expect(await sent({ method: 'POST', body, headers: { x: '1' } })).toEqual({
      method: 'POST',
      type: 'application/json',
      x: '1',
      body: JSON.stringify(body),
    })
    expect(await sent({ method: 'PATCH', body, content_type: 'form' })).toMatchObject({
      method: 'PATCH',
      body: 'a=1&list=x&list=y&o=%7B%22p%22%3Atrue%7D',
    })
    expect(await sent({ method: 'PUT', body, headers: { 'Content-Type': 'a/b' } })).toMatchObject({
      type: 'a/b',
    })
    expect(await sent({ method: 'DELETE' })).toMatchObject({ method: 'DELETE', body: '' })
    expect(await sent({})).toMatchObject({ method: 'GET', body: '' })
  })

  it.each([
    [{ method: 'GET', body: { a: 1 } }, 'failed', 'GET has no body'],
    [{ headers: { 'bad name': 'x' } }, 'failed', 'bad name'],
    [{ method: 'HEAD' }, 'invalid', 'method'],
    [{ timeout: 0 }, 'invalid', 'timeout'],
    [{ other: 1 }, 'invalid', 'other'],
  ])('%j is %s', async (args, outcome, reason) => {
    const fetch = answering('', 'text/plain')
    const result = await call(httpRequestTool({ fetch }), { url: 'https://a.example/', ...args })
    expect([result.outcome, result.content]).toEqual([outcome, expect.stringContaining(reason)])
    expect(fetch).not.toHaveBeenCalled()
  })

  it('says what a binary or cut body is', async () => {
    const png = answering(new Uint8Array([0, 1]), 'image/png')
    const binary = await call(httpRequestTool({ fetch: png }), { url: 'https://a.example/' })
    expect(binary.content).toContain('[2 bytes of binary data, image/png]')
    const long = answering('abcdef', 'text/plain')
    const cut = await call(httpRequestTool({ fetch: long, maxBytes: 3 }), {
      url: 'https://a.example/',
    })
    expect(cut.value).toMatchObject({ body: 'abc', truncated: true })
    expect(cut.content).toContain('[Cut (size): the first 3 bytes.]')
  })

  it('one line for a server that is not there', async () => {
    const fetch = guardedFetch({ allowHosts: ['127.0.0.1:1'] })
    const result = await call(httpRequestTool({ fetch }), { url: 'http://127.0.0.1:1/' })
    expect(result.content).toMatch(/could not reach 127\.0\.0\.1:1: fetch failed/)
  })

  it('only GET asks nobody', async () => {
    const fetch = answering('ok', 'text/plain')
    const tools = [httpRequestTool({ fetch })]
    const run = createDispatcher({ tools, mode: 'full' }).run()
    const { results } = await run.dispatch(
      ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) => ({
        name: 'http_request',
        arguments: { url: 'https://a.example/', method },
      })),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', ...Array(4).fill('denied')])
    expect(fetch).toHaveBeenCalledOnce()
  })

  it('a POST between two equal GETs of its host makes the second run again, of another not', async () => {
    for (const [target, times] of [
      ['https://a.example/other', 3],
      ['https://b.example/', 2],
    ] as const) {
      const fetch = answering('ok', 'text/plain')
      const tools = [httpRequestTool({ fetch })]
      const run = createDispatcher({ tools, mode: 'full', unattended: 'allow' }).run()
      const get = { name: 'http_request', arguments: { url: 'https://a.example/x' } }
      const post = { name: 'http_request', arguments: { url: target, method: 'POST' } }
      for (const each of [get, post, get]) await run.dispatch([each])
      expect(fetch).toHaveBeenCalledTimes(times)
    }
  })

  it('sends a multipart body with files of the workspace', async () => {
    let seen = { type: '', form: new FormData() }
    const host = await serve(async (incoming, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      const type = incoming.headers['content-type'] ?? ''
      const form = await new Response(Buffer.concat(chunks), {
        headers: { 'content-type': type },
      }).formData()
      seen = { type, form }
      response.end('ok')
    })
    const workspace = memoryWorkspace()
    await workspace.write('/dir/a.txt', 'é')
    await workspace.write('/b.bin', new Uint8Array([0, 255]))
    const tool = httpRequestTool({ fetch: guardedFetch({ allowHosts: [host] }), workspace })
    const send = (body: object) =>
      call(tool, {
        url: `http://${host}/`,
        method: 'POST',
        content_type: 'multipart',
        headers: { 'content-type': 'text/plain' },
        body,
      })
    const files = [
      { name: 'one', path: 'dir/a.txt', content_type: 'text/plain' },
      { name: 'two', path: '/b.bin' },
    ]
    expect((await send({ fields: { a: ['1', '2'], n: 3 }, files })).outcome).toBe('completed')
    expect(seen.type).toMatch(/^multipart\/form-data; boundary=/)
    expect([seen.form.getAll('a'), seen.form.get('n')]).toEqual([['1', '2'], '3'])
    const [one, two] = [seen.form.get('one'), seen.form.get('two')] as unknown as File[]
    expect([one?.name, await one?.text()]).toEqual(['a.txt', 'é'])
    expect([...new Uint8Array((await two?.arrayBuffer()) ?? new ArrayBuffer(0))]).toEqual([0, 255])
    for (const [body, why] of [
      [{ files: [{ name: 'x', path: '/none' }] }, 'there is no such file'],
      [{ files: [{ name: 'x' }] }, 'needs a name and a path'],
      [{ a: 1 }, 'has fields and files, not a'],
    ] as const) {
      const { outcome, content } = await send(body)
      expect([outcome, content.includes(why)]).toEqual(['failed', true])
    }
  })
})
