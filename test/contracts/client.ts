/** What threepass/client does, in any runtime, against the real Worker. Web APIs only. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { offlineModel, runAgent } from '../../src/agent/index.ts'
import { createClient, requestProblem, type ServedCall } from '../../src/client/index.ts'
import { type ClientTools, createClientTools, type RunEvent } from '../../src/index.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the Worker that the global set-up has started. */
    api: string
  }
}

const apiToken = 'the-api-token'

/** A page tool that counts; `pick` changes nothing, so another page may take it over. */
function pickTools(ran: string[], wait?: Promise<void>): ClientTools {
  const tools = createClientTools()
  tools.registerClientTool({
    name: 'pick',
    description: 'Picks.',
    readOnly: true,
    concurrent: true,
    inputSchema: z.object({ of: z.string().transform((text) => text.toUpperCase()) }),
    async execute({ of }) {
      ran.push(of)
      await wait
      return { picked: of }
    },
  })
  tools.registerClientTool({
    name: 'fail',
    description: 'Fails.',
    readOnly: true,
    execute: () => {
      throw new Error('nothing is selected')
    },
  })
  return tools
}

/** Resolves with the first event that fits. */
function event(
  run: { listen: (listener: (event: RunEvent) => void) => () => void },
  fits: (event: RunEvent) => boolean,
): Promise<RunEvent> {
  return new Promise((resolve) => {
    const stop = run.listen((each) => {
      if (!fits(each)) return
      queueMicrotask(() => stop())
      resolve(each)
    })
  })
}

/** A fetch whose answers break off: the first event streams after their first chunk, the first round at once. */
function brokenFetch(): typeof fetch {
  let streams = 0
  let rounds = 0
  return async (input, init) => {
    const path = new URL(String(input)).pathname
    if (path.endsWith('/rounds') && rounds++ === 0) {
      await fetch(input, init)
      throw new TypeError('The connection was lost.')
    }
    const response = await fetch(input, init)
    if (!path.endsWith('/events') || streams++ > 2 || !response.body) return response
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value } = await reader.read()
        if (value) controller.enqueue(value)
        controller.error(new TypeError('The connection was lost.'))
        await reader.cancel().catch(() => {})
      },
    })
    return new Response(body, response)
  }
}

export function clientContract(runtime: string, url: () => string): void {
  const client = (more: object = {}) =>
    createClient({ url: url(), token: apiToken, reconnectMs: 5, ...more })

  describe(`threepass/client in ${runtime}`, () => {
    it('opens a run, dispatches, reads it back', async () => {
      const run = await client().openRun({ mode: 'full' })
      expect(run.tools.map(({ name }) => name)).toEqual(['log', 'pay'])
      const { results } = await run.dispatch([
        { id: 'a', name: 'log', arguments: '{}' },
        { id: 'b', name: 'lag', arguments: '{}' },
      ])
      expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'unknown'])
      expect((await run.read()).rounds[0]?.results).toEqual(results)
      expect((await client().tools('pays')).map(({ name }) => name)).toEqual(['pay'])
    })

    it('says what the API says of a request that is wrong', async () => {
      const wrong = await client({ token: 'wrong' })
        .openRun()
        .catch((error: unknown) => error)
      expect(wrong).toMatchObject({ code: 'THREEPASS_REQUEST_FAILED' })
      expect(requestProblem(wrong)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
      const run = await client().openRun()
      const calls = [{ id: 'a', name: 'log' }]
      await run.dispatch(calls, { roundId: 'one' })
      const other = run.dispatch([{ id: 'b', name: 'log' }], { roundId: 'one' })
      await expect(other).rejects.toMatchObject({ cause: { status: 409 } })
    })

    it('answers questions; a round waits for them over every request', async () => {
      const run = await client().openRun({ mode: 'full' })
      const asked = event(run, ({ type }) => type === 'approval_requested')
      const done = run.dispatch([{ id: 'a', name: 'pay', arguments: { n: 1 } }])
      const { questions } = (await asked) as Extract<RunEvent, { type: 'approval_requested' }>
      const token = questions[0]?.token ?? ''
      const approve = { callId: 'a', decision: 'approve' } as const
      const bad = { ...approve, arguments: { n: 'x' } }
      expect(await run.answer(bad, token)).toEqual({
        receipt: 'refused',
        problem: expect.stringContaining('/n'),
      })
      expect(await run.answer(approve, 'made-up')).toEqual({ receipt: 'unknown' })
      expect(await run.answer(approve, token)).toEqual({ receipt: 'taken' })
      expect(await run.answer({ callId: 'a', decision: 'deny' }, token)).toEqual({
        receipt: 'conflict',
      })
      expect((await done).results[0]?.content).toContain('paid 1')
      run.close()
    })

    it('a loop here dispatches on the Worker', async () => {
      const run = await client().openRun({ mode: 'full' })
      const stop = run.listen((event) => {
        if (event.type !== 'approval_requested') return
        for (const { callId, token } of event.questions) {
          void run.answer({ callId, decision: 'approve' }, token)
        }
      })
      const { reason, text } = await runAgent({
        model: offlineModel(),
        run,
        prompt: '/log; /pay n=6 then /say $2',
      })
      expect(reason).toBe('answer')
      expect(text).toMatch(/^paid 6 run \d+$/)
      stop()
      run.close()
    })

    it('runs page tools once, though two pages have them; a failure is the call’s [n.lease]', async () => {
      const ran: string[] = []
      const seen: ServedCall[] = []
      const tools = pickTools(ran)
      const run = await client().openRun({ mode: 'full', clientTools: tools })
      const stop = client()
        .attachRun(run.runId)
        .serve(tools, { onCall: (call) => seen.push(call) })
      const { results } = await run.dispatch([
        { id: 's', name: 'log' },
        { id: 'a', name: 'pick', arguments: { of: 'x' } },
        { id: 'b', name: 'pick', arguments: { of: 'y' } },
        { id: 'f', name: 'fail' },
      ])
      expect(results.map(({ content }) => content)).toEqual([
        'logged',
        '{"picked":"X"}',
        '{"picked":"Y"}',
        'fail failed: nothing is selected',
      ])
      expect(ran.sort()).toEqual(['X', 'Y'])
      stop()
      run.close()
    })

    it('a page that comes later takes up what waits; a call of a page that went away passes on [n.reattach]', async () => {
      const ran: string[] = []
      const tools = pickTools(ran, new Promise(() => {}))
      const run = await client().openRun({ mode: 'full', clientTools: tools })
      const taken = event(run, ({ type }) => type === 'tool_call_progress')
      const calls = [{ id: 'a', name: 'pick', arguments: { of: 'x' } }]
      const left = run.dispatch(calls, { roundId: 'one' })
      await taken
      const [call] = (await run.read()).pendingCalls
      run.close()
      await expect(left).rejects.toMatchObject({ name: 'AbortError' })
      const later = client().attachRun(run.runId)
      const done = later.dispatch(calls, { roundId: 'one' })
      const served: ServedCall[] = []
      const free = new Promise<void>((resolve) => {
        later.serve(pickTools(ran), {
          onCall: (each) => {
            served.push(each)
            if (each.state === 'elsewhere') resolve()
          },
        })
      })
      await free
      // What a page sends when it is left.
      const response = await fetch(`${url()}/v1/runs/${run.runId}/calls/a/lease`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ key: call?.key, owner: call?.lease?.owner, release: true }),
      })
      expect(response.status).toBe(200)
      expect((await done).results[0]?.content).toBe('{"picked":"X"}')
      expect(ran).toEqual(['X', 'X'])
      expect(served.map(({ state }) => state)).toEqual(['elsewhere', 'running', 'answered'])
      later.close()
    })

    it('a connection that breaks loses nothing: every event once and in order, the round runs once', async () => {
      const run = await client({ fetch: brokenFetch() }).openRun({ mode: 'full' })
      const events: RunEvent[] = []
      const over = event(run, ({ type }) => type === 'round_end')
      run.listen((each) => events.push(each))
      const asked = event(run, ({ type }) => type === 'approval_requested')
      const done = run.dispatch([
        { id: 'a', name: 'log' },
        { id: 'b', name: 'pay', arguments: { n: 2 } },
      ])
      const { questions } = (await asked) as Extract<RunEvent, { type: 'approval_requested' }>
      await run.answer({ callId: 'b', decision: 'approve' }, questions[0]?.token ?? '')
      expect((await done).results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
      await over
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(events.filter(({ type }) => type === 'tool_call_start')).toHaveLength(2)
      run.close()
    })

    it('a page holds a run token that is asked for anew, and hears when it is refused for good', async () => {
      const server = client()
      const { runId } = await server.openRun({ sessionId: 'page' })
      let asked = 0
      const token = async () => {
        asked += 1
        return (await server.createToken({ sessionId: 'page' }, 60)).token
      }
      const page = client({ token })
      expect(
        (await page.attachRun(runId).dispatch([{ id: 'a', name: 'log' }])).results,
      ).toHaveLength(1)
      expect((await page.openRun()).sessionId).toBe('page')
      expect(asked).toBe(2)
      const { token: other } = await server.createToken({ sessionId: 'other' }, 60)
      const refused = await new Promise((resolve) => {
        client({ token: other })
          .attachRun(runId, { onError: resolve })
          .listen(() => {})
      })
      expect(requestProblem(refused)).toMatchObject({ status: 403, code: 'OUT_OF_SCOPE' })
    })

    it('a dispatch that is given up on ends its waiting, not the round', async () => {
      const run = await client().openRun({ mode: 'full' })
      const controller = new AbortController()
      const asked = event(run, ({ type }) => type === 'approval_requested')
      const calls = [{ id: 'a', name: 'pay', arguments: { n: 3 } }]
      const done = run.dispatch(calls, { roundId: 'one', signal: controller.signal })
      const { questions } = (await asked) as Extract<RunEvent, { type: 'approval_requested' }>
      controller.abort(new Error('enough'))
      await expect(done).rejects.toThrow('enough')
      await run.answer({ callId: 'a', decision: 'approve' }, questions[0]?.token ?? '')
      expect((await run.dispatch(calls, { roundId: 'one' })).results[0]?.content).toContain(
        'paid 3',
      )
      run.close()
    })
  })
}
