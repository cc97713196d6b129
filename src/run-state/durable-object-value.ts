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

export type ValueKind =
  | 'state'
  | 'session'
  | 'request'
  | 'journal'
  | 'result'
  | 'history'
  | 'event'
  | 'record'

/** Where a value lies. `owner` and `round` come from `toId`. */
export interface ValuePlace {
  readonly owner: string
  readonly kind: ValueKind
  /** Default: none. */
  readonly round?: string
  /** Position in a list, or the `seq` of an event. Default 0. */
  readonly item?: number
}

type Sql = SqlRunStorage['sql']

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

const inList = 'owner = ? AND kind = ? AND round = ?'

function listKey({ owner, kind, round = '' }: ValuePlace): [string, string, string] {
  return [owner, kind, round]
}

export function createValueTable(sql: Sql): void {
  // WITHOUT ROWID: the key is the table, a row is billed once and not again for an index.
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_value (
    owner TEXT, kind TEXT, round TEXT, item INTEGER, part INTEGER, json TEXT NOT NULL,
    PRIMARY KEY (owner, kind, round, item, part)) WITHOUT ROWID`)
}

export function readValue<T>(sql: Sql, place: ValuePlace): T | undefined {
  const item = place.item ?? 0
  return readItems<T>(sql, place, item, item)[0]
}

/** All of a list in order, or its items from `first` to `last`. */
export function readItems<T>(
  sql: Sql,
  place: ValuePlace,
  first = 0,
  last: number = Number.MAX_SAFE_INTEGER,
): T[] {
  const query = `SELECT item, json FROM threepass_value
    WHERE ${inList} AND item BETWEEN ? AND ? ORDER BY item, part`
  const rows = sql.exec(query, ...listKey(place), first, last).toArray()
  return joinParts(rows).map((json) => JSON.parse(json))
}

/** In the place of an earlier value. */
export function writeValue(sql: Sql, place: ValuePlace, value: unknown): void {
  const parts = split(JSON.stringify(value))
  for (const [part, json] of parts.entries()) insertPart(sql, place, part, json)
  const key = [...listKey(place), place.item ?? 0, parts.length]
  sql.exec(`DELETE FROM threepass_value WHERE ${inList} AND item = ? AND part >= ?`, ...key)
}

/** Unless there is one. */
export function addValue(sql: Sql, place: ValuePlace, value: unknown): void {
  const query = `SELECT 1 FROM threepass_value WHERE ${inList} AND item = ? AND part = 0`
  if (sql.exec(query, ...listKey(place), place.item ?? 0).toArray().length > 0) return
  for (const [part, json] of split(JSON.stringify(value)).entries())
    insertPart(sql, place, part, json)
}

function insertPart(sql: Sql, place: ValuePlace, part: number, json: string): void {
  const values = [...listKey(place), place.item ?? 0, part, json]
  sql.exec('INSERT OR REPLACE INTO threepass_value VALUES (?, ?, ?, ?, ?, ?)', ...values)
}

/** The highest item of a list. */
export function lastItem(sql: Sql, place: ValuePlace): number | undefined {
  const query = `SELECT MAX(item) AS last FROM threepass_value WHERE ${inList}`
  const [row] = sql.exec(query, ...listKey(place)).toArray()
  return typeof row?.last === 'number' ? row.last : undefined
}

export function deleteList(sql: Sql, place: ValuePlace): void {
  sql.exec(`DELETE FROM threepass_value WHERE ${inList}`, ...listKey(place))
}

/** Everything of a run; a session of that id stays. */
export function deleteRunValues(sql: Sql, owner: string): void {
  sql.exec("DELETE FROM threepass_value WHERE owner = ? AND kind <> 'session'", owner)
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
