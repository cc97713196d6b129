/** No entry grows unnoticed: `npm run size` says what each weighs, test/package/sizes.json what it may. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { subpaths } from '../support/subpaths.ts'

const root = new URL('../../', import.meta.url).pathname

it('every subpath is within its budget', { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/size.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const lines = stdout.trim().split('\n')
  expect(lines.filter((line) => !/ within /.test(line))).toEqual([])
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(subpaths().map(({ name }) => name))
  expect(status).toBe(0)
})
