/**
 * The little of IndexedDB that its stores share: transactions that end, and opens that answer in time.
 * @module
 */

/** Resolves with the request's result. For requests only: a transaction has `finished`. */
export function requested<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/**
 * Resolves when the transaction is committed, rejects when it was aborted, also at commit (quota).
 * An `error` event is not listened to: `transaction.error` is still `null` then.
 */
export function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () =>
      reject(transaction.error ?? new DOMException('The transaction was aborted', 'AbortError'))
  })
}

/**
 * Runs `body`, whose requests are made on `transaction`, and resolves with what it gave once all of it
 * is committed. A throw of `body` aborts the transaction: nothing of it stays.
 */
export async function transact<T>(
  transaction: IDBTransaction,
  body: (transaction: IDBTransaction) => Promise<T> | T,
): Promise<T> {
  const end = finished(transaction)
  // It is awaited below; when `body` throws first, its rejection must not count as unhandled.
  end.catch(() => {})
  let result: T
  try {
    result = await body(transaction)
  } catch (error) {
    abort(transaction)
    // The transaction's own reason (quota) says more than the AbortError of the request it took down.
    throw transaction.error ?? error
  }
  await end
  return result
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // It had ended already.
  }
}

/** `promise`, or a rejection with a `TimeoutError` after `ms` milliseconds. */
export function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(new DOMException(`IndexedDB did not open within ${ms} ms`, 'TimeoutError'))
    const timer = setTimeout(late, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** True for the error of a transaction asked of a connection that was closed. */
export function isClosed(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'InvalidStateError'
}

export interface DatabaseOptions {
  readonly name: string
  readonly openTimeoutMs: number
  /** Makes the object stores of a new database. */
  readonly upgrade: (database: IDBDatabase) => void
}

export interface Database {
  /**
   * One transaction, all or nothing, committed when it resolves; `strict` waits for the disk as well.
   * A database that was closed is opened again; one that failed to open is tried again by the next call.
   */
  run<T>(
    stores: readonly string[],
    mode: 'readonly' | 'readwrite' | 'strict',
    body: (transaction: IDBTransaction) => Promise<T> | T,
  ): Promise<T>
}

export function connectDatabase(options: DatabaseOptions): Database {
  const link: Link = { options, current: undefined }
  return {
    async run(stores, mode, body) {
      const begin = async (): Promise<IDBTransaction> => {
        const database = await connect(link)
        return mode === 'strict'
          ? database.transaction(stores, 'readwrite', { durability: 'strict' })
          : database.transaction(stores, mode)
      }
      const transaction = await begin().catch((error) => {
        if (!isClosed(error)) throw error
        link.current = undefined
        return begin()
      })
      return transact(transaction, body)
    },
  }
}

interface Link {
  readonly options: DatabaseOptions
  current: Promise<IDBDatabase> | undefined
}

async function connect(link: Link): Promise<IDBDatabase> {
  if (link.current !== undefined) return withDeadline(link.current, link.options.openTimeoutMs)
  const opening = openDatabase(link.options)
  link.current = opening
  const lost = (): void => {
    if (link.current === opening) link.current = undefined
  }
  opening.then((database) => {
    // It was given up as too late: it is taken after all, unless another one has come since.
    link.current ??= opening
    if (link.current !== opening) return database.close()
    database.onclose = lost
    // Another tab deletes or upgrades the database: it waits until this connection is gone.
    database.onversionchange = () => {
      database.close()
      lost()
    }
  }, lost)
  try {
    return await withDeadline(opening, link.options.openTimeoutMs)
  } catch (error) {
    lost()
    throw error
  }
}

function openDatabase(options: DatabaseOptions): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(options.name, 1)
    request.onupgradeneeded = () => options.upgrade(request.result)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
