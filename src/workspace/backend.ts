/**
 * PORT WorkspaceBackend: where the files of a workspace lie. What a path, a version and a bound mean is
 * decided once, in `workspaceOver`.
 * @module
 */
import type { FileChange, WorkspaceEntry } from './workspace.ts'

/** Content as it is stored: text, or bytes that are none. */
export type Content = string | Uint8Array

/** The files as they are. */
export interface WorkspaceIndex {
  /** That of the last change, 0 before the first. */
  readonly version: number
  readonly files: readonly WorkspaceEntry[]
}

export interface StoredChange extends FileChange {
  /** Of a write. */
  readonly content?: Content
}

export interface WorkspaceBackend {
  /** The version of the last change: when it is another one, somebody else has written. */
  version(): Promise<number>
  index(): Promise<WorkspaceIndex>
  /** The content of that version, while it is kept. */
  content(path: string, version: number): Promise<Content | undefined>
  /** Newest first, before the version. */
  changes(path: string | undefined, limit: number, before: number): Promise<readonly FileChange[]>
  /**
   * Stores all of it or nothing, and forgets all but the newest `keep` versions of each file that
   * changes. False, and nothing stored, when the version is no longer `expected`.
   */
  commit(expected: number, changes: readonly StoredChange[], keep: number): Promise<boolean>
}
