import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { framesOf } from '../support/sse.ts'
import { startWorker, type TestWorker } from '../support/worker.ts'

/** Tools of the tests' own: one a trait that the routes must carry. */
const tools = `
import { defineTool } from '../src/index.ts'
let running = 0, peak = 0, ran = 0
export function workerTools() {
  return [
    defineTool({ name: 'echo', description: 'Gives its arguments back.', readOnly: true, concurrent: true, reads: () => [],
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } } }, execute: (args) => args }),
    defineTool({ name: 'pay', description: 'Pays.', dedupe: false,
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      execute: (args) => 'paid ' + args.n + ' run ' + ++ran }),
    defineTool({ name: 'slow', description: 'Takes a while.', readOnly: true, concurrent: true, dedupe: false,
      async execute(_, { progress }) {
        running += 1; peak = Math.max(peak, running); progress({ running })
        await new Promise((resolve) => setTimeout(resolve, 30))
        running -= 1; return { peak } } }),
    defineTool({ name: 'hang', description: 'Never ends.', readOnly: true, timeout: 600000,
      execute: () => new Promise(() => {}) }),
    defineTool({ name: 'kept', description: 'Is cached.', readOnly: true, reads: () => [], cache: { scope: 'public' },
      execute: () => ++ran }),
  ]
}`

let worker: TestWorker
beforeAll(async () => {
  worker = await startWorker({ tools })
})
afterAll(() => worker.stop())

const call = (id: string, name: string, args: unknown = {}) => ({
  id,
  name,
  arguments: JSON.stringify(args),
})

async function newRun(body: object = {}): Promise<string> {
  const response = await worker.post('/v1/runs', body)
  expect(response.status).toBe(201)
  const { runId } = (await response.json()) as { runId: string }
  return `/v1/runs/${runId}`
}

async function round(run: string, calls: unknown[], more: object = {}) {
  const response = await worker.post(`${run}/rounds`, { calls, ...more })
  return { status: response.status, body: (await response.json()) as Body }
}

interface Body {
  readonly roundId: string
  readonly results: {
    callId: string
    outcome: string
    code: string
    content: string
    value: unknown
  }[]
  readonly code: string
  readonly errors: { path: string }[]
}

describe('rounds over HTTP', () => {
  it('give one result a call, in order, right or wrong', async () => {
    const { status, body } = await round(await newRun(), [
      call('a', 'echo', { n: 1 }),
      call('b', 'nope'),
      call('c', 'echo', { n: 'x' }),
      call('d', 'pay', { n: 1 }),
      call('e', 'echo', { n: 1 }),
    ])
    expect(status).toBe(200)
    expect(body.results.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['a', 'completed'],
      ['b', 'unknown'],
      ['c', 'invalid'],
      ['d', 'denied'],
      ['e', 'duplicate'],
    ])
  })

  it('what a model does wrong is an outcome, never a bad request', async () => {
    const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`
    const calls = [
      { id: 5, name: 'echo' },
      {},
      { name: 'echo', arguments: JSON.parse(deep) },
      { id: '\ud800', name: 'echo' },
    ]
    const { status, body } = await round(await newRun(), calls)
    expect([status, body.results.map((result) => result.outcome)]).toEqual([
      200,
      ['completed', 'unknown', 'invalid', 'duplicate'],
    ])
  })

  it('take a raw provider message', async () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'echo', input: { n: 2 } }],
    }
    const response = await worker.post(`${await newRun()}/rounds`, { message })
    expect(((await response.json()) as Body).results[0]).toMatchObject({
      callId: 't',
      value: { n: 2 },
    })
  })

  it('posted again give the same results; with other calls 409', async () => {
    const run = await newRun()
    const calls = [call('a', 'slow')]
    const [first, second] = await Promise.all([
      round(run, calls, { roundId: 'r' }),
      round(run, calls, { roundId: 'r' }),
    ])
    expect(second.body).toEqual(first.body)
    const other = await round(run, [call('b', 'slow')], { roundId: 'r' })
    expect([other.status, other.body.code]).toEqual([409, 'THREEPASS_ROUND_MISMATCH'])
  })

  it('stay readable with their history; the state is there after a restart of the Worker', async () => {
    const persist = mkdtempSync(join(tmpdir(), 'threepass-'))
    const before = await startWorker({ tools, persist })
    const { runId } = (await (await before.post('/v1/runs', {})).json()) as { runId: string }
    await before.post(`/v1/runs/${runId}/rounds`, {
      calls: [call('a', 'echo', { n: 1 })],
      roundId: 'r',
    })
    await before.stop()
    const after = await startWorker({ tools, persist })
    const state = await (await after.send(`/v1/runs/${runId}`)).json()
    expect(state).toMatchObject({
      runId,
      roundCount: 1,
      rounds: [{ roundId: 'r', history: [{ callId: 'a' }] }],
    })
    const again = await after.post(`/v1/runs/${runId}/rounds`, {
      calls: [call('b', 'echo', { n: 1 })],
    })
    expect(((await again.json()) as Body).results[0]?.outcome).toBe('duplicate')
    await after.stop()
    rmSync(persist, { recursive: true })
  })

  it('MAX_CONCURRENT_TOOLS sets how many run at once [spec.max-concurrent]', async () => {
    const peakWith = async (bindings: Record<string, string>) => {
      const own = await startWorker({ tools, bindings })
      const { runId } = (await (await own.post('/v1/runs', {})).json()) as { runId: string }
      const calls = Array.from({ length: 9 }, (_, n) => call(`${n}`, 'slow'))
      const response = await own.post(`/v1/runs/${runId}/rounds`, { calls })
      const { results } = (await response.json()) as Body
      await own.stop()
      return Math.max(...results.map(({ value }) => (value as { peak: number }).peak))
    }
    expect(await peakWith({})).toBe(5)
    expect(await peakWith({ MAX_CONCURRENT_TOOLS: '2' })).toBe(2)
  })

  it('the cache is in KV: another session of another object is answered from it', async () => {
    const outcome = async () =>
      (await round(await newRun(), [call('a', 'kept')])).body.results[0]?.outcome
    expect(await outcome()).toBe('completed')
    // The write goes on behind the answer (waitUntil): the namespace says when it is there.
    const kv = await worker.miniflare.getKVNamespace('RESULTS')
    while ((await kv.list()).keys.length === 0)
      await new Promise((resolve) => setImmediate(resolve))
    expect(await outcome()).toBe('cached')
  })
})

describe('event streams', () => {
  it('a round as events, live and in order, then its results', async () => {
    const response = await worker.post(
      `${await newRun()}/rounds`,
      { calls: [call('a', 'slow'), call('b', 'nope')] },
      { accept: 'text/event-stream' },
    )
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const frames = await framesOf(response).until((event) => event.event === 'round_result')
    expect(frames.map((event) => event.event)).toEqual([
      'round_start',
      'tool_call',
      'tool_call',
      'tool_call_start',
      'tool_call_progress',
      'tool_call_end',
      'tool_result',
      'tool_result',
      'round_end',
      'round_result',
    ])
    expect(frames.slice(0, -1).map((event) => Number(event.id))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
    expect(JSON.parse(frames.at(-1)?.data ?? '').results).toHaveLength(2)
  })

  it('reconnect with Last-Event-ID and miss nothing', async () => {
    const run = await newRun()
    const ended = worker.post(`${run}/rounds`, { calls: [call('a', 'slow'), call('b', 'slow')] })
    const first = framesOf(await worker.send(`${run}/events`))
    const seen = await first.until((event) => event.event === 'tool_call_start')
    await first.cancel()
    await ended
    const headers = { 'last-event-id': seen.at(-1)?.id ?? '' }
    const rest = await framesOf(await worker.send(`${run}/events`, { headers })).until(
      (event) => event.event === 'round_end',
    )
    const ids = [...seen, ...rest].map((event) => Number(event.id))
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    const old = framesOf(await worker.send(`${run}/events?follow=false&after=3`))
    expect((await old.next())?.id).toBe('4')
  })

  it('a client that goes away ends its stream, not the round', async () => {
    const run = await newRun()
    const stream = framesOf(
      await worker.post(
        `${run}/rounds`,
        { calls: [call('a', 'slow')], roundId: 'r' },
        { accept: 'text/event-stream' },
      ),
    )
    await stream.until((event) => event.event === 'tool_call_start')
    await stream.cancel()
    const again = await round(run, [call('a', 'slow')], { roundId: 'r' })
    expect(again.body.results[0]?.outcome).toBe('completed')
  })
})

describe('approvals', () => {
  interface Question {
    readonly callId: string
    readonly token: string
  }

  async function asked(run: string, calls: unknown[]) {
    const frames = framesOf(
      await worker.post(`${run}/rounds`, { calls }, { accept: 'text/event-stream' }),
    )
    const seen = await frames.until((event) => event.event === 'approval_requested')
    const { questions } = JSON.parse(seen.at(-1)?.data ?? '') as { questions: Question[] }
    const results = async () => {
      const last = (await frames.until((event) => event.event === 'round_result')).at(-1)
      return (JSON.parse(last?.data ?? '') as Body).results
    }
    return { questions, results }
  }

  it('are asked in one batch and answered in any order; the round goes on with the last', async () => {
    const run = await newRun()
    const { questions, results } = await asked(run, [
      call('a', 'pay', { n: 1 }),
      call('b', 'echo'),
      call('c', 'pay', { n: 2 }),
    ])
    const answer = (index: number, decision: object) =>
      worker.post(`${run}/approvals`, {
        answers: [
          { callId: questions[index]?.callId, token: questions[index]?.token, ...decision },
        ],
      })
    expect(questions.map((question) => question.callId)).toEqual(['a', 'c'])
    const forged = await worker.post(`${run}/approvals`, {
      answers: [{ callId: 'a', token: 'made-up', decision: 'approve' }],
    })
    expect(forged.status).toBe(404)
    expect((await answer(1, { decision: 'deny', reason: 'too much' })).status).toBe(200)
    expect((await answer(1, { decision: 'deny', reason: 'too much' })).status).toBe(200)
    expect((await answer(1, { decision: 'approve' })).status).toBe(409)
    const elsewhere = await worker.post(`${await newRun()}/approvals`, {
      answers: [{ callId: 'a', token: questions[0]?.token, decision: 'approve' }],
    })
    expect(elsewhere.status).toBe(404)
    const pending = (await (await worker.send(run)).json()) as { pendingApprovals: Question[] }
    expect(pending.pendingApprovals.map((question) => question.callId)).toEqual(['a'])
    expect((await answer(0, { decision: 'approve', arguments: { n: 7 } })).status).toBe(200)
    const given = await results()
    expect(given.map((result) => result.outcome)).toEqual(['completed', 'completed', 'denied'])
    expect(given[0]?.content).toContain('paid 7')
    expect(given[2]?.content).toContain('too much')
  })

  it('of one run are not those of another with a round of the same id', async () => {
    const { runId } = (await (await worker.post('/v1/runs', { sessionId: 'shared' })).json()) as {
      runId: string
    }
    const other = (await (await worker.post('/v1/runs', { sessionId: 'shared' })).json()) as {
      runId: string
    }
    const [a, b] = [`/v1/runs/${runId}`, `/v1/runs/${other.runId}`]
    const body = { calls: [call('a', 'pay', { n: 1 })], roundId: 'r1' }
    const asking = framesOf(await worker.post(`${a}/rounds`, body, { accept: 'text/event-stream' }))
    const last = (await asking.until((event) => event.event === 'approval_requested')).at(-1)
    const { token } = (JSON.parse(last?.data ?? '') as { questions: Question[] })
      .questions[0] as Question
    // Nobody waits for an answer here, so nobody is asked.
    const silent = (await (await worker.post(`${b}/rounds`, body)).json()) as Body
    expect(silent.results[0]).toMatchObject({ outcome: 'denied', code: 'no-answer' })
    const answer = { answers: [{ callId: 'a', token, decision: 'approve' }] }
    expect((await worker.post(`${a}/approvals`, answer)).status).toBe(200)
    expect((await worker.post(`${b}/approvals`, answer)).status).toBe(404)
    expect((await asking.until((event) => event.event === 'round_result')).length).toBeGreaterThan(
      0,
    )
  })

  it('are not asked by a JSON request, unless it says so', async () => {
    const { body } = await round(await newRun(), [call('a', 'pay', { n: 1 })])
    expect(body.results[0]).toMatchObject({ outcome: 'denied', code: 'no-answer' })
  })
})

describe('cancel', () => {
  it('ends what is under way and stops the run for good', async () => {
    const run = await newRun()
    const stream = framesOf(
      await worker.post(
        `${run}/rounds`,
        { calls: [call('a', 'hang')] },
        { accept: 'text/event-stream' },
      ),
    )
    await stream.until((event) => event.event === 'tool_call_start')
    expect((await worker.send(run, { method: 'DELETE' })).status).toBe(200)
    const last = (await stream.until((event) => event.event === 'round_result')).at(-1)
    expect(JSON.parse(last?.data ?? '').results[0].code).toBe('cancelled-while-running')
    expect((await round(run, [call('b', 'echo')])).body.results[0]?.code).toBe('run-stopped')
    expect(await (await worker.send(run)).json()).toMatchObject({ stopped: true, roundCount: 2 })
  })
})

describe('bad requests', () => {
  it.each([
    ['no JSON', '{', 400, 'BAD_BODY'],
    ['no object', '[]', 400, 'BAD_BODY'],
    ['an unknown member', '{"callz":[]}', 400, 'BAD_BODY'],
    ['calls that are no list', '{"calls":{}}', 400, 'BAD_BODY'],
    ['calls and a message', '{"calls":[],"message":[]}', 400, 'THREEPASS_BAD_ROUND'],
    ['neither calls nor a message', '{}', 400, 'THREEPASS_BAD_ROUND'],
    ['a message without calls', '{"message":{"role":"user"}}', 400, 'THREEPASS_BAD_ROUND'],
    [
      'a body that is too large',
      `{"calls":[{"name":"${'x'.repeat(4_200_000)}"}]}`,
      413,
      'BODY_TOO_LARGE',
    ],
  ])('%s is a problem with a code', async (_, body, status, code) => {
    const response = await worker.send(`${await newRun()}/rounds`, { method: 'POST', body })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      status,
      code,
      title: expect.any(String),
      detail: expect.any(String),
    })
  })

  it('name the place', async () => {
    const response = await worker.post('/v1/runs', { sessionId: 'not ok!', mode: 'fast' })
    const { errors } = (await response.json()) as Body
    expect(errors.map((error) => error.path).sort()).toEqual(['/mode', '/sessionId'])
  })

  it.each(['/v1/runs/none', '/v1/runs/s.none', '/v1/runs/s.none/events', '/v1/nothing'])(
    '%s is 404',
    async (path) => {
      const response = await worker.send(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json',
      ])
    },
  )

  it('a client may not create a run under an id of its own', async () => {
    expect((await worker.send('/v1/runs/s.mine', { method: 'PUT' })).status).toBe(404)
  })
})

describe('who may call', () => {
  it('with a token: its bearer only; without: loopback only', async () => {
    const locked = await startWorker({ tools, bindings: { API_TOKEN: 'secret-token' } })
    const status = async (authorization?: string) =>
      (await locked.send('/v1/tools', { headers: authorization ? { authorization } : {} })).status
    expect([
      await status(),
      await status('Bearer wrong'),
      await status('Bearer secret-token'),
    ]).toEqual([401, 401, 200])
    expect((await locked.send('/healthz')).status).toBe(200)
    await locked.stop()
    const outside = await worker.miniflare.dispatchFetch('http://threepass.example/v1/tools')
    expect(outside.status).toBe(401)
  })

  it('pages of other origins may not, unless they are allowed', async () => {
    const from = (to: TestWorker, origin: string) => to.send('/v1/tools', { headers: { origin } })
    expect((await from(worker, 'https://evil.example')).status).toBe(403)
    expect((await from(worker, worker.url)).status).toBe(200)
    const open = await startWorker({ tools, bindings: { ALLOWED_ORIGINS: 'https://app.example' } })
    const allowed = await from(open, 'https://app.example')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example',
    ])
    const preflight = await open.send('/v1/runs', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    })
    expect(preflight.status).toBe(204)
    await open.stop()
  })

  it('every answer carries the security headers', async () => {
    const { headers } = await worker.send('/healthz')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).not.toContain('unsafe-eval')
  })
})

describe('tools and documents', () => {
  it('lists tools with schemas and traits, and searches them', async () => {
    const all = (await (await worker.send('/v1/tools')).json()) as { tools: { name: string }[] }
    expect(all.tools.map((tool) => tool.name)).toEqual([
      'echo',
      'find_tools',
      'hang',
      'kept',
      'pay',
      'slow',
    ])
    const found = (await (await worker.send('/v1/tools?query=pays')).json()) as {
      tools: { name: string; confirm: string }[]
    }
    expect(found.tools[0]).toMatchObject({ name: 'pay', confirm: 'always', concurrent: false })
  })

  it('the OpenAPI document describes every route, and its schemas accept what the routes answer', async () => {
    const document = (await (await worker.send('/openapi.json')).json()) as {
      openapi: string
      paths: Record<string, Record<string, unknown>>
      components: { schemas: Record<string, object> }
    }
    expect(document.openapi).toBe('3.1.0')
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(routes.sort()).toEqual([
      'delete /v1/runs/{run}',
      'get /healthz',
      'get /v1/chat/{chat}',
      'get /v1/chat/{chat}/stream',
      'get /v1/runs/{run}',
      'get /v1/runs/{run}/events',
      'get /v1/runs/{run}/tools',
      'get /v1/tools',
      'post /mcp',
      'post /v1/chat',
      'post /v1/chat/{chat}/stop',
      'post /v1/runs',
      'post /v1/runs/{run}/approvals',
      'post /v1/runs/{run}/calls/{call}/lease',
      'post /v1/runs/{run}/calls/{call}/result',
      'post /v1/runs/{run}/rounds',
      'post /v1/tokens',
    ])
    const { body } = await round(await newRun(), [call('a', 'echo'), call('b', 'nope')])
    const validator = new Validator(
      { $ref: '#/components/schemas/RoundResult', components: document.components } as object,
      '2020-12',
    )
    expect(validator.validate(body)).toMatchObject({ valid: true })
    expect(validator.validate({ ...body, results: [{ callId: 'a' }] })).toMatchObject({
      valid: false,
    })
  })

  it('the API page can be read without a script', async () => {
    const page = await (await worker.send('/docs')).text()
    expect(page).toContain('/v1/runs/{run}/rounds')
    expect(page).not.toContain('<script')
  })
})
