// npm run build: dist/ as ESM and d.ts, from nothing.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
  { stdio: 'inherit' },
)
process.exit(status ?? 1)
