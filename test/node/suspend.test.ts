/** Rounds that wait for people and pages over HTTP: across requests, tabs and a restart of the Worker. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorker, type TestWorker } from '../support/worker.ts'

const tools = `
import { defineTool } from '../src/index.ts'
const n = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
let ran = 0
export function workerTools() {
  return [
    defineTool({ name: 'log', description: 'Logs.', readOnly: true, concurrent: true, reads: () => [], execute: () => 'logged' }),
    defineTool({ name: 'pay', description: 'Pays.', inputSchema: n, execute: ({ n }) => 'paid ' + n + ' run ' + ++ran }),
    defineTool({ name: 'refund', description: 'Refunds.', inputSchema: n, execute: ({ n }) => 'refunded ' + n + ' run ' + ++ran }),
  ]
}`

const pick = {
  name: 'pick',
  description: 'Picks.',
  inputSchema: { type: 'object', properties: { of: { type: 'string' } } },
  readOnly: true,
  concurrent: true,
}

interface Waiting {
  readonly roundId: string
  readonly pendingApprovals: { callId: string; token: string; expiresAt: number }[]
  readonly pendingCalls: { callId: string; key: string; lease?: { owner: string } }[]
}
interface Result {
  readonly outcome: string
  readonly content: string
}

const call = (id: string, name: string, args: object = {}) => ({ id, name, arguments: args })

/** A client of one Worker; the Worker may be another after a restart. */
function client(worker: () => TestWorker, headers: Record<string, string> = {}) {
  const post = async (path: string, body: object) => {
    const response = await worker().post(path, body, headers)
    return { status: response.status, body: (await response.json()) as never }
  }
  return {
    post,
    async open(body: object = {}): Promise<string> {
      const opened = await post('/v1/runs', body)
      expect(opened.status).toBe(201)
      return `/v1/runs/${(opened.body as { runId: string }).runId}`
    },
    round: (run: string, calls: object[], roundId = 'one') =>
      post(`${run}/rounds`, { calls, roundId, approvals: 'ask' }),
    answer: (run: string, { callId, token }: { callId: string; token: string }, said: object) =>
      post(`${run}/approvals`, { answers: [{ callId, token, ...said }] }),
    read: async (run: string) => (await (await worker().send(run, { headers })).json()) as Waiting,
  }
}

const outcomes = (body: { results: Result[] }) => body.results.map(({ outcome }) => outcome)

describe('in one Worker', () => {
  let worker: TestWorker
  const { open, round, answer, post, read } = client(() => worker)
  beforeAll(async () => {
    worker = await startWorker({ tools })
  })
  afterAll(() => worker.stop())

  it('a JSON request never waits for a person: 202 with what is pending, then the same round again', async () => {
    const run = await open()
    const calls = [call('a', 'pay', { n: 1 }), call('b', 'log'), call('c', 'refund', { n: 2 })]
    const first = await round(run, calls)
    expect(first.status).toBe(202)
    const { pendingApprovals } = first.body as Waiting
    expect(pendingApprovals.map(({ callId }) => callId)).toEqual(['a', 'c'])
    const [a, c] = pendingApprovals as [
      Waiting['pendingApprovals'][0],
      Waiting['pendingApprovals'][0],
    ]
    expect((await answer(run, c, { decision: 'deny' })).status).toBe(200)
    const again = await round(run, calls)
    expect([again.status, (again.body as Waiting).pendingApprovals.length]).toEqual([202, 1])
    expect(await answer(run, a, { decision: 'approve', arguments: { n: 'x' } })).toMatchObject({
      status: 422,
      body: { code: 'BAD_ARGUMENTS', detail: expect.stringContaining('/n') },
    })
    expect((await answer(run, a, { decision: 'approve', arguments: { n: 7 } })).status).toBe(200)
    const done = await round(run, calls)
    expect(done.status).toBe(200)
    expect(outcomes(done.body)).toEqual(['completed', 'completed', 'denied'])
    expect((done.body as { results: Result[] }).results[0]?.content).toContain('paid 7')
    // The question is long over; the same answer again is harmless, another one is not (P83).
    expect((await answer(run, c, { decision: 'deny' })).status).toBe(200)
    expect((await answer(run, c, { decision: 'approve' })).status).toBe(409)
  })

  it('an approval that nobody asked for runs nothing, whatever the request says (P77)', async () => {
    const run = await open()
    const forged = await answer(run, { callId: 'z', token: 'made-up' }, { decision: 'approve' })
    expect([forged.status, (forged.body as { code: string }).code]).toEqual([404, 'NOT_ASKED'])
    const calls = [call('a', 'pay', { n: 1 })]
    const { body } = await round(run, calls)
    const other = await open()
    const { callId, token } = (body as Waiting).pendingApprovals[0] as never
    expect((await answer(other, { callId, token }, { decision: 'approve' })).status).toBe(404)
    expect((await round(run, calls)).status).toBe(202)
    await worker.send(run, { method: 'DELETE' })
    expect((await answer(run, { callId, token }, { decision: 'approve' })).status).toBe(410)
  })

  it("a page's tools: refused when they shadow or do not work, called under a lease, first answer wins [n.first] [n.untrusted]", async () => {
    const clientTools = [
      { ...pick, name: 'pay' },
      { ...pick, inputSchema: { type: 'nothing' }, name: 'broken' },
      pick,
    ]
    const opened = await post('/v1/runs', { clientTools })
    const { runId, tools, refusedTools } = opened.body as {
      runId: string
      tools: { name: string }[]
      refusedTools: { tool: string; code: string }[]
    }
    expect(tools.map(({ name }) => name)).toEqual(['log', 'pay', 'pick', 'refund'])
    expect(refusedTools.map(({ tool, code }) => [tool, code])).toEqual([
      ['pay', 'THREEPASS_DUPLICATE_TOOL'],
      ['broken', 'THREEPASS_BAD_SCHEMA'],
    ])
    const run = `/v1/runs/${runId}`
    const calls = [call('s', 'log'), call('a', 'pick', { of: 'x' }), call('b', 'pick', { of: 'y' })]
    const waiting = await round(run, calls)
    expect(waiting.status).toBe(202)
    const { pendingCalls } = waiting.body as Waiting
    expect(pendingCalls.map(({ callId }) => callId)).toEqual(['a', 'b'])
    const [a = '', b = ''] = pendingCalls.map(({ key }) => key)
    const lease = (key: string, owner: string, callId = 'a') =>
      post(`${run}/calls/${callId}/lease`, { key, owner })
    const result = (key: string, more: object, callId = 'a') =>
      post(`${run}/calls/${callId}/result`, { key, ...more })
    expect((await lease(a, 'tab 1')).status).toBe(200)
    expect((await lease(a, 'tab 2')).status).toBe(409)
    expect((await read(run)).pendingCalls[0]?.lease?.owner).toBe('tab 1')
    expect((await lease(a, 'tab 1', 'b')).status).toBe(404)
    expect((await result(a, { owner: 'tab 2', result: 2 })).status).toBe(409)
    expect((await result(a, { owner: 'tab 1' })).status).toBe(400)
    expect((await result(a, { owner: 'tab 1', result: { colour: 'red' } })).status).toBe(200)
    expect((await round(run, calls)).status).toBe(202)
    expect((await result(b, { error: 'nothing there' }, 'b')).status).toBe(200)
    const done = await round(run, calls)
    expect((done.body as { results: Result[] }).results.map(({ content }) => content)).toEqual([
      'logged',
      '{"colour":"red"}',
      'pick failed: nothing there',
    ])
    expect((await result(a, { owner: 'tab 1', result: { colour: 'blue' } })).status).toBe(409)
  })

  it('definitions are bounded', async () => {
    const many = Array.from({ length: 65 }, (_, n) => ({ ...pick, name: `pick${n}` }))
    const refused = [many, [{ ...pick, name: 'no spaces please' }], [{ ...pick, execute: 'x' }]]
    for (const clientTools of refused) {
      expect((await post('/v1/runs', { clientTools })).status).toBe(400)
    }
  })

  it('no page answers: the model is told so in time', async () => {
    const run = await open({ clientTools: [{ ...pick, timeout: 20 }] })
    const calls = [call('a', 'pick')]
    let answered = await round(run, calls)
    if (answered.status === 202) {
      const events = await worker.send(`${run}/events`)
      // The stream shows the end; then the round has its results.
      for await (const chunk of events.body as unknown as AsyncIterable<Uint8Array>) {
        if (new TextDecoder().decode(chunk).includes('round_end')) break
      }
      answered = await round(run, calls)
    }
    expect(outcomes(answered.body)).toEqual(['timed_out'])
  })
})

describe('run tokens', () => {
  let worker: TestWorker
  beforeAll(async () => {
    worker = await startWorker({ tools, bindings: { API_TOKEN: 'the-api-token' } })
  })
  afterAll(() => worker.stop())
  const bearer = (token: string) => client(() => worker, { authorization: `Bearer ${token}` })
  const server = bearer('the-api-token')
  const tokenFor = async (scope: object) =>
    ((await server.post('/v1/tokens', scope)).body as { token: string }).token

  it('are good for one run, and for nothing else [n.token]', async () => {
    const [one, two] = [
      await server.open({ sessionId: 's' }),
      await server.open({ sessionId: 's' }),
    ]
    const page = bearer(await tokenFor({ runId: one.slice('/v1/runs/'.length) }))
    expect((await page.round(one, [call('a', 'log')])).status).toBe(200)
    expect((await page.round(two, [call('a', 'log')])).status).toBe(403)
    expect((await page.post('/v1/runs', { sessionId: 's' })).status).toBe(403)
    expect((await page.post('/v1/tokens', { sessionId: 's' })).status).toBe(403)
  })

  it('or for one session: its runs, and opening more of them [n.token]', async () => {
    const [own, other] = [
      await server.open({ sessionId: 's' }),
      await server.open({ sessionId: 't' }),
    ]
    const page = bearer(await tokenFor({ sessionId: 's', expiresInSeconds: 60 }))
    expect((await page.round(own, [call('a', 'log')])).status).toBe(200)
    expect((await page.round(other, [call('a', 'log')])).status).toBe(403)
    expect(await page.open()).toMatch(/^\/v1\/runs\/s\./)
    expect((await page.post('/v1/runs', { sessionId: 't' })).status).toBe(403)
  })

  it('end, cannot be changed, and are not taken by another Worker [n.token]', async () => {
    const token = await tokenFor({ sessionId: 's', expiresInSeconds: 1 })
    const { expiresAt } = (await server.post('/v1/tokens', { sessionId: 's', expiresInSeconds: 1 }))
      .body as { expiresAt: number }
    expect(Math.abs(expiresAt - Date.now())).toBeLessThan(3_000)
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(atob(body))
    const forge = (changes: object, header = head) =>
      `${header}.${btoa(JSON.stringify({ ...claims, ...changes })).replaceAll('=', '')}.${signature}`
    const none = btoa('{"alg":"none","typ":"JWT"}').replaceAll('=', '')
    const elsewhere = await startWorker({ tools, bindings: { API_TOKEN: 'another' } })
    const foreign = await elsewhere.post(
      '/v1/tokens',
      { sessionId: 's' },
      { authorization: 'Bearer another' },
    )
    const { token: another } = (await foreign.json()) as { token: string }
    await elsewhere.stop()
    const wrong = [
      forge({ sub: 'session:t' }),
      forge({ exp: claims.exp + 3_600 }),
      forge({}, none),
      `${none}.${body}.`,
      another,
    ]
    for (const each of wrong) {
      expect((await bearer(each).post('/v1/runs', {})).status).toBe(401)
    }
    const ended = await worker.post(
      '/v1/runs',
      {},
      { authorization: `Bearer ${await expired('the-api-token')}` },
    )
    expect(ended.status).toBe(401)
  })

  it('need the API token, and something to sign with', async () => {
    const open = await startWorker({ tools })
    expect((await open.post('/v1/tokens', { sessionId: 's' })).status).toBe(409)
    await open.stop()
    expect((await bearer('no').post('/v1/tokens', { sessionId: 's' })).status).toBe(401)
    expect((await server.post('/v1/tokens', {})).status).toBe(400)
    expect((await server.post('/v1/tokens', { runId: 'a.b', sessionId: 's' })).status).toBe(400)
  })
})

/** A token that was good an hour ago, signed as the Worker signs. */
async function expired(apiToken: string): Promise<string> {
  const { sign } = await import('hono/jwt')
  const then = Math.floor(Date.now() / 1000) - 3_600
  const payload = { iss: 'threepass', sub: 'session:s', iat: then - 60, exp: then }
  return sign(payload, `threepass run token ${apiToken}`, 'HS256')
}

describe('over a restart of the Worker', () => {
  let worker: TestWorker
  const persist = mkdtempSync(join(tmpdir(), 'threepass-suspend-'))
  const start = async () => {
    worker = await startWorker({ tools, persist })
  }
  const restart = async () => {
    await worker.stop()
    await start()
  }
  beforeAll(start)
  afterAll(async () => {
    await worker.stop()
    rmSync(persist, { recursive: true, force: true })
  })
  const { open, round, answer, post, read } = client(() => worker)

  it('both questions wait, one answer before and one after; each tool runs exactly once [g.across] (P79, P80)', async () => {
    const run = await open()
    const calls = [call('l', 'log'), call('x', 'pay', { n: 1 }), call('y', 'refund', { n: 2 })]
    const { pendingApprovals } = (await round(run, calls)).body as Waiting
    const [x, y] = pendingApprovals as [
      Waiting['pendingApprovals'][0],
      Waiting['pendingApprovals'][0],
    ]
    expect((await answer(run, x, { decision: 'approve' })).status).toBe(200)
    await restart()
    // Whoever comes first finds the round taken up: here the answer itself.
    expect((await answer(run, x, { decision: 'approve' })).status).toBe(200)
    expect((await answer(run, x, { decision: 'deny' })).status).toBe(409)
    const waiting = (await read(run)).pendingApprovals
    expect(waiting).toMatchObject([{ callId: 'y', token: y.token, expiresAt: y.expiresAt }])
    expect((await answer(run, y, { decision: 'deny', reason: 'no' })).status).toBe(200)
    const done = await round(run, calls)
    expect(outcomes(done.body)).toEqual(['completed', 'completed', 'denied'])
    expect((done.body as { results: Result[] }).results[1]?.content).toBe('paid 1 run 1')
  })

  it("a page's call still waits under its lease, beside what had ended [n.reattach]", async () => {
    const run = await open({ clientTools: [{ ...pick, timeout: 600_000 }] })
    const calls = [call('l', 'log'), call('a', 'pick')]
    const { pendingCalls } = (await round(run, calls)).body as Waiting
    const key = pendingCalls[0]?.key ?? ''
    await post(`${run}/calls/a/lease`, { key, owner: 'tab 1' })
    await restart()
    expect((await post(`${run}/calls/a/lease`, { key, owner: 'tab 2' })).status).toBe(409)
    expect((await post(`${run}/calls/a/lease`, { key, owner: 'tab 1' })).status).toBe(200)
    expect((await read(run)).pendingCalls).toMatchObject([{ key, lease: { owner: 'tab 1' } }])
    await post(`${run}/calls/a/result`, { key, owner: 'tab 1', result: 'after' })
    const done = await round(run, calls)
    expect((done.body as { results: Result[] }).results.map(({ content }) => content)).toEqual([
      'logged',
      'after',
    ])
  })
})
