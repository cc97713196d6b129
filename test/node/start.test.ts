/** `npm start` itself: one smoke test of wrangler dev with the page, KV and Durable Object, and its end. */
import { execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('starts page and Worker on PORT, answers the documented round, and ends with all its processes', {
  timeout: 60_000,
}, async () => {
  const port = await freePort()
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, PORT: String(port), NODE_ENV: 'production' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += text
      if (said.includes(`threepass is at http://127.0.0.1:${port}/`)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('exit', () => reject(new Error(`start ended: ${said}`)))
  })
  try {
    await ready
    const base = `http://127.0.0.1:${port}`
    expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ ok: true })
    const page = await fetch(base)
    expect(await page.text()).toContain('<div id="app">')
    expect(page.headers.get('content-security-policy')).not.toContain("'unsafe-eval'")
    const opened = await fetch(`${base}/v1/runs`, { method: 'POST', body: '{"mode":"full"}' })
    const { runId } = (await opened.json()) as { runId: string }
    const body = JSON.stringify({
      calls: [{ id: 'a', name: 'calculate', arguments: '{"expressions":["0.1+0.2"]}' }],
    })
    const round = await fetch(`${base}/v1/runs/${runId}/rounds`, { method: 'POST', body })
    expect(await round.json()).toMatchObject({
      results: [{ outcome: 'completed', value: { '0.1+0.2': '0.3' } }],
    })
  } finally {
    const gone = new Promise<number | null>((resolve) => child.on('exit', resolve))
    child.kill('SIGTERM')
    expect(await gone).toBe(0)
  }
  // The child led its own process group: nobody of it may be left (else this times out).
  while (alive(child.pid ?? 0)) await new Promise((resolve) => setImmediate(resolve))
})

/** Whether a process of the group still runs; one that has ended and waits to be reaped does not. */
function alive(group: number): boolean {
  const listed = execFileSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
  return listed.split('\n').some((line) => {
    const [pgid, stat] = line.trim().split(/\s+/)
    return pgid === String(group) && !stat?.startsWith('Z')
  })
}
