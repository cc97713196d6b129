import { describe, expect, it } from 'vitest'
import {
  workspaceContract as register,
  type WorkspaceContractOptions,
} from '../../src/testing/workspace.ts'

export function workspaceContract(name: string, options: WorkspaceContractOptions): void {
  register({ describe, it, expect }, name, options)
}
