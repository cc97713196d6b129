import { memoryHistory } from '../../src/history/memory.ts'
import { followsWrites, historyContract } from '../contracts/history.ts'

historyContract('memory', { make: memoryHistory })
followsWrites(memoryHistory)
