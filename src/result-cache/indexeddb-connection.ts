/**
 * Opens the cache's database through idb-keyval, and notices when it cannot be had.
 * @module
 */
import { createStore, type UseStore } from 'idb-keyval'
import { isClosed, withDeadline } from '../idb.ts'

export interface CacheConnection {
  /** `[what work gave]`, or `undefined` when there is no database at the moment. */
  use<T>(now: number, work: (store: UseStore) => Promise<T>): Promise<[T] | undefined>
}

export interface CacheConnectionOptions {
  readonly databaseName: string
  readonly openTimeoutMs: number
  /** Called once for each time that the database is lost. */
  readonly onDown: (cause: unknown) => void
}

/** After a failed open, milliseconds by the callers' clock until the next one. */
export const reopenAfterMs = 30_000

export function connectCache(options: CacheConnectionOptions): CacheConnection {
  let live: UseStore | undefined
  let opening: Promise<UseStore> | undefined
  let down = false
  let retryAt = Number.NEGATIVE_INFINITY

  // A new createStore for each open: idb-keyval keeps one that never settles for ever, and one whose
  // connection was closed by our own hand (versionchange). An open that answers late is still taken.
  const open = async (): Promise<UseStore> => {
    const store = createStore(options.databaseName, 'entries')
    await store('readonly', ({ transaction: { db } }) => {
      const lost = (): void => {
        if (live === store) live = undefined
      }
      db.addEventListener('close', lost)
      db.onversionchange = () => {
        db.close()
        lost()
      }
    })
    live = store
    down = false
    return store
  }

  const connect = async (now: number): Promise<UseStore | undefined> => {
    if (live !== undefined) return live
    if (now < retryAt && down) return undefined
    const current = opening ?? open()
    opening = current
    const settled = (): void => {
      if (opening === current) opening = undefined
    }
    current.then(settled, settled)
    try {
      return await withDeadline(current, options.openTimeoutMs)
    } catch (cause) {
      retryAt = now + reopenAfterMs
      if (!down) options.onDown(cause)
      down = true
      return undefined
    }
  }

  return {
    async use(now, work) {
      const store = await connect(now)
      if (store === undefined) return undefined
      try {
        return [await work(store)]
      } catch (error) {
        if (!isClosed(error)) throw error
        if (live === store) live = undefined
        const again = await connect(now)
        return again && [await work(again)]
      }
    },
  }
}
