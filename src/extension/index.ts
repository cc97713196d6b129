/**
 * threepass/extension: packages of tools, installed by a person's consent.
 * @module
 */
export type { Capabilities } from './capabilities.ts'
export { type Agreed, installExtension } from './install.ts'
export { type ExtensionKv, kvExtensions } from './kv.ts'
export {
  type Extension,
  type Guide,
  integrityOf,
  type ReadExtension,
  readExtension,
} from './package.ts'
export { type ExtensionSourceOptions, extensionSource } from './source.ts'
export {
  type ExtensionStore,
  type InstalledExtension,
  recordExtensions,
  workspaceExtensions,
} from './store.ts'
export { type ExtensionsToolOptions, extensionsTool } from './tool.ts'
