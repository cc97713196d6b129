/** The package's subpaths, bundled from their sources as a user's bundler would do it. */
import { readFileSync } from 'node:fs'
import { type BuildOptions, type BuildResult, build } from 'esbuild'

const root = new URL('../../', import.meta.url).pathname

export interface Subpath {
  /** As it stands in package.json: `./cache/kv`. */
  readonly name: string
  readonly source: string
}

export function subpaths(): Subpath[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  return Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [{ name, source: target.default.replace('./dist/', './src/').replace(/\.js$/, '.ts') }],
  )
}

/** For esbuild: `threepass/client` before `threepass`, since the first that fits is taken. */
export function subpathAliases(): Record<string, string> {
  const named = subpaths().map(
    ({ name, source }) => [`threepass${name.slice(1)}`, root + source.slice(2)] as const,
  )
  return Object.fromEntries(named.reverse())
}

/** In front of a bundle for Node: packages in the older form ask for its modules by require. */
export const requireBanner =
  "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(process.cwd() + '/x.js');"

export const optionalPeers = [
  'vitest',
  'just-bash',
  'quickjs-wasi',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
]

type Bundle = BuildResult<{ write: false; metafile: true }>

export function bundle({ source }: Subpath, options: BuildOptions = {}): Promise<Bundle> {
  return build({
    entryPoints: [source],
    absWorkingDir: root,
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    // Whoever uses these brings them along: the port suites' Vitest, the shell, the sandbox's engine, MCP's SDK.
    external: optionalPeers,
    logLevel: 'silent',
    ...options,
    write: false,
    metafile: true,
  })
}
