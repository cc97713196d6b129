import { recordExtensions, workspaceExtensions } from '../../src/extension/index.ts'
import { memoryRecords } from '../../src/run-state/records.ts'
import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { extensionStoreContract } from '../contracts/extension-store.ts'

extensionStoreContract('in a workspace', { make: () => workspaceExtensions(memoryWorkspace()) })
extensionStoreContract('in a record', { make: () => recordExtensions(memoryRecords()) })
