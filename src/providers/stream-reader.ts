/**
 * What each provider's stream reader is.
 * @module
 */
import type { JsonObject } from '../round.ts'
import type { ReadCalls } from './provider.ts'

/** Takes the chunks of one answer. Asked at any time, it tells the calls so far. */
export interface ChunkReader {
  readonly push: (chunk: JsonObject) => void
  readonly finish: () => ReadCalls
}
