/**
 * PORT RecordStore: small records that outlive the process which waits for a person or a page, by key.
 * @module
 */

/** How long a record is of use. */
export interface Lifetime {
  /** Milliseconds since the epoch, now. */
  readonly now: number
  /** From here on the store may forget it. */
  readonly forgetAt: number
}

/**
 * Values are plain JSON. One process at a time writes a key (a Durable Object, a page); a save that has
 * resolved is read by every later load, also after a restart. Rejects with what the storage threw.
 */
export interface RecordStore<T> {
  load(key: string): Promise<T | undefined>
  /** In the place of an earlier value of the key. Forgets what is over. */
  save(key: string, value: T, lifetime: Lifetime): Promise<void>
}

/** In memory: lost with the process. Beyond `mostRecords` the one not saved for longest goes; default: no bound. */
export function memoryRecords<T>(mostRecords: number = Number.POSITIVE_INFINITY): RecordStore<T> {
  const records = new Map<string, { readonly value: T; readonly forgetAt: number }>()
  return {
    async load(key) {
      return records.get(key)?.value
    },
    async save(key, value, { now, forgetAt }) {
      for (const [other, record] of records) if (record.forgetAt <= now) records.delete(other)
      records.delete(key)
      records.set(key, { value, forgetAt })
      const [oldest] = records.keys()
      if (records.size > mostRecords && oldest !== undefined) records.delete(oldest)
    },
  }
}
