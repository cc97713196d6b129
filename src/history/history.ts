/**
 * PORT HistoryStore: what happened, kept as documents that are found again by their words.
 * @module
 */
import type { JsonObject } from '../round.ts'

export interface HistoryDocument {
  /** Documents of one collection are listed and searched together: `task:<session>`, `error`. */
  readonly collection: string
  /** Unique in its collection: a later document takes the earlier one's place. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** A word here weighs more than one in the text. */
  readonly title: string
  /** What is searched beside the title; its first 32,768 characters. */
  readonly text: string
  /** What is handed out; plain JSON. */
  readonly data: JsonObject
}

export interface HistoryQuery {
  /** Most documents; 1 or more, default 10. */
  readonly limit?: number
  /** Only those from this time on. */
  readonly since?: number
}

export interface HistoryOptions {
  /** Documents a collection keeps, the newest; 1 or more, default 1,000. */
  readonly maxDocuments?: number
}

/**
 * Words are compared without case and accents, identifiers by their parts, Chinese and Japanese by words
 * too; a query finds documents with any of its words, or words that begin with one. Rejects with what
 * the storage threw.
 */
export interface HistoryStore {
  put(document: HistoryDocument): Promise<void>
  get(collection: string, id: string): Promise<HistoryDocument | undefined>
  /** Newest first; of one time the one put last. */
  list(collection: string, query?: HistoryQuery): Promise<readonly HistoryDocument[]>
  /** Best first; nothing for a query without words. */
  search(
    collection: string,
    query: string,
    options?: HistoryQuery,
  ): Promise<readonly HistoryDocument[]>
}

export const defaultLimit = 10
export const defaultDocuments = 1_000
export const mostText = 32_768
/** A title against the text. */
export const titleWeight = 3
