/** Published MCP servers, each a process of its own, behind a dispatcher. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpQuestion } from '../../src/mcp/index.ts'
import { type OpenSource, openSource } from '../support/mcp-client.ts'
import { bridged, everythingServer, type ServerProcess } from '../support/mcp-process.ts'

describe('server-everything', { timeout: 30_000 }, () => {
  let server: ServerProcess
  let opened: OpenSource
  const questions: McpQuestion[] = []
  const elicit = (question: McpQuestion) => {
    questions.push(question)
    return { action: 'accept' as const, content: { name: 'Ada' } }
  }
  const call: OpenSource['call'] = (name, args) => opened.call(name, args)

  beforeAll(async () => {
    server = await everythingServer()
    opened = openSource(server.url, { server: 'everything', trustHints: true, elicit })
    await opened.source.load()
  })
  afterAll(async () => {
    await opened.source.close()
    await server.stop()
  })

  it('gives its tools and says what they are for', () => {
    expect(opened.source.health()).toMatchObject({ status: 'ready', problems: [] })
    expect(opened.names()).toContain('mcp__everything__get-sum')
    expect(opened.source.instructions()).not.toBe('')
  })

  it('gives text, sums, structure, images, links and resources', async () => {
    expect((await call('echo', { message: 'hello' })).content).toBe('Echo: hello')
    expect((await call('get-sum', { a: 2, b: 40 })).content).toContain('42')
    expect((await call('get-structured-content', { location: 'New York' })).value).toMatchObject({
      temperature: expect.any(Number),
    })
    expect((await call('get-tiny-image')).media).toEqual([
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) },
    ])
    expect(
      (await call('get-resource-links', { count: 2 })).content.match(/\[link: /g),
    ).toHaveLength(2)
    const reference = { resourceType: 'Text', resourceId: 1 }
    expect((await call('get-resource-reference', reference)).content).toMatch(/Resource 1/)
  })

  it('refuses what does not fit before it is sent', async () => {
    expect(await call('get-sum', { a: 'two' })).toMatchObject({ outcome: 'invalid' })
  })

  it('tells how far a long call is', async () => {
    const { outcome } = await call('trigger-long-running-operation', { duration: 0.1, steps: 2 })
    expect(outcome).toBe('completed')
    expect(
      opened.events.filter(({ type }) => type === 'tool_call_progress').length,
    ).toBeGreaterThan(0)
  })

  it('asks, and is answered', async () => {
    const { content } = await call('trigger-elicitation-request')
    expect(content).toContain('Ada')
    expect(questions[0]?.schema).toMatchObject({ type: 'object' })
  })

  it('has begun anew after a restart: its session is forgotten, and the call comes through', async () => {
    const port = Number(new URL(server.url).port)
    await server.stop()
    server = await everythingServer(port)
    expect((await call('echo', { message: 'again' })).content).toBe('Echo: again')
  })
})

describe('server-memory', { timeout: 30_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'threepass-mcp-memory-'))
  let server: ServerProcess
  let opened: OpenSource

  beforeAll(async () => {
    server = await bridged('server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') })
    opened = openSource(server.url, { server: 'memory', trustHints: true })
    await opened.source.load()
  })
  afterAll(async () => {
    await opened.source.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('keeps what it is told, in one round after another and in the order of the model', async () => {
    const { run, source } = opened
    expect(source.health().problems).toEqual([])
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }]
    const { results } = await run.dispatch([
      { id: '1', name: 'mcp__memory__read_graph', arguments: {} },
      { id: '2', name: 'mcp__memory__create_entities', arguments: { entities } },
      { id: '3', name: 'mcp__memory__read_graph', arguments: {} },
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('completed'))
    expect(results[0]?.value).toEqual({ entities: [], relations: [] })
    expect(results[2]?.value).toMatchObject({ entities: [{ name: 'Ada' }] })
    const found = await opened.call('search_nodes', { query: 'programs' })
    expect(found.content).toContain('Ada')
  })
})

describe('server-filesystem', { timeout: 30_000 }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'threepass-mcp-files-')))
  let server: ServerProcess
  let opened: OpenSource

  beforeAll(async () => {
    writeFileSync(join(folder, 'a.md'), '# Plan\nfirst\n')
    server = await bridged('server-filesystem', [folder])
    opened = openSource(server.url, { server: 'files', trustHints: true }, { approver: () => [] })
    await opened.source.load()
  })
  afterAll(async () => {
    await opened.source.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('is read without asking and written only when a person says so', async () => {
    expect(opened.source.health()).toMatchObject({ status: 'ready', problems: [] })
    const path = join(folder, 'a.md')
    expect((await opened.call('read_text_file', { path })).content).toContain('# Plan')
    expect((await opened.call('write_file', { path, content: 'gone' })).outcome).toBe('denied')
    expect((await opened.call('read_text_file', { path })).content).toContain('# Plan')
  })

  it('refuses a file that is not its own: the call has failed', async () => {
    const { outcome, content } = await opened.call('read_text_file', { path: '/etc/passwd' })
    expect(outcome).toBe('failed')
    expect(content).toMatch(/denied/i)
  })
})
