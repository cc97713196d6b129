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

interface Link {
  readonly options: CacheConnectionOptions
  live: UseStore | undefined
  opening: Promise<UseStore> | undefined
  down: boolean
  retryAt: number
}

export function connectCache(options: CacheConnectionOptions): CacheConnection {
  const link: Link = { options, live: undefined, opening: undefined, down: false, retryAt: 0 }
  return {
    async use(now, work) {
      const store = await connect(link, now)
      if (store === undefined) return undefined
      try {
        return [await work(store)]
      } catch (error) {
        if (!isClosed(error)) throw error
        if (link.live === store) link.live = undefined
        const again = await connect(link, now)
        return again && [await work(again)]
      }
    },
  }
}

async function connect(link: Link, now: number): Promise<UseStore | undefined> {
  if (link.live !== undefined) return link.live
  if (link.down && now < link.retryAt) return undefined
  link.opening ??= open(link)
  const { opening } = link
  try {
    return await withDeadline(opening, link.options.openTimeoutMs)
  } catch (cause) {
    link.retryAt = now + reopenAfterMs
    if (!link.down) link.options.onDown(cause)
    link.down = true
    return undefined
  } finally {
    if (link.opening === opening) link.opening = undefined
  }
}

// A new createStore for each open: idb-keyval keeps one that never settles for ever, and one whose
// connection was closed by our own hand (versionchange). An open that answers late is still taken,
// unless another one has come since.
async function open(link: Link): Promise<UseStore> {
  const store = createStore(link.options.databaseName, 'entries')
  await store('readonly', ({ transaction: { db } }) => {
    if (link.live !== undefined) return db.close()
    const lost = (): void => {
      if (link.live === store) link.live = undefined
    }
    db.addEventListener('close', lost)
    db.onversionchange = () => {
      db.close()
      lost()
    }
    link.live = store
    link.down = false
  })
  return link.live ?? store
}
