/** docs/tools.md against the tools themselves. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { subagentsTool } from '../../src/agent/subagents.ts'
import { starterSet, telegramBot } from '../../src/builtin/index.ts'
import { memoryHistory } from '../../src/history/memory.ts'
import { type AnyTool, createDispatcher } from '../../src/index.ts'
import { memoryRunStore } from '../../src/run-state/memory.ts'
import { quickJSSandbox, testToolTool, workspaceScripts } from '../../src/script/index.ts'
import { runCommandTool } from '../../src/shell/index.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { scriptedModel } from '../support/scripted-model.ts'

const never = () => Promise.reject(new Error('not used'))
const workspace = memoryWorkspace()
const tools: AnyTool[] = [
  ...starterSet({
    workspace,
    fetch,
    store: memoryRunStore(),
    search: [],
    bots: [telegramBot({ token: 't', chats: [] })],
    imageModel: never,
    speechModel: never,
    ask: { ask: never },
    history: memoryHistory(),
  }),
  runCommandTool({ workspace }),
  subagentsTool({ models: { m: scriptedModel([]) }, tools: [] }),
  testToolTool({ sandbox: quickJSSandbox({ wasm: never }), scripts: workspaceScripts(workspace) }),
]
const { catalogue } = createDispatcher({ tools, mode: 'full' })
const page = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm)].map(
  ([, name, runs, asks]) => ({ name, runs, asks }),
)

it('every tool has its row, and runs as the row says', () => {
  const own = new Set(['current_time', 'read_result', 'wait'])
  const known = catalogue.filter(({ name }) => !own.has(name))
  const said = Object.fromEntries(rows.map(({ name, runs }) => [name, runs]))
  const is = Object.fromEntries(
    known.map(({ name, concurrent }) => [name, concurrent ? 'concurrent' : 'serial']),
  )
  expect(said).toEqual(is)
  expect(rows).toHaveLength(23)
})

it('a tool that says "no" asks nobody, one that says "yes" always asks', () => {
  const asks = (name: string, args: object) => {
    const tool = tools.find((each) => each.name === name)
    const verdict =
      typeof tool?.confirm === 'function' ? tool.confirm(args as never) : tool?.confirm
    return verdict ?? tool?.readOnly !== true
  }
  for (const { name = '', asks: said } of rows) {
    if (said === 'no' && name !== 'find_tools')
      expect([name, asks(name, {})]).toEqual([name, false])
    if (said === 'yes') expect([name, asks(name, {})]).toEqual([name, true])
  }
})

it('every parameter says what it is for, or is an enumeration or a number that speaks for itself', () => {
  const silent = catalogue.flatMap(({ name, inputSchema }) =>
    undescribed(inputSchema, '').map((path) => `${name}${path}`),
  )
  expect(
    silent.filter(
      (path) =>
        !/\/(mode|status|todos|questions|files|queries|platform|method|timezone|seconds)$/.test(
          path,
        ),
    ),
  ).toEqual([])
})

function undescribed(schema: unknown, path: string): string[] {
  const { properties, items } = Object(schema) as { properties?: object; items?: unknown }
  const own = Object.entries(properties ?? {}).flatMap(([name, property]) => [
    ...(Object(property).description ? [] : [`${path}/${name}`]),
    ...undescribed(property, `${path}/${name}`),
  ])
  return [...own, ...(items ? undescribed(items, `${path}/*`) : [])]
}
