import { workspaceExtensions } from '../../src/extension/index.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { extensionStoreContract } from '../contracts/extension-store.ts'

extensionStoreContract('in a workspace', { make: () => workspaceExtensions(memoryWorkspace()) })
