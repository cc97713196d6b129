import { indexedDBRunStore } from '../../src/run-state/indexeddb.ts'
import { dispatcherContract } from '../contracts/dispatcher.ts'

dispatcherContract('Chromium, memory store')
dispatcherContract('Chromium, IndexedDB', (play) =>
  play(indexedDBRunStore({ databaseName: `stories-${crypto.randomUUID()}` })),
)
