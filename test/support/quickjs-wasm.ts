/** The engine of the sandbox, as Node loads it. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

export async function quickJSWasm(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  return WebAssembly.compile(await readFile(path))
}
