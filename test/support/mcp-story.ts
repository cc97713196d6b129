/** One story of MCP servers for every runtime: web standards only. */
import { createDispatcher } from '../../src/index.ts'
import { mcpSource } from '../../src/mcp/index.ts'
import { guardedFetch } from '../../src/net/guarded-fetch.ts'

export interface StoryServers {
  readonly everything: string
  readonly legacy: string
  readonly modern: string
}

const say = (outcome: string, content: string) => `${outcome}: ${content}`

/** What a model would see of the servers, the same wherever it runs. */
export async function mcpStory(servers: StoryServers): Promise<object> {
  const fetch = guardedFetch({ allowHosts: ['127.0.0.1'] })
  const sources = Object.entries(servers).map(([server, url]) => mcpSource({ server, url, fetch }))
  const run = createDispatcher({ tools: [], sources, mode: 'full', unattended: 'allow' }).run()
  await Promise.all(sources.map((source) => source.load()))
  const call = async (name: string, args = {}) => {
    const { results } = await run.dispatch([{ id: crypto.randomUUID(), name, arguments: args }])
    return results[0]
  }
  const told = async (name: string, args = {}) => {
    const result = await call(name, args)
    return say(result?.outcome ?? '', result?.content ?? '')
  }
  const story = {
    health: sources.map((source) => source.health().message ?? source.health().status),
    echo: await told('mcp__everything__echo', { message: 'hello' }),
    image: (await call('mcp__everything__get-tiny-image'))?.media?.[0]?.mimeType,
    structured: Object.keys(
      Object(
        (await call('mcp__everything__get-structured-content', { location: 'Chicago' }))?.value,
      ),
    ),
    checked: await told('mcp__legacy__checked'),
    legacy: await told('mcp__legacy__plain'),
    modern: await told('mcp__modern__plain'),
    broken: (await call('mcp__legacy__break'))?.outcome,
    forgotten: await told('mcp__legacy__plain', { again: true }),
  }
  await Promise.all(sources.map((source) => source.close()))
  return story
}
