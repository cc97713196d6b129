/**
 * threepass/shell/no-zlib: stands for `node:zlib` where a bundler finds none (a page, a Worker without
 * `nodejs_compat`): the shell's gzip then fails, and nothing else does.
 * @module
 */
function missing(): never {
  throw new Error('there is no gzip here')
}

/** Always throws. */
export const gunzipSync: () => never = missing
/** Always throws. */
export const gzipSync: () => never = missing
/** Compression levels, of which there are none. */
export const constants: Readonly<Record<string, number>> = {}
