// npm run bench [name …]: bundles each bench as a user's bundler would, and runs it in a process of its own.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

const wanted = process.argv.slice(2)
const benches = ['find-tools', 'round'].filter(
  (name) => wanted.length === 0 || wanted.includes(name),
)
const folder = mkdtempSync(join(tmpdir(), 'threepass-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

for (const name of benches) {
  await build({
    entryPoints: [`bench/${name}.ts`],
    outdir: join(folder, name),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    // Packages that are not ES modules call require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  console.log(`\n── ${name}`)
  const args = ['--expose-gc', ...(process.env.CPU_PROF ? ['--cpu-prof'] : [])]
  const { status } = spawnSync(process.execPath, [...args, join(folder, name, `${name}.mjs`)], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
