/**
 * A workspace in the SQLite storage of a Durable Object, large files in R2 when it is given a bucket.
 * @module
 */
import type { Content, StoredChange, WorkspaceBackend } from './backend.ts'
import { type WorkspaceBounds, workspaceOver } from './over-backend.ts'
import type { ChangeOrigin, FileChange, Workspace } from './workspace.ts'

type Row = Record<string, unknown>

/** What is used of `ctx.storage`. */
export interface SqlFileStorage {
  readonly sql: {
    exec(query: string, ...bindings: (string | number | null | ArrayBuffer)[]): { toArray(): Row[] }
  }
  transactionSync<T>(closure: () => T): T
}

/** What is used of an R2 bucket. */
export interface FileBucket {
  put(key: string, value: ArrayBuffer): Promise<unknown>
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>
  delete(keys: string[]): Promise<unknown>
}

export interface DurableObjectWorkspaceOptions extends WorkspaceBounds {
  /** Where files above `largeBytes` go; default: into rows like the others. */
  readonly bucket?: FileBucket
  /** In front of the bucket's keys: one prefix a workspace. Needed with `bucket`. */
  readonly prefix?: string
  /** Default 262,144. */
  readonly largeBytes?: number
}

/** A byte order mark is part of the text. */
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** A row may take 2 MB: https://developers.cloudflare.com/durable-objects/platform/limits/ */
const partBytes = 1_800_000

/** Files beside the runs of `durableObjectRunStore`, in tables of their own. */
export function durableObjectWorkspace(
  storage: SqlFileStorage,
  { bucket, prefix = '', largeBytes = 262_144, ...bounds }: DurableObjectWorkspaceOptions = {},
): Workspace {
  const large = bucket && { bucket, prefix, largeBytes }
  return workspaceOver(backend(storage, large), bounds)
}

interface Large {
  readonly bucket: FileBucket
  readonly prefix: string
  readonly largeBytes: number
}

function backend(storage: SqlFileStorage, large: Large | undefined): WorkspaceBackend {
  let opened = false
  const sql = (): SqlFileStorage['sql'] => {
    if (!opened) createTables(storage.sql)
    opened = true
    return storage.sql
  }
  const lastVersion = () => {
    const [row] = sql().exec('SELECT MAX(version) AS last FROM threepass_change').toArray()
    return Number(row?.last ?? 0)
  }
  const keyOf = (path: string, version: number) => `${large?.prefix ?? ''}${version}${path}`

  return {
    version: async () => lastVersion(),
    index: async () => ({
      version: lastVersion(),
      files: sql()
        .exec(
          `SELECT path, version, bytes FROM threepass_change AS own WHERE action = 'write' AND
           version = (SELECT MAX(version) FROM threepass_change WHERE path = own.path)`,
        )
        .toArray()
        .map((row) => ({
          path: String(row.path),
          version: Number(row.version),
          bytes: Number(row.bytes),
        })),
    }),
    async content(path, version) {
      const query = 'SELECT form, far FROM threepass_change WHERE path = ? AND version = ?'
      const [row] = sql().exec(query, path, version).toArray()
      if (!row || row.form === null) return undefined
      const bytes = row.far === 1 ? await fetched(path, version) : parts(version)
      if (!bytes) return undefined
      return row.form === 'text' ? decoder.decode(bytes) : bytes
    },
    async changes(path, limit, before) {
      const where = path === undefined ? '' : 'AND path = ?'
      const query = `SELECT path, version, bytes, action, at, origin FROM threepass_change
        WHERE version < ? ${where} ORDER BY version DESC LIMIT ?`
      const rows = sql().exec(query, before, ...(path === undefined ? [] : [path]), limit)
      return rows.toArray().map(changeOf)
    },
    async commit(expected, changes, keep) {
      const encoded = changes.map((change) => ({ ...change, raw: bytesOf(change.content) }))
      const far = encoded.filter(({ raw }) => large && raw && raw.byteLength > large.largeBytes)
      // First the bucket: a row never names what is not there.
      await Promise.all(
        far.map(({ path, version, raw }) => large?.bucket.put(keyOf(path, version), buffer(raw))),
      )
      const isFar = new Set(far.map(({ version }) => version))
      let forgotten: string[] = []
      const done = storage.transactionSync(() => {
        if (lastVersion() !== expected) return false
        for (const change of encoded) insert(change, isFar.has(change.version))
        forgotten = changes.flatMap(({ path }) => forget(path, keep))
        return true
      })
      if (forgotten.length > 0) await large?.bucket.delete(forgotten)
      return done
    },
  }

  function parts(version: number): Uint8Array {
    const query = 'SELECT data FROM threepass_part WHERE version = ? ORDER BY part'
    return joined(
      sql()
        .exec(query, version)
        .toArray()
        .map(({ data }) => new Uint8Array(data as ArrayBuffer)),
    )
  }

  async function fetched(path: string, version: number): Promise<Uint8Array | undefined> {
    const found = await large?.bucket.get(keyOf(path, version))
    return found ? new Uint8Array(await found.arrayBuffer()) : undefined
  }

  function insert(change: StoredChange & { raw: Uint8Array | undefined }, far: boolean): void {
    const { path, version, bytes, action, at, origin, content, raw } = change
    const form = content === undefined ? null : typeof content === 'string' ? 'text' : 'binary'
    sql().exec(
      'INSERT INTO threepass_change VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[path, version, bytes, action, Math.floor(at), form, far ? 1 : 0],
      origin ? JSON.stringify(origin) : null,
    )
    if (!raw || far) return
    for (let part = 0; part * partBytes < Math.max(1, raw.byteLength); part += 1) {
      const data = buffer(raw.subarray(part * partBytes, (part + 1) * partBytes))
      sql().exec('INSERT INTO threepass_part VALUES (?, ?, ?)', version, part, data)
    }
  }

  /** Keys of the bucket that nothing names any more. */
  function forget(path: string, keep: number): string[] {
    const query = `SELECT version, far FROM threepass_change WHERE path = ?
      ORDER BY version DESC LIMIT -1 OFFSET ?`
    return sql()
      .exec(query, path, keep)
      .toArray()
      .flatMap(({ version, far }) => {
        sql().exec('DELETE FROM threepass_part WHERE version = ?', Number(version))
        sql().exec('DELETE FROM threepass_change WHERE version = ?', Number(version))
        return far === 1 ? [keyOf(path, Number(version))] : []
      })
  }
}

function createTables(sql: SqlFileStorage['sql']): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_change (
    path TEXT NOT NULL, version INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, action TEXT NOT NULL,
    at INTEGER NOT NULL, form TEXT, far INTEGER NOT NULL, origin TEXT)`)
  sql.exec('CREATE INDEX IF NOT EXISTS threepass_change_path ON threepass_change (path, version)')
  sql.exec(`CREATE TABLE IF NOT EXISTS threepass_part (
    version INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (version, part))`)
}

function changeOf({ path, version, bytes, action, at, origin }: Row): FileChange {
  return {
    path: String(path),
    version: Number(version),
    bytes: Number(bytes),
    action: action === 'remove' ? 'remove' : 'write',
    at: Number(at),
    ...(typeof origin === 'string' && { origin: JSON.parse(origin) as ChangeOrigin }),
  }
}

function bytesOf(content: Content | undefined): Uint8Array | undefined {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

/** Its own bytes alone, as SQLite and R2 take them. */
function buffer(bytes: Uint8Array | undefined): ArrayBuffer {
  return (bytes ?? new Uint8Array()).slice().buffer as ArrayBuffer
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
