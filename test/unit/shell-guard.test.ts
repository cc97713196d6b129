/** The lock behind the reading: a line that was let through writes nothing, however it was read. */
import { expect, it, vi } from 'vitest'
import { runCommandTool } from '../../src/shell/run-command.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { call } from './builtin/call.ts'

vi.mock('../../src/shell/read-only.ts', () => ({
  isReadOnlyScript: () => true,
  isReadOnlyCommand: () => true,
}))

it('a line that was taken for one that looks has its writes thrown away', async () => {
  const workspace = memoryWorkspace()
  await workspace.write('/a', 'old')
  const tool = runCommandTool({ workspace })
  for (const argv of [['echo new > a'], ['rm', 'a'], ['touch b; cat b']]) {
    const { outcome, content } = await call(tool, { argv })
    expect(outcome).toBe('failed')
    expect(content).toContain('nothing was saved')
  }
  expect((await workspace.list('/')).map(({ path }) => path)).toEqual(['/a'])
  expect((await workspace.read('/a'))?.text).toBe('old')
  expect((await call(tool, { argv: ['cat a'] })).content).toBe('old')
})
