/**
 * PORT Workspace: the files that tools read and write, with their history.
 * @module
 */

/** One file as it was written. Never changed in place: a write makes a new one. */
export interface WorkspaceFile {
  /** Normalised, see `normalisePath`. */
  readonly path: string
  /** `''` when the file is no text. */
  readonly text: string
  /** The bytes of a file that is no text. */
  readonly data?: Uint8Array
  /** Grows with every change of the workspace and is never used again, also not after a removal. */
  readonly version: number
}

/** A file without its content. */
export interface WorkspaceEntry {
  readonly path: string
  readonly version: number
  /** UTF-8 bytes of a text. */
  readonly bytes: number
}

/** Who made a change, as far as its tool tells. */
export interface ChangeOrigin {
  readonly tool?: string
  readonly runId?: string
  readonly callId?: string
}

/** One change of one file. */
export interface FileChange extends WorkspaceEntry {
  readonly action: 'write' | 'remove'
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly origin?: ChangeOrigin
}

export interface WriteOptions {
  /** Write only if the file still has this version; 0: only if there is none. Default: whatever is there. */
  readonly ifVersion?: number
  readonly origin?: ChangeOrigin
}

/** What becomes of one file: new content, or `null` for none. */
export interface Change extends WriteOptions {
  readonly path: string
  readonly content: string | Uint8Array | null
}

export interface HistoryOptions {
  /** Default: all files. */
  readonly path?: string
  /** Default 24. */
  readonly limit?: number
  /** Only changes before this version. */
  readonly before?: number
}

/**
 * Every method takes any spelling of a path and rejects with `THREEPASS_WORKSPACE` when the path is bad,
 * a bound is reached or a version differs. Directories exist as long as a file lies below them: a file
 * cannot be where a directory is, nor below a file. Halves of characters in a text become U+FFFD.
 */
export interface Workspace {
  /** `undefined` when there is no such file; with `version` the file as it was, while that is kept. */
  read(path: string, options?: { readonly version?: number }): Promise<WorkspaceFile | undefined>
  write(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<WorkspaceFile>
  /** The file at the path, or all files below it, sorted by path; empty when there is neither. */
  list(path: string): Promise<readonly WorkspaceEntry[]>
  /** Removes one file. False when there is none. */
  remove(path: string, options?: WriteOptions): Promise<boolean>
  /** All of the changes or none, one version each. No path may come twice. */
  apply(changes: readonly Change[]): Promise<readonly FileChange[]>
  /** Changes, newest first; those of a file as far back as its versions are kept. */
  history(options?: HistoryOptions): Promise<readonly FileChange[]>
}
