// npm run size: what each entry weighs, minified and gzipped, against test/package/sizes.json.
// All that the entry imports at once; what it loads on first use stands apart, by its heaviest module.
//   --update   sets each budget to what was reached, and 2 % more, here and in the README
//   --modules  shows what createDispatcher is made of
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const file = join(root, 'test/package/sizes.json')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const budgets = JSON.parse(readFileSync(file, 'utf8'))
const options = new Set(process.argv.slice(2))

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`

async function chunksOf(subpath, target) {
  const source = target.replace('./dist/', './src/').replace(/\.js$/, '.ts')
  const what = subpath === '.' ? '{ createDispatcher }' : '*'
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export ${what} from '${source}'`,
      resolveDir: root,
      sourcefile: 'entry.ts',
    },
    absWorkingDir: root,
    outdir: 'out',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    target: 'es2022',
    // Given by whoever uses it: test runner, shell, engine, the protocol's SDK.
    external: ['vitest', 'just-bash', 'quickjs-wasi', '@modelcontextprotocol/*'],
    write: false,
    metafile: true,
  })
  const { outputs } = metafile
  const gzipped = new Map(
    outputFiles.map(({ path, contents }) => [
      basename(path),
      gzipSync(contents, { level: 9 }).length,
    ]),
  )
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'entry.ts')
  // The set grows while it is walked: what the entry imports at once, and what that imports.
  const atOnce = new Set([entry])
  for (const path of atOnce)
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && outputs[next]) atOnce.add(next)
  const chunks = Object.keys(outputs).map((path) => ({
    atOnce: atOnce.has(path),
    bytes: gzipped.get(basename(path)),
    modules: Object.entries(outputs[path].inputs)
      .map(([name, { bytesInOutput }]) => [name.replace('node_modules/', ''), bytesInOutput])
      .sort((one, other) => other[1] - one[1]),
  }))
  return { now: chunks.filter((each) => each.atOnce), later: chunks.filter((each) => !each.atOnce) }
}

let over = 0
for (const [subpath, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue
  const { now, later } = await chunksOf(subpath, target.default)
  const size = now.reduce((sum, { bytes }) => sum + bytes, 0)
  if (options.has('--update')) budgets[subpath] = Math.ceil(size * 1.02)
  const fits = size <= budgets[subpath]
  if (!fits) over += 1
  const first = later.map(({ modules, bytes }) => `${modules[0]?.[0]} ${kb(bytes)}`).join(', ')
  const verdict = `${fits ? 'within' : 'OVER'} ${kb(budgets[subpath] ?? 0)}`
  console.log(`${subpath.padEnd(28)}${kb(size)}, ${verdict}${first && `; on first use: ${first}`}`)
  if (subpath === '.' && options.has('--modules'))
    for (const [name, bytes] of now.flatMap(({ modules }) => modules)) console.log(bytes, name)
}
if (options.has('--update')) {
  writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`)
  const page = join(root, 'README.md')
  const rows = readFileSync(page, 'utf8').replace(
    /^(\| `threepass(\/[\w/-]+)?`[^|]*\| )[\d.]+ KB \|$/gm,
    (_, head, subpath = '') => `${head}${kb(budgets[`.${subpath}`])} |`,
  )
  writeFileSync(page, rows)
}
process.exit(over > 0 ? 1 : 0)
