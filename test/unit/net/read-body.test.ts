import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { readBody } from '../../../src/net/read-body.ts'
import { request } from '../../../src/net/request.ts'
import { serve } from './server.ts'

const maxBytes = 1_000_000

describe('P106 bounds', () => {
  it('a gzip bomb of 1 GB is cut at the cap, counted as decoded', async () => {
    // A hundred members of 10 MB: together about 1 MB on the wire.
    const bomb = Buffer.concat(Array(100).fill(gzipSync(Buffer.alloc(10_000_000))))
    const host = await serve((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-encoding': 'gzip',
        'content-length': bomb.length,
      })
      response.end(bomb)
    })
    const response = await guardedFetch({ allowHosts: [host] })(`http://${host}/`)
    const body = await readBody(response, { maxBytes })
    expect(body.bytes.length).toBe(maxBytes)
    expect(body).toMatchObject({ truncated: true, cutBy: 'size' })
  })

  it('an endless chunked text is cut at the cap and its connection closed', async () => {
    let closed: (value?: unknown) => void = () => {}
    const gone = new Promise((resolve) => {
      closed = resolve
    })
    const host = await serve((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).on('close', closed)
      more()
    })
    const response = await guardedFetch({ allowHosts: [host] })(`http://${host}/`)
    const body = await readBody(response, { maxBytes })
    expect([body.bytes.length, body.text?.length, body.cutBy]).toEqual([maxBytes, maxBytes, 'size'])
    await gone
  })

  it('a slow drip ends at the one deadline, with what came', async () => {
    const host = await serve((_, response) => {
      response.write('first')
    })
    const { body } = await request(
      guardedFetch({ allowHosts: [host] }),
      `http://${host}/`,
      {},
      { timeoutMs: 200, maxBytes, signal: new AbortController().signal },
    )
    expect(body).toMatchObject({ text: 'first', truncated: true, cutBy: 'deadline' })
  })

  it('headers alone, then nothing: the deadline is an error', async () => {
    const host = await serve((_, response) => {
      response.flushHeaders()
    })
    const work = request(
      guardedFetch({ allowHosts: [host] }),
      `http://${host}/`,
      {},
      { timeoutMs: 100, maxBytes, signal: new AbortController().signal },
    )
    await expect(work).rejects.toThrowError(`no answer from ${host} within 0.1 s`)
  })

  it('more than content-length says is not read', async () => {
    const host = await serve((request, response) => {
      request.socket.end(
        `HTTP/1.1 200 OK\r\ncontent-length: 10\r\ncontent-type: text/plain\r\n\r\n${'y'.repeat(10_000_000)}`,
      )
      response.destroy()
    })
    const response = await guardedFetch({ allowHosts: [host] })(`http://${host}/`)
    const body = await readBody(response, { maxBytes })
    expect(body.bytes.length).toBeLessThanOrEqual(10)
  })

  it('a connection that breaks gives what came, marked', async () => {
    const host = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.destroy())
    })
    const response = await guardedFetch({ allowHosts: [host] })(`http://${host}/`)
    expect(await readBody(response)).toMatchObject({ text: 'half', cutBy: 'connection' })
  })

  it('cancels the reader at the cap and at the deadline', async () => {
    for (const signal of [undefined, AbortSignal.timeout(20)]) {
      const cancel = vi.fn()
      const chunk = signal ? new Uint8Array(1) : new Uint8Array(20)
      const stream = new ReadableStream({ start: (c) => c.enqueue(chunk), cancel })
      const body = await readBody(new Response(stream), {
        maxBytes: 10,
        ...(signal && { signal }),
      })
      expect(body.truncated).toBe(true)
      expect(cancel).toHaveBeenCalledOnce()
    }
  })

  it('an abort that is no time-out rejects with its reason', async () => {
    const controller = new AbortController()
    const stream = new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(1)) })
    const work = readBody(new Response(stream), { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(work).rejects.toThrowError('enough')
  })

  it('a body of exactly the cap is whole; one byte more is not', async () => {
    const of = (size: number) => readBody(new Response('x'.repeat(size)), { maxBytes: 10 })
    expect((await of(10)).truncated).toBe(false)
    expect((await of(11)).truncated).toBe(true)
    expect((await of(0)).text).toBe('')
    expect((await readBody(new Response(null, { status: 204 }))).bytes.length).toBe(0)
  })

  it('a character cut in two at the cap is dropped', async () => {
    expect((await readBody(new Response('aé'), { maxBytes: 2 })).text).toBe('a')
  })

  it.each([0, -1, Number.NaN])('maxBytes %s is refused', async (bad) => {
    await expect(readBody(new Response('x'), { maxBytes: bad })).rejects.toThrowError(/maxBytes/)
  })
})

describe('P107 charset', () => {
  const bytes = (...values: number[]) => new Uint8Array(values)
  const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0))
  const read = (contentType: string | undefined, body: Uint8Array<ArrayBuffer>) =>
    readBody(
      new Response(body, { ...(contentType && { headers: { 'content-type': contentType } }) }),
    )

  const gbk = bytes(0xc4, 0xe3, 0xba, 0xc3)
  const shiftJis = [0x93, 0xfa, 0x96, 0x7b]
  const png = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)

  it('header: gbk', async () => {
    expect(await read('text/html; charset=gbk', gbk)).toMatchObject({
      text: '你好',
      charset: 'gbk',
      replaced: false,
    })
  })

  it('meta: Shift_JIS', async () => {
    const page = bytes(...ascii('<meta charset=Shift_JIS><p>'), ...shiftJis)
    const body = await read('text/html', page)
    expect([body.charset, body.text?.endsWith('<p>日本')]).toEqual(['shift_jis', true])
  })

  it('a quoted ISO-8859-1 label means windows-1252', async () => {
    const quoted = bytes(0x93, 0x61, 0x94, 0x92, 0x80, 0xe9)
    expect(await read('text/html; charset="ISO-8859-1"', quoted)).toMatchObject({
      text: '“a”’€é',
      charset: 'windows-1252',
    })
  })

  it('a byte order mark wins over the header', async () => {
    const utf16 = bytes(0xff, 0xfe, 0x41, 0x00, 0xac, 0x20)
    expect(await read('text/plain', utf16)).toMatchObject({ text: 'A€', charset: 'utf-16le' })
    expect((await read('text/plain; charset=gbk', utf16)).text).toBe('A€')
    expect((await read('text/plain', bytes(0xfe, 0xff, 0, 0x41))).text).toBe('A')
    expect((await read('text/plain; charset=gbk', bytes(0xef, 0xbb, 0xbf, 0x41))).text).toBe('A')
  })

  it('a label that nobody knows falls back', async () => {
    const utf8 = new TextEncoder().encode('né')
    expect(await read('text/html; charset=bogus', utf8)).toMatchObject({
      text: 'né',
      charset: 'utf-8',
    })
  })

  it('binary is not decoded', async () => {
    expect(await read('application/octet-stream', png)).toMatchObject({ charset: 'binary' })
    expect(await read('application/octet-stream', png)).not.toHaveProperty('text')
    expect(await read('image/png', png)).not.toHaveProperty('text')
    expect(await read(undefined, png)).not.toHaveProperty('text')
  })

  it.each(['application/json', 'application/ld+json', 'image/svg+xml', 'application/xhtml+xml'])(
    '%s is text',
    async (type) => {
      expect((await read(type, bytes(0x7b, 0x7d))).text).toBe('{}')
    },
  )

  it('a declaration after the first 4 KB, in a comment, or in plain text does not count', async () => {
    const meta = '<meta charset=gbk>'
    expect((await read('text/html', bytes(...ascii(' '.repeat(4_096) + meta)))).charset).toBe(
      'utf-8',
    )
    expect((await read('text/html', bytes(...ascii(`<!--${meta}-->`)))).charset).toBe('utf-8')
    expect((await read('text/plain', bytes(...ascii(meta)))).charset).toBe('utf-8')
    expect((await read('text/html', bytes(...ascii(' '.repeat(4_000) + meta)))).charset).toBe('gbk')
  })

  it('reads http-equiv and the XML declaration, and takes no UTF-16 from them', async () => {
    const old = '<meta http-equiv="Content-Type" content="text/html; charset=big5">'
    expect((await read('text/html', bytes(...ascii(old)))).charset).toBe('big5')
    const xml = '<?xml version="1.0" encoding="koi8-r"?>'
    expect((await read('application/xml', bytes(...ascii(xml)))).charset).toBe('koi8-r')
    expect((await read('text/html', bytes(...ascii('<meta charset=utf-16>')))).charset).toBe(
      'utf-8',
    )
  })

  it('mostly replacement characters are flagged', async () => {
    expect((await read('text/html; charset=utf-8', gbk)).replaced).toBe(true)
    expect((await read('text/html; charset=utf-8', new TextEncoder().encode('né'))).replaced).toBe(
      false,
    )
    expect((await read('text/plain', bytes(...ascii('plain')))).replaced).toBe(false)
  })
})
