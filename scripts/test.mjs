// npm test: everything that must hold, in order; stops at the first step that fails.
import { spawn } from 'node:child_process'
import { installChromium, installPackages } from './install.mjs'

installPackages()
const chromium = installChromium()

const bin = (name, script) => [process.execPath, `node_modules/${name}/${script}`]
const steps = [
  ['lint', ...bin('@biomejs/biome', 'bin/biome'), 'ci', '--error-on-warnings', '.'],
  ['types (browser, Node)', ...bin('typescript', 'bin/tsc'), '-p', 'tsconfig.json'],
  ['types (Worker)', ...bin('typescript', 'bin/tsc'), '-p', 'tsconfig.worker.json'],
  ['library build', process.execPath, 'scripts/build.mjs'],
  ['package: publint', ...bin('publint', 'src/cli.js')],
  [
    'package: types resolve',
    ...bin('@arethetypeswrong/cli', 'dist/index.js'),
    ...['--pack', '.', '--profile', 'esm-only', '--format', 'ascii', '--quiet'],
  ],
  ['unused files and packages', ...bin('knip', 'bin/knip.js'), '--no-progress'],
  ['page build', ...bin('vite', 'bin/vite.js'), 'build', '--logLevel', 'warn'],
  ['tests (Node, workerd, Chromium)', ...bin('vitest', 'vitest.mjs'), 'run'],
]

let child
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    child?.kill(signal)
    process.exitCode = 130
  })
}

for (const [title, command, ...args] of steps) {
  const begin = Date.now()
  console.log(`\n── ${title}`)
  const code = await new Promise((resolve) => {
    child = spawn(command, args, {
      stdio: 'inherit',
      env: { ...process.env, CHROMIUM_PATH: chromium },
    })
    child.on('exit', (status) => resolve(status ?? 1))
    child.on('error', () => resolve(1))
  })
  if (process.exitCode) process.exit()
  if (code !== 0) {
    console.error(`\n✗ ${title} failed`)
    process.exit(code)
  }
  console.log(`✓ ${title} (${((Date.now() - begin) / 1000).toFixed(1)} s)`)
}
