/** The real Worker under Miniflare, bundled as wrangler bundles it; tools may be replaced by a test's own. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { Miniflare, type MiniflareOptions } from 'miniflare'

export interface TestWorker {
  readonly url: string
  /** A request to the Worker; a body is sent as JSON. */
  readonly send: (path: string, init?: SendOptions) => Promise<Response>
  readonly post: (
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>
  readonly miniflare: Miniflare
  readonly stop: () => Promise<void>
}

export interface SendOptions {
  readonly method?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

export interface WorkerOptions {
  /** Source of a module that exports `workerTools`, in place of the Worker's own. */
  readonly tools?: string
  readonly bindings?: Record<string, string>
  /** Folder of the built page. */
  readonly page?: string
  /** Keeps KV and Durable Objects over restarts. */
  readonly persist?: string
  /** Binds the Dynamic Worker Loader. */
  readonly loader?: boolean
}

const root = new URL('../../', import.meta.url).pathname

interface Bundle {
  readonly code: string
  /** WebAssembly files that it imports, as wrangler would hand them over. */
  readonly wasm: readonly { readonly path: string; readonly contents: Buffer }[]
}

/** Once for each set of tools: a test file starts many Workers. */
const bundles = new Map<string | undefined, Promise<Bundle>>()

function bundle(tools: string | undefined): Promise<Bundle> {
  const known = bundles.get(tools) ?? bundleAnew(tools)
  bundles.set(tools, known)
  return known
}

async function bundleAnew(tools: string | undefined): Promise<Bundle> {
  const wasm = new Map<string, Buffer>()
  const compiled: Plugin = {
    name: 'wasm',
    setup(builder) {
      builder.onResolve({ filter: /\.wasm$/ }, ({ path }) => {
        const file = createRequire(import.meta.url).resolve(path)
        wasm.set(basename(file), readFileSync(file))
        return { path: `./${basename(file)}`, external: true }
      })
    },
  }

  const replace: Plugin = {
    name: 'tools',
    setup(builder) {
      if (tools === undefined) return
      builder.onResolve({ filter: /\/worker-tools\.ts$/ }, () => ({
        path: 'tools',
        namespace: 'test',
      }))
      builder.onLoad({ filter: /.*/, namespace: 'test' }, () => ({
        contents: tools,
        loader: 'ts',
        resolveDir: `${root}worker`,
      }))
    },
  }
  const { outputFiles } = await build({
    entryPoints: [`${root}worker/index.ts`],
    bundle: true,
    format: 'esm',
    write: false,
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    target: 'es2022',
    alias: { 'node:zlib': `${root}src/shell/no-zlib.ts` },
    plugins: [replace, compiled],
  })
  return {
    code: outputFiles[0]?.text ?? '',
    wasm: [...wasm].map(([path, contents]) => ({ path, contents })),
  }
}

export async function startWorker({
  tools,
  bindings,
  page,
  persist,
  loader = false,
}: WorkerOptions = {}): Promise<TestWorker> {
  const { code, wasm } = await bundle(tools)
  const options: MiniflareOptions = {
    modules: [
      { type: 'ESModule', path: 'index.mjs', contents: code },
      ...wasm.map((each) => ({ type: 'CompiledWasm' as const, ...each })),
    ],
    compatibilityDate: '2026-04-26',
    cf: false,
    host: '127.0.0.1',
    port: 0,
    kvNamespaces: ['RESULTS'],
    r2Buckets: ['FILES'],
    ...(loader && { workerLoaders: { LOADER: {} } }),
    durableObjects: { SESSIONS: { className: 'SessionObject', useSQLite: true } },
    bindings: { TOOL_MODE: 'full', ...bindings },
    ...(persist && {
      kvPersist: `${persist}/kv`,
      durableObjectsPersist: `${persist}/do`,
      r2Persist: `${persist}/r2`,
    }),
    ...(page && {
      assets: {
        directory: page,
        binding: 'ASSETS',
        routerConfig: {
          has_user_worker: true,
          static_routing: { user_worker: ['/v1/*', '/mcp', '/openapi.json', '/docs', '/healthz'] },
        },
        assetConfig: { not_found_handling: 'single-page-application' },
      },
    }),
  }
  const miniflare = new Miniflare(options)
  const url = (await miniflare.ready).href.replace(/\/$/, '')
  // Over a real socket: streams, disconnects and headers are as a client has them.
  const send = (path: string, init: SendOptions = {}) => fetch(url + path, init)
  return {
    url,
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    miniflare,
    stop: () => miniflare.dispose(),
  }
}
