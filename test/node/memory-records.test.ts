import { memoryRecords } from '../../src/run-state/records.ts'
import { recordStoreContract } from '../contracts/record-store.ts'

recordStoreContract('memory', { make: () => memoryRecords() })
