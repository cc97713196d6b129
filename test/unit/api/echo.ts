/** A server that says what it was asked, and an API's tools against it. */
import type { IncomingMessage } from 'node:http'
import { type ApiDefinition, type ApiSourceOptions, apiSource } from '../../../src/api/index.ts'
import { createDispatcher, type ToolResult } from '../../../src/index.ts'
import { guardedFetch } from '../../../src/net/guarded-fetch.ts'
import { serve } from '../net/server.ts'

export interface Heard {
  readonly method: string
  /** Path and query as they came over the wire. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export async function echoServer(): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const host = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    heard.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(heard.at(-1)))
  })
  return { url: `http://${host}`, heard }
}

export type Endpoint = Partial<ApiDefinition['endpoint']>

/** A definition with what a test says, and the rest. */
export function defined(
  url: string,
  given: Omit<Partial<ApiDefinition>, 'endpoint'> = {},
  endpoint: Endpoint = {},
): ApiDefinition {
  return {
    name: 'thing',
    description: 'Does a thing.',
    ...given,
    endpoint: { url, method: 'GET', ...endpoint },
  }
}

/** A fetch that reaches the tests' servers. */
export const localFetch = guardedFetch({ allowHosts: ['127.0.0.1'] })

/** Calls the first definition's tool through a dispatcher, which asks nobody. */
export async function callApi(
  definition: ApiDefinition,
  args: object = {},
  options: Partial<ApiSourceOptions> = {},
): Promise<ToolResult> {
  const source = apiSource({ definitions: [definition], fetch: localFetch, ...options })
  const [problem] = source
    .health()
    .problems.filter(({ message }) => !/does not count/.test(message))
  if (problem) throw new Error(problem.message)
  const run = createDispatcher({
    tools: [],
    sources: [source],
    mode: 'full',
    unattended: 'allow',
  }).run()
  const { results } = await run.dispatch([
    { id: 'c', name: `api_${definition.name}`, arguments: args },
  ])
  const [result] = results
  if (!result) throw new Error('no result')
  return result
}
