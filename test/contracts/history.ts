import { describe, expect, it } from 'vitest'
import {
  type HistoryContractOptions,
  historyContract as register,
} from '../../src/testing/history.ts'

export function historyContract(name: string, options: HistoryContractOptions): void {
  register({ describe, it, expect }, name, options)
}
