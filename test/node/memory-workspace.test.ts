import { memoryWorkspace } from '../../src/workspace/memory.ts'
import { workspaceContract } from '../contracts/workspace.ts'

workspaceContract('memory', { make: memoryWorkspace })
