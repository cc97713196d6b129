/**
 * JSON values in SQLite rows: one row each, or several when a value is larger than a row may be.
 * @module
 */

/** What is used of a Durable Object's `ctx.storage`; `DurableObjectStorage` of `@cloudflare/workers-types` fits. */
export interface SqlRunStorage {
  readonly sql: {
    exec(query: string, ...bindings: (string | number)[]): { toArray(): Record<string, unknown>[] }
  }
  transactionSync<T>(closure: () => T): T
}

export type ValueKind = 'state' | 'session' | 'journal' | 'result' | 'history' | 'event'

/** Where a value lies. `owner` and `round` come from `toId`. */
export interface ValuePlace {
  readonly owner: string
  readonly kind: ValueKind
  /** Default: none. */
  readonly round?: string
  /** Position in a list, or the `seq` of an event. Default 0. */
  readonly item?: number
}

export interface ValueRows {
  read<T>(place: ValuePlace): T | undefined
  /** All of a list in order, or its items from `first` to `last`. */
  readItems<T>(place: ValuePlace, first?: number, last?: number): T[]
  /** In the place of an earlier value. */
  write(place: ValuePlace, value: unknown): void
  /** Unless there is one. */
  add(place: ValuePlace, value: unknown): void
  /** The highest item of a list. */
  lastItem(place: ValuePlace): number | undefined
  deleteList(place: ValuePlace): void
  /** Everything of a run; a session of that id stays. */
  deleteRun(runId: string): void
}

/**
 * A row or text may take 2 MB, and UTF-8 takes at most three bytes for a UTF-16 unit: 1.8 MB.
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const maxPartUnits = 600_000

/** Ids as text without lone surrogates, which SQLite would all turn into U+FFFD: two ids never meet. */
export function toId(id: string): string {
  return JSON.stringify(id)
}

/** A bound number that SQLite takes as an integer. */
export function toLimit(limit: number): number {
  return Math.min(Math.max(0, Math.floor(limit)), 2 ** 31 - 1)
}

export function createValueRows(sql: SqlRunStorage['sql']): ValueRows {
  // WITHOUT ROWID: the key is the table, a row is billed once and not again for an index.
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_value (
    owner TEXT, kind TEXT, round TEXT, item INTEGER, part INTEGER, json TEXT NOT NULL,
    PRIMARY KEY (owner, kind, round, item, part)) WITHOUT ROWID`)
  const list = 'owner = ? AND kind = ? AND round = ?'
  const listKey = ({ owner, kind, round = '' }: ValuePlace): [string, string, string] => [
    owner,
    kind,
    round,
  ]
  const insert = (place: ValuePlace, part: number, json: string): void => {
    const values = [...listKey(place), place.item ?? 0, part, json]
    sql.exec('INSERT OR REPLACE INTO threepass_value VALUES (?, ?, ?, ?, ?, ?)', ...values)
  }
  const readItems = <T>(
    place: ValuePlace,
    first = 0,
    last: number = Number.MAX_SAFE_INTEGER,
  ): T[] =>
    joinParts(
      sql
        .exec(
          `SELECT item, json FROM threepass_value WHERE ${list} AND item BETWEEN ? AND ? ORDER BY item, part`,
          ...listKey(place),
          first,
          last,
        )
        .toArray(),
    ).map((json) => JSON.parse(json))

  return {
    readItems,
    read<T>(place: ValuePlace) {
      const item = place.item ?? 0
      return readItems<T>(place, item, item)[0]
    },
    write(place, value) {
      const parts = split(JSON.stringify(value))
      for (const [part, json] of parts.entries()) insert(place, part, json)
      const key = [...listKey(place), place.item ?? 0, parts.length]
      sql.exec(`DELETE FROM threepass_value WHERE ${list} AND item = ? AND part >= ?`, ...key)
    },
    add(place, value) {
      const key = [...listKey(place), place.item ?? 0]
      const there = sql.exec(
        `SELECT 1 FROM threepass_value WHERE ${list} AND item = ? AND part = 0`,
        ...key,
      )
      if (there.toArray().length > 0) return
      for (const [part, json] of split(JSON.stringify(value)).entries()) insert(place, part, json)
    },
    lastItem(place) {
      const query = `SELECT MAX(item) AS last FROM threepass_value WHERE ${list}`
      const [row] = sql.exec(query, ...listKey(place)).toArray()
      return typeof row?.last === 'number' ? row.last : undefined
    },
    deleteList(place) {
      sql.exec(`DELETE FROM threepass_value WHERE ${list}`, ...listKey(place))
    },
    deleteRun(runId) {
      sql.exec("DELETE FROM threepass_value WHERE owner = ? AND kind <> 'session'", toId(runId))
    },
  }
}

/** At least one part, each short enough for a row; a surrogate pair is never cut. */
function split(json: string): string[] {
  const parts: string[] = []
  let start = 0
  do {
    let end = Math.min(start + maxPartUnits, json.length)
    const last = json.charCodeAt(end - 1)
    if (end < json.length && last >= 0xd800 && last <= 0xdbff) end -= 1
    parts.push(json.slice(start, end))
    start = end
  } while (start < json.length)
  return parts
}

/** The texts of consecutive rows of one item, joined. */
function joinParts(rows: readonly Record<string, unknown>[]): string[] {
  const texts: string[] = []
  let current: unknown
  for (const { item, json } of rows) {
    if (texts.length > 0 && item === current) texts[texts.length - 1] += String(json)
    else texts.push(String(json))
    current = item
  }
  return texts
}
