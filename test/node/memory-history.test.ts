import { memoryHistory } from '../../src/history/memory.ts'
import { historyContract } from '../contracts/history.ts'

historyContract('memory', { make: memoryHistory })
