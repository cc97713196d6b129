/** The real Worker for tests that run in another runtime: its address reaches them by `inject('api')`. */
import type { TestProject } from 'vitest/node'
import { startWorker } from './worker.ts'

/** Bearer token of the API. */
export const apiToken = 'the-api-token'

/** Tools that the client's tests call. */
const tools = `
import { defineTool } from '../src/index.ts'
const n = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
let ran = 0
export function workerTools() {
  return [
    defineTool({ name: 'log', description: 'Logs.', readOnly: true, concurrent: true, dedupe: false, reads: () => [], execute: () => 'logged' }),
    defineTool({ name: 'pay', description: 'Pays.', inputSchema: n, execute: ({ n }) => 'paid ' + n + ' run ' + ++ran }),
  ]
}`

/** Pages of the browser tests come from here. */
export const browserPort = 63_315

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const worker = await startWorker({
    tools,
    bindings: {
      API_TOKEN: apiToken,
      ALLOWED_ORIGINS: `http://localhost:${browserPort},http://127.0.0.1:${browserPort}`,
    },
  })
  provide('api', worker.url)
  return worker.stop
}
