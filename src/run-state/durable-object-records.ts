/**
 * Records in the SQLite storage of a Durable Object.
 * @module
 */
import {
  createValueTable,
  deleteList,
  readItems,
  type SqlRunStorage,
  toId,
  writeValue,
} from './durable-object-value.ts'
import type { RecordStore } from './records.ts'

/**
 * Records of one kind in `ctx.storage`, beside the runs of `durableObjectRunStore`. `kind` keeps the
 * records of several users apart.
 */
export function durableObjectRecords<T>(storage: SqlRunStorage, kind: string): RecordStore<T> {
  // Never the id of a run or session: those are quoted.
  const owner = `records ${kind}`
  const place = (key: string) => ({ owner, kind: 'record', round: toId(key) }) as const
  let opened = false
  const open = () => {
    if (!opened) createValueTable(storage.sql)
    opened = true
    return storage.sql
  }
  return {
    async load(key) {
      return readItems<T>(open(), place(key))[0]
    },
    async save(key, value, { now, forgetAt }) {
      const sql = open()
      storage.transactionSync(() => {
        sql.exec(
          "DELETE FROM threepass_value WHERE owner = ? AND kind = 'record' AND item <= ?",
          owner,
          Math.floor(now),
        )
        deleteList(sql, place(key))
        writeValue(sql, { ...place(key), item: Math.floor(forgetAt) }, value)
      })
    },
  }
}
