/**
 * threepass/script: JavaScript tools in a sandbox. `quickJSSandbox` needs the package `quickjs-wasi`, which is
 * loaded when the first script runs.
 * @module
 */
export {
  type LoadedScript,
  type ReadScript,
  readScript,
  type ScriptDefinition,
  type Scripts,
  workspaceScripts,
} from './definition.ts'
export { type QuickJSOptions, quickJSSandbox, type WasmModule } from './quickjs.ts'
export type { ScriptBounds, ScriptOutcome, ScriptRun, ScriptSandbox } from './sandbox.ts'
export { type ScriptSourceOptions, scriptSource, scriptTool } from './source.ts'
export { type TestToolOptions, testToolTool } from './test-tool.ts'
export {
  type WorkerLoaderBinding,
  type WorkerLoaderOptions,
  workerLoaderSandbox,
} from './worker-loader.ts'
