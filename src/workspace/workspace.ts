/**
 * PORT Workspace: the files that tools read and write.
 * @module
 */

/** One file. Never changed in place: a write makes a new one. */
export interface WorkspaceFile {
  /** Normalised, see `normalisePath`. */
  readonly path: string
  readonly text: string
  /** Grows with every change of the workspace and is never used again, also not after a removal. */
  readonly version: number
}

/** A file without its text. */
export interface WorkspaceEntry {
  readonly path: string
  readonly version: number
  /** UTF-8 bytes. */
  readonly bytes: number
}

export interface WriteOptions {
  /** Write only if the file still has this version; 0: only if there is none. Default: whatever is there. */
  readonly ifVersion?: number
}

/**
 * Every method takes any spelling of a path and rejects with `THREEPASS_WORKSPACE` when the path is bad,
 * a bound is reached or a version differs. Directories exist as long as a file lies below them: a file
 * cannot be where a directory is, nor below a file.
 */
export interface Workspace {
  /** `undefined` when there is no such file. */
  read(path: string): Promise<WorkspaceFile | undefined>
  write(path: string, text: string, options?: WriteOptions): Promise<WorkspaceFile>
  /** The file at the path, or all files below it, sorted by path; empty when there is neither. */
  list(path: string): Promise<readonly WorkspaceEntry[]>
  /** Removes one file. False when there is none. */
  remove(path: string, options?: WriteOptions): Promise<boolean>
}
